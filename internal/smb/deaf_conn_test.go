package smb_test

import (
	"net"
	"runtime"
	"testing"
	"time"

	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/internal/smbclient"
)

// A client that asks for gigabytes and reads nothing has its own requests wait,
// and takes neither the server's memory nor anybody's time.
func TestClientThatDoesNotRead(t *testing.T) {
	h := newHost(t)
	tr := h.use(t, smbclient.Options{})
	f := makeFile(t, tr, "large", 8<<20)
	if err := f.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)

	deaf := &deafConn{Conn: h.socket(t)}
	mute := tree(t, h.loginOn(t, h.connectOver(t, deaf, smbclient.Options{Credits: 8000})), "test")
	open, err := mute.Open(t.Context(), "large", smbwire.GenericRead)
	if err != nil {
		t.Fatal(err)
	}
	deaf.deafen()
	const requests = 60
	for range requests {
		if _, err := mute.Session().Conn().Start(t.Context(), &smbclient.Request{
			Command: smbwire.Read, Tree: mute, Charge: 128,
			Body: &smbwire.ReadRequest{FileID: open.ID(), Length: 8 << 20},
		}); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(200 * time.Millisecond)
	promptly(t, func() error { return tr.WriteFile(t.Context(), "another", make([]byte, 1<<20)) })
	runtime.ReadMemStats(&after)
	if held := int64(after.HeapInuse) - int64(before.HeapInuse); held > requests*8<<20/2 {
		t.Errorf("the server holds %d MiB for a client that does not read", held>>20)
	}
}

// deafConn stops reading.
type deafConn struct {
	net.Conn
	deaf chan struct{}
}

func (d *deafConn) deafen() { d.deaf = make(chan struct{}) }

func (d *deafConn) Read(b []byte) (int, error) {
	n, err := d.Conn.Read(b)
	if d.deaf != nil {
		<-d.deaf
	}
	return n, err
}

func (d *deafConn) Close() error {
	if d.deaf != nil {
		close(d.deaf)
	}
	return d.Conn.Close()
}
