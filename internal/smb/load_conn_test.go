package smb_test

import (
	"encoding/binary"
	"errors"
	"net"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/dozo-server/dozo/internal/cursor"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/internal/smbclient"
)

// promptly fails unless f is done soon, whatever others do.
func promptly(t testing.TB, f func() error) {
	t.Helper()
	start := time.Now()
	if err := f(); err != nil {
		t.Error(err)
	}
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("it took %v", took)
	}
}

// A client that begins a frame and never ends it, and one that sends as much
// as it may, stop nobody.
func TestClientsThatAreSlowOrGreedy(t *testing.T) {
	h := newHost(t)
	tr := h.use(t, smbclient.Options{})
	half := h.login(t, smbclient.Options{})
	half.Conn().SendFrame(nil)
	stranger := h.socket(t)
	stranger.Write([]byte{0, 0, 1, 0, 0xfe, 'S', 'M', 'B'})

	greedy := h.use(t, smbclient.Options{})
	f := makeFile(t, greedy, "greedy", 0)
	stop := make(chan struct{})
	ended := make(chan struct{})
	for range 32 {
		go func() {
			defer func() { ended <- struct{}{} }()
			b := make([]byte, 64<<10)
			for {
				select {
				case <-stop:
					return
				default:
				}
				if _, err := f.WriteAt(t.Context(), b, 0); err != nil {
					t.Error(err)
					return
				}
			}
		}()
	}
	for range 20 {
		promptly(t, func() error { return tr.WriteFile(t.Context(), "small", []byte("x")) })
	}
	close(stop)
	for range 32 {
		<-ended
	}
}

// Thousands of sockets that say nothing, or half a login, cost little and keep
// nobody out (CVE-2023-32247 is about those who did).
func TestIdleSockets(t *testing.T) {
	sockets := 5000
	if testing.Short() {
		sockets = 500
	}
	h := newHost(t)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	hello := cursor.NewWriter([]byte{0, 0, 0, 0})
	(&smbwire.Header{Command: smbwire.Negotiate}).Encode(hello)
	(&smbwire.NegotiateRequest{Dialects: allDialects[:2]}).Encode(hello)
	binary.BigEndian.PutUint32(hello.Buffer(), uint32(hello.Len()))

	held := make([]net.Conn, 0, sockets)
	defer func() {
		for _, nc := range held {
			nc.Close()
		}
	}()
	for i := range sockets {
		nc, err := net.Dial("tcp", h.addr)
		if err != nil {
			if strings.Contains(err.Error(), "too many open files") || errors.Is(err, os.ErrPermission) {
				t.Skipf("this machine allows only %d sockets", i)
			}
			t.Fatal(err)
		}
		held = append(held, nc)
		if i%2 == 0 {
			nc.Write(hello.Buffer())
		}
	}
	promptly(t, func() error {
		s, err := smbclient.Dial(t.Context(), h.addr, smbclient.Options{Login: anna})
		if err != nil {
			return err
		}
		return s.Conn().Close()
	})
	runtime.GC()
	runtime.ReadMemStats(&after)
	// Both ends are in this process, so this is more than the server's share.
	each := (int64(after.HeapInuse+after.StackInuse) - int64(before.HeapInuse+before.StackInuse)) / int64(sockets)
	t.Logf("%d bytes a socket", each)
	if each > 20_000 { // 5,000 of them are to cost less than 100 MB
		t.Errorf("an idle socket costs %d bytes", each)
	}
}
