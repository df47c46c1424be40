package smb

import (
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

// A client may be as slow as it wants, as long as it takes something.
func TestSlowClients(t *testing.T) {
	const size, piece = 1 << 20, 16 << 10
	for _, tt := range []struct {
		name   string
		frames int
		pause  time.Duration // before each piece
		want   error
	}{
		{"one frame", 1, 10 * time.Second, nil},
		{"several frames", 3, 10 * time.Second, nil},
		{"deaf", 1, 2 * sendTime, os.ErrDeadlineExceeded},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ours, theirs := net.Pipe()
				defer ours.Close()
				c := newConn(NewServer(Config{}), ours, 1)
				defer c.cancel(nil)
				got := make(chan int)
				go func() {
					n, b := 0, make([]byte, piece)
					for err := error(nil); err == nil; {
						time.Sleep(tt.pause)
						var m int
						m, err = io.ReadFull(theirs, b)
						n += m
					}
					got <- n
				}()
				var batch []*buffer
				for range tt.frames {
					b := newBuffer(size)
					b.b = b.b[:size]
					batch = append(batch, b)
				}
				if n, err := c.writeAll(batch); n != tt.frames*size || !errors.Is(err, tt.want) {
					t.Errorf("writeAll = %d, %v, want %v", n, err, tt.want)
				}
				ours.Close()
				if n := <-got; tt.want == nil && n != tt.frames*size {
					t.Errorf("the client got %d bytes of %d", n, tt.frames*size)
				}
			})
		})
	}
}
