package mdns

import (
	"net/netip"
	"time"

	"github.com/dozo-server/dozo/internal/discovery/link"
)

// The times of RFC 6762 section 6 and 7.2, and of section 6.7 for clients
// that know plain DNS only.
const (
	sharedWait  = 20 * time.Millisecond // where others may answer, too: so long and up to spread more
	spread      = 100 * time.Millisecond
	moreWait    = 400 * time.Millisecond // for more known answers
	between     = time.Second            // two answers with one record
	defendAfter = 250 * time.Millisecond // the same against one who wants the name
	legacyTTL   = 10                     // seconds
)

// answer is a record that is to be sent to all.
type answer struct {
	record record
	due    time.Time
	asker  netip.Addr // the only one; the zero value for several
}

// query answers what another host asks.
func (r *Responder) query(id link.ID, s *segment, now time.Time, from netip.AddrPort, m *message) {
	probing := len(m.authorities) > 0
	if s.step < claimed {
		if probing {
			r.rival(s, now, m.authorities)
		}
		return
	}
	known := map[key]uint32{}
	for _, rec := range m.answers {
		known[rec.key()] = rec.ttl
	}
	if len(m.questions) == 0 { // the rest of what the asker knows
		for k, a := range s.queue {
			if ttl, ok := known[k]; ok && ttl >= a.record.ttl/2 && a.asker == from.Addr() {
				delete(s.queue, k)
			}
		}
		return
	}
	var alone []record // what goes to the asker alone
	for _, q := range m.questions {
		found := s.zone.lookup(q)
		shared := false
		for _, rec := range found {
			shared = shared || rec.shared
		}
		due := now
		switch {
		case m.truncated:
			due = now.Add(moreWait + r.upTo(spread))
		case shared && !probing:
			due = now.Add(sharedWait + r.upTo(spread))
		}
		for _, rec := range found {
			k := rec.key()
			if ttl, ok := known[k]; ok && ttl >= rec.ttl/2 {
				continue
			}
			last, everybody := s.sent[k]
			switch {
			case from.Port() != Port:
				alone = append(alone, rec)
			case q.unicast && everybody && now.Sub(last) < time.Duration(rec.ttl)*time.Second/4:
				alone = append(alone, rec)
			case probing:
				s.hurry(rec, now)
			default:
				s.ask(rec, due, from.Addr())
			}
		}
	}
	if alone == nil || !s.strays.Allow(now) {
		return
	}
	answer := &message{response: true, answers: once(alone)}
	answer.additionals = s.zone.with(answer.answers)
	if from.Port() != Port {
		answer.id, answer.questions = m.id, m.questions[:1]
		answer.questions[0].unicast = false
		answer.answers, answer.additionals = brief(answer.answers), brief(answer.additionals)
	}
	// One packet: the asker must not make this host send more than it asked.
	r.out = append(r.out, link.Packet{Link: id, To: from, Data: answer.pack()[0]})
}

// ask puts a record among those to be sent to all, not before it may be sent
// again.
func (s *segment) ask(rec record, due time.Time, asker netip.Addr) {
	k := rec.key()
	if last, ok := s.sent[k]; ok && due.Before(last.Add(between)) {
		due = last.Add(between)
	}
	if a := s.queue[k]; a != nil {
		if a.asker != asker {
			a.asker = netip.Addr{}
		}
		if due.Before(a.due) {
			a.due = due
		}
		return
	}
	if s.queue == nil {
		s.queue = map[key]*answer{}
	}
	s.queue[k] = &answer{rec, due, asker}
}

// hurry does the same for a record that another host would like to have.
func (s *segment) hurry(rec record, now time.Time) {
	due := now
	if last, ok := s.sent[rec.key()]; ok && due.Before(last.Add(defendAfter)) {
		due = last.Add(defendAfter)
	}
	s.ask(rec, now, netip.Addr{})
	s.queue[rec.key()].due = due
}

// answers sends what is due to all, in the order of the zone.
func (r *Responder) answers(id link.ID, s *segment, now time.Time) {
	m := &message{response: true}
	for _, rec := range append(s.zone.records[:len(s.zone.records):len(s.zone.records)], s.zone.absences...) {
		k := rec.key()
		if a := s.queue[k]; a != nil && !now.Before(a.due) {
			m.answers = append(m.answers, rec)
			delete(s.queue, k)
		}
	}
	if m.answers == nil {
		return
	}
	for _, rec := range s.zone.with(m.answers) {
		if last, ok := s.sent[rec.key()]; !ok || now.Sub(last) >= between {
			m.additionals = append(m.additionals, rec)
		}
	}
	for _, rec := range m.answers {
		s.sent[rec.key()] = now
	}
	if packets := m.pack(); len(packets) == 1 && len(packets[0]) <= maxSent {
		for _, rec := range m.additionals {
			s.sent[rec.key()] = now
		}
	}
	r.send(id, netip.AddrPort{}, m)
}

// once is a list without repetitions.
func once(list []record) []record {
	seen := map[key]bool{}
	var out []record
	for _, rec := range list {
		if k := rec.key(); !seen[k] {
			seen[k] = true
			out = append(out, rec)
		}
	}
	return out
}

// brief is records for clients that know plain DNS only.
func brief(list []record) []record {
	list = plain(list)
	for i := range list {
		list[i].ttl = min(list[i].ttl, legacyTTL)
	}
	return list
}
