package afpclient

import (
	"context"
	"errors"
	"iter"
	"math"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
)

// Enumerate asks for a part of a folder. m.Command chooses among the three; the
// volume is set here. The error beyond the last entry wraps
// afpwire.ResultObjectNotFound.
func (v *Volume) Enumerate(ctx context.Context, m *afpwire.EnumerateRequest) ([]afpwire.Parms, error) {
	m.Volume = v.ID
	reply := afpwire.EnumerateReply{Command: m.Command, AFP2: v.conn.speaksAFP2()}
	err := v.conn.Ask(ctx, m, &reply)
	return reply.Entries, err
}

// listed is how many entries List asks for at a time.
const listed = 2000

// List yields the parameters of all that is in a folder: files of the files
// and dirs of the folders; none of those with an empty bitmap.
func (v *Volume) List(ctx context.Context, dir afpwire.NodeID, path afpwire.Path, files, dirs afpwire.Bitmap) iter.Seq2[*afpwire.Parms, error] {
	m := afpwire.EnumerateRequest{
		Command: afpwire.EnumerateExt2, Dir: dir, Files: files, Dirs: dirs,
		Count: listed, Start: 1, MaxReply: v.conn.agreed.ServerQuantum, Path: path,
	}
	if v.conn.speaksAFP2() {
		m.Command, m.MaxReply = afpwire.Enumerate, min(m.MaxReply, math.MaxInt16)
	}
	return func(yield func(*afpwire.Parms, error) bool) {
		for {
			entries, err := v.Enumerate(ctx, &m)
			if errors.Is(err, afpwire.ResultObjectNotFound) {
				return
			}
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range entries {
				if !yield(&entries[i], nil) {
					return
				}
			}
			m.Start += uint32(len(entries))
		}
	}
}

// CatSearch asks for some matches of a search; m.Position is then where it goes
// on. m.Command chooses between the two; the volume is set here. The last
// matches come with an error that wraps afpwire.ResultEOFErr.
func (v *Volume) CatSearch(ctx context.Context, m *afpwire.CatSearchRequest) ([]afpwire.Parms, error) {
	m.Volume = v.ID
	payload, err := v.conn.call(ctx, &request{function: afpwire.DSICommand, message: m})
	if err != nil && err != afpwire.ResultEOFErr || len(payload) == 0 {
		return nil, explain(m, err)
	}
	reply := afpwire.CatSearchReply{Command: m.Command, AFP2: v.conn.speaksAFP2()}
	if err := decode(m, payload, &reply); err != nil {
		return nil, err
	}
	m.Position = reply.Position
	return reply.Matches, explain(m, err)
}
