package afp

import (
	"context"
	"time"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
)

// zzzzz answers FPZzzzz: a client that sleeps is not missed for a day.
func (r *request) zzzzz(_ context.Context, m *afpwire.ZzzzzRequest) (reply, error) {
	r.conn.asleep.Store(m.Sleep != afpwire.SleepEnds)
	return &afpwire.ZzzzzReply{Hours: uint32(sleepTime / time.Hour)}, nil
}
