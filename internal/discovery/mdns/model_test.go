package mdns

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/dozo-server/dozo/internal/discovery/link"
)

// wireModel is a wire with responders, on which packets take time and may be
// lost, and an observer who remembers what is said as RFC 6762 section 10
// tells it to.
type wireModel struct {
	t        *testing.T
	now      time.Time
	random   *rand.Rand
	loss     float64
	hosts    []*modelHost
	flying   []flight
	memory   map[key]memory
	observer netip.AddrPort
	started  int // hosts, each of which has its own address
}

// modelHost is a responder, maybe with two interfaces on the wire.
type modelHost struct {
	*Responder
	from  netip.AddrPort
	links []link.ID
	addrs []netip.Addr
	cut   bool // its cable is
	next  time.Time
	said  map[saidKey]time.Time
}

type saidKey struct {
	link link.ID
	key  key
}

type flight struct {
	at   time.Time
	to   *modelHost
	link link.ID
	from netip.AddrPort
	data []byte
}

type memory struct{ heard, until time.Time }

func newWire(t *testing.T, seed uint64, loss float64) *wireModel {
	return &wireModel{t: t, now: noon, random: rand.New(rand.NewPCG(seed, seed)), loss: loss, memory: map[key]memory{}, observer: peer}
}

// start connects a host that would like to be "nas".
func (w *wireModel) start(interfaces int) *modelHost {
	w.started++
	n := w.started
	h := &modelHost{
		Responder: New("nas", "NAS", smb, rand.New(rand.NewPCG(w.random.Uint64(), 1))),
		from:      netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 1, byte(n)}), Port),
		addrs:     []netip.Addr{netip.AddrFrom4([4]byte{10, 0, 1, byte(n)})},
		said:      map[saidKey]time.Time{},
	}
	for i := range interfaces {
		h.links = append(h.links, link.ID{Index: i + 1})
		h.SetLink(w.now, h.links[i], h.addrs)
	}
	h.next = w.now
	w.hosts = append(w.hosts, h)
	return h
}

// stop lets a host say goodbye.
func (w *wireModel) stop(h *modelHost) {
	w.send(h, h.Stop(w.now))
	w.hosts = slices.DeleteFunc(w.hosts, func(o *modelHost) bool { return o == h })
	w.flying = slices.DeleteFunc(w.flying, func(f flight) bool { return f.to == h })
}

// run lets time pass.
func (w *wireModel) run(d time.Duration) {
	end := w.now.Add(d)
	for {
		at := end
		for _, h := range w.hosts {
			if !h.next.IsZero() && h.next.Before(at) {
				at = h.next
			}
		}
		for _, f := range w.flying {
			if f.at.Before(at) {
				at = f.at
			}
		}
		if !at.Before(end) {
			w.now = end
			return
		}
		w.now = at
		arrived := slices.Clone(w.flying)
		w.flying = slices.DeleteFunc(w.flying, func(f flight) bool { return !f.at.After(w.now) })
		for _, f := range arrived {
			if !f.at.After(w.now) {
				f.to.Receive(w.now, f.link, f.from, f.data)
				f.to.next = w.now
			}
		}
		for _, h := range slices.Clone(w.hosts) {
			if !h.next.IsZero() && !h.next.After(w.now) {
				out, next := h.Poll(w.now)
				if !next.IsZero() && !next.After(w.now) {
					w.t.Fatalf("a host wants to be asked again at once")
				}
				h.next = next
				w.send(h, out)
			}
		}
	}
}

// send puts packets on the wire, each of which everybody hears.
func (w *wireModel) send(h *modelHost, packets []link.Packet) {
	for _, p := range packets {
		m, ok := parse(p.Data)
		if !ok || len(p.Data) > maxSent {
			w.t.Fatalf("sent what is no message: %x", p.Data)
		}
		if !p.To.IsValid() && m.response {
			w.pace(h, p.Link, m)
		}
		if h.cut {
			continue
		}
		if p.To.IsValid() {
			if p.To == w.observer && w.random.Float64() >= w.loss {
				w.remember(m)
			}
			continue
		}
		if w.random.Float64() >= w.loss {
			w.remember(m)
		}
		w.fly(h.from, p.Data)
	}
}

// pace holds that a record is sent to all not more than once in 250 ms, which
// is for those who defend it; goodbyes are others.
func (w *wireModel) pace(h *modelHost, id link.ID, m *message) {
	for _, r := range append(m.answers, m.additionals...) {
		k := saidKey{id, r.key()}
		if r.ttl == 0 {
			continue
		}
		if last, ok := h.said[k]; ok && w.now.Sub(last) < defendAfter && w.now != last {
			w.t.Errorf("%s %v was sent again after %v", r.name, r.kind, w.now.Sub(last))
		}
		h.said[k] = w.now
	}
}

func (w *wireModel) fly(from netip.AddrPort, data []byte) {
	for _, h := range w.hosts {
		for _, id := range h.links {
			if !h.cut && w.random.Float64() >= w.loss {
				w.flying = append(w.flying, flight{w.now.Add(time.Duration(w.random.Int64N(int64(3 * time.Millisecond)))), h, id, from, data})
			}
		}
	}
}

// ask is a question of the observer's.
func (w *wireModel) ask(m message) { w.fly(w.observer, m.packet()) }

// remember is what a client does with an answer.
func (w *wireModel) remember(m *message) {
	if !m.response {
		return
	}
	for _, r := range append(m.answers, m.additionals...) {
		k := r.key()
		if r.ttl == 0 {
			if old, ok := w.memory[k]; ok {
				old.until = w.now.Add(time.Second)
				w.memory[k] = old
			}
			continue
		}
		if !r.shared {
			for other, old := range w.memory {
				if other != k && other.name == k.name && other.kind == k.kind && w.now.Sub(old.heard) > time.Second {
					old.until = w.now.Add(time.Second)
					w.memory[other] = old
				}
			}
		}
		w.memory[k] = memory{w.now, w.now.Add(time.Duration(r.ttl) * time.Second)}
	}
}

// check compares what the observer knows with what the hosts are.
func (w *wireModel) check(when string) {
	w.t.Helper()
	want := map[key]bool{}
	hosts, instances := map[string]bool{}, map[string]bool{}
	for _, h := range w.hosts {
		host, instance, settled := h.Names()
		if !settled || hosts[host] || instances[instance] {
			w.t.Errorf("%s: a host is %q and %q, settled %v, beside %v", when, host, instance, settled, hosts)
		}
		hosts[host], instances[instance] = true, true
		for _, s := range h.segments {
			for _, r := range s.zone.records {
				want[r.key()] = true
			}
		}
	}
	for k := range want {
		if m, ok := w.memory[k]; !ok || m.until.Before(w.now) {
			w.t.Errorf("%s: nobody knows of %s %v", when, k.name, k.kind)
		}
	}
	for k, m := range w.memory {
		if !want[k] && m.until.After(w.now) {
			w.t.Errorf("%s: %s %v %x is known and no more", when, k.name, k.kind, k.data)
		}
	}
}

var questions = []question{
	{"nas.local.", dnsmessage.TypeALL, false}, {"NAS-2.local.", dnsmessage.TypeA, true}, {"nas-3.local.", dnsmessage.TypeAAAA, false},
	{"_smb._tcp.local.", dnsmessage.TypePTR, false}, {types, dnsmessage.TypePTR, true},
	{"NAS._smb._tcp.local.", dnsmessage.TypeSRV, false}, {"NAS (2)._smb._tcp.local.", dnsmessage.TypeALL, false},
	{"nas._device-info._tcp.local.", dnsmessage.TypeTXT, false},
}

// TestModel: hosts that all want one name come and go, lose their cables and
// change their addresses; in the end each has a name of its own, and others
// know just what is.
func TestModel(t *testing.T) {
	for seed := range uint64(60) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			w := newWire(t, seed, 0)
			for range 30 {
				switch n := w.random.IntN(10); {
				case n < 3 && len(w.hosts) < 4:
					w.start(1 + w.random.IntN(2))
				case len(w.hosts) == 0:
				case n == 3:
					w.stop(w.hosts[w.random.IntN(len(w.hosts))])
				case n == 4:
					h := w.hosts[w.random.IntN(len(w.hosts))]
					h.addrs = []netip.Addr{netip.AddrFrom4([4]byte{10, 0, 2, byte(w.random.IntN(250))}), h.from.Addr()}
					for _, id := range h.links {
						h.SetLink(w.now, id, h.addrs)
					}
					h.next = w.now
				case n == 5:
					h := w.hosts[w.random.IntN(len(w.hosts))]
					for _, id := range h.links {
						h.DropLink(id)
					}
					w.run(time.Duration(w.random.Int64N(int64(time.Second))))
					for _, id := range h.links {
						h.SetLink(w.now, id, h.addrs)
					}
					h.next = w.now
					// One who goes while it asks again can't know what it said before.
					w.run(5 * time.Second)
				default:
					w.ask(message{questions: []question{questions[w.random.IntN(len(questions))]}})
				}
				w.run(time.Duration(w.random.Int64N(int64(2 * time.Second))))
			}
			w.run(15 * time.Second)
			w.check("all the time")

			clear(w.memory)
			for _, h := range w.hosts {
				for _, s := range h.segments {
					for _, r := range s.zone.records {
						w.ask(message{questions: []question{{r.name, r.kind, false}}})
						w.run(10 * time.Millisecond)
					}
				}
			}
			w.run(3 * time.Second)
			w.check("asked for all")

			for len(w.hosts) > 0 {
				w.stop(w.hosts[0])
				w.run(100 * time.Millisecond)
			}
			w.run(2 * time.Second)
			w.check("when all have gone")
		})
	}
}

// TestModelOfNetworksThatMeet: two hosts that got one name on two wires, which
// are joined then. Somebody asks for it.
func TestModelOfNetworksThatMeet(t *testing.T) {
	for seed := range uint64(30) {
		w := newWire(t, seed, 0)
		h := w.start(1)
		h.cut = true
		w.start(1)
		w.run(time.Minute)
		for _, h := range w.hosts {
			if host, _, settled := h.Names(); host != "nas" || !settled {
				t.Fatalf("alone a host is %q, settled %v", host, settled)
			}
		}
		h.cut = false
		w.ask(message{questions: questions[:1]})
		w.run(20 * time.Second)
		w.check("together")
	}
}

// TestModelWithLoss: a third of all packets is lost, and everybody gets a name
// of its own nevertheless, as long as somebody asks.
func TestModelWithLoss(t *testing.T) {
	for seed := range uint64(20) {
		w := newWire(t, seed, 0.33)
		for range 4 {
			w.start(1)
		}
		for range 120 {
			w.ask(message{questions: []question{questions[w.random.IntN(len(questions))]}})
			w.run(time.Second)
		}
		names := map[string]bool{}
		for _, h := range w.hosts {
			host, instance, settled := h.Names()
			if !settled || names[host] || names[instance] {
				t.Errorf("seed %d: a host is %q and %q, settled %v, beside %v", seed, host, instance, settled, names)
			}
			names[host], names[instance] = true, true
		}
	}
}
