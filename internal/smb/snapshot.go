package smb

import (
	"cmp"
	"slices"
	"time"

	"github.com/dozo-server/dozo/internal/share"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
)

// SessionInfo describes a session to the status page.
type SessionInfo struct {
	Number     uint64 // never given twice
	User       string // "" for a guest
	Address    string
	Client     string // what the client calls itself, "" if it does not
	System     string // what it says of its system, "" if it does not
	Dialect    string
	Signing    string // the algorithm, "" when the last request was not signed, or encrypted
	Encryption string // the cipher, "" when the last request was not encrypted
	Shares     []string
	Opens      int
	Since      time.Time
	Used       time.Time // when the last request came
}

// OpenID is the number of an open file, and that of its session.
type OpenID struct{ Session, Open uint64 }

// OpenInfo describes an open file to the status page.
type OpenInfo struct {
	share.OpenInfo
	ID      OpenID
	Share   string
	Address string
}

// WaitInfo describes a request that waits for others.
type WaitInfo struct {
	share.WaitInfo
	Session uint64
	Open    uint64 // 0 for a file that is not open yet
	Share   string
	User    string     // "" for a guest
	By      []OpenInfo // those who are in the way, as far as they are known
}

// Sessions returns a snapshot of the sessions that are logged in, oldest
// first, and the number of connections.
func (s *Server) Sessions() (sessions []SessionInfo, connections int) {
	all, conns := s.all()
	for _, sess := range all {
		sessions = append(sessions, sess.info())
	}
	return sessions, len(conns)
}

// all returns the sessions that are logged in, oldest first, and the connections.
func (s *Server) all() (sessions []*session, conns []*conn) {
	s.mu.Lock()
	for _, sess := range s.sessions {
		if sess.valid.Load() {
			sessions = append(sessions, sess)
		}
	}
	for c := range s.conns {
		conns = append(conns, c)
	}
	s.mu.Unlock()
	slices.SortFunc(sessions, func(a, b *session) int { return cmp.Compare(a.number, b.number) })
	return sessions, conns
}

func (s *session) info() SessionInfo {
	n := &s.conn.negotiated
	i := SessionInfo{
		Number:  s.number,
		User:    s.identity.Load().User,
		Address: s.conn.address(),
		Dialect: smbwire.Dialect(n.dialect).String(),
		Since:   s.created,
		Used:    time.Unix(0, s.used.Load()),
	}
	if c := s.client.Load(); c != nil {
		i.Client, i.System = c.name, c.system
	}
	switch shield(s.shield.Load()) {
	case signed:
		i.Signing = n.signing.String()
	case sealed:
		i.Encryption = n.cipher.String()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	i.Opens = len(s.opens)
	for _, t := range s.trees {
		i.Shares = append(i.Shares, t.name())
	}
	slices.Sort(i.Shares)
	i.Shares = slices.Compact(i.Shares)
	return i
}

// Opens returns a snapshot of the files that are open, in the order in which
// sessions opened them, and of the requests that wait for some of them.
func (s *Server) Opens() (opens []OpenInfo, waits []WaitInfo) {
	sessions, conns := s.all()
	known := map[*share.Open]int{}
	for _, sess := range sessions {
		for _, o := range sess.files() {
			known[o.file] = len(opens)
			opens = append(opens, o.info())
		}
	}
	for _, c := range conns {
		for _, r := range c.waiting() {
			w, going := r.waiting.Info()
			if !going {
				continue
			}
			i := WaitInfo{WaitInfo: w, Session: r.session.number, User: r.session.identity.Load().User, Share: r.tree.name()}
			if o, ok := known[w.Open]; ok {
				i.Open = opens[o].ID.Open
			}
			for _, by := range w.By {
				if o, ok := known[by]; ok {
					i.By = append(i.By, opens[o])
				}
			}
			waits = append(waits, i)
		}
	}
	slices.SortFunc(waits, func(a, b WaitInfo) int { return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.Session, b.Session)) })
	return opens, waits
}

// files returns the files that a session has open, in the order of their opening.
func (s *session) files() []*open {
	s.mu.Lock()
	all := make([]*open, 0, len(s.opens))
	for _, o := range s.opens {
		if o.file != nil {
			all = append(all, o)
		}
	}
	s.mu.Unlock()
	slices.SortFunc(all, func(a, b *open) int { return cmp.Compare(a.id.Volatile, b.id.Volatile) })
	return all
}

func (o *open) info() OpenInfo {
	s := o.tree.session
	return OpenInfo{
		OpenInfo: o.file.Info(),
		ID:       OpenID{s.number, o.id.Volatile},
		Share:    o.tree.name(),
		Address:  s.conn.address(),
	}
}

// waiting returns the requests of a connection that wait for others.
func (c *conn) waiting() (all []*request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.asyncs {
		if r.waiting != nil && r.tree != nil {
			all = append(all, r)
		}
	}
	return all
}
