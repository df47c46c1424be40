package afpclient_test

import (
	"bufio"
	"fmt"
	"io"
	"testing"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
	"github.com/dozo-server/dozo/internal/afpclient"
	"github.com/dozo-server/dozo/internal/cursor"
)

// BenchmarkRequests measures what the client costs, against a server that does
// nothing but answer.
func BenchmarkRequests(b *testing.B) {
	for _, outstanding := range []int{1, 8} {
		b.Run(fmt.Sprint(outstanding, " outstanding"), func(b *testing.B) {
			client, server := pair(b)
			go answerAll(server)
			c, err := afpclient.NewConn(b.Context(), client, afpclient.Options{Outstanding: outstanding})
			if err != nil {
				b.Fatal(err)
			}
			defer c.Close()
			v, _, err := c.OpenVolume(b.Context(), "v", 0)
			if err != nil {
				b.Fatal(err)
			}
			path := afpwire.UTF8Path("a file")
			b.ReportAllocs()
			b.SetParallelism(outstanding)
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if err := v.CreateFile(b.Context(), afpwire.Root, path, false); err != nil {
						b.Error(err)
						return
					}
				}
			})
		})
	}
}

// answerAll answers every frame with success.
func answerAll(nc io.ReadWriter) {
	in := bufio.NewReader(nc)
	out := bufio.NewWriter(nc)
	w := cursor.NewWriter(nil)
	for {
		head, err := in.Peek(afpwire.HeaderSize)
		if err != nil {
			return
		}
		var h afpwire.Header
		h.Decode(cursor.NewReader(head))
		in.Discard(afpwire.HeaderSize + int(h.Length))
		block := []byte(nil)
		if h.Function == afpwire.DSIOpenSession {
			block = encode(&afpwire.SessionOptions{ServerQuantum: 1 << 20})
		} else if h.RequestID == 1 {
			block = encode(&afpwire.VolParmsReply{Bitmap: afpwire.VolBitID})
		}
		w.Reset(nil)
		reply := afpwire.Header{Reply: true, Function: h.Function, RequestID: h.RequestID, Length: uint32(len(block))}
		reply.Encode(w)
		w.Bytes(block)
		out.Write(w.Message())
		if in.Buffered() == 0 {
			out.Flush()
		}
	}
}

func encode(m afpclient.Encoder) []byte {
	w := cursor.NewWriter(nil)
	m.Encode(w)
	return w.Message()
}
