package rpc

import (
	"errors"
	"fmt"

	"github.com/dozo-server/dozo/internal/cursor"
)

// packet acts on one whole packet. An error breaks the connection; p.mu is
// held.
func (p *Pipe) packet(b []byte) error {
	r := cursor.NewReader(b)
	var h header
	h.decode(r)
	if err := r.Err(); err != nil {
		return err
	}
	switch h.kind {
	case packetBind, packetAlter:
		return p.bind(&h, r)
	case packetRequest:
		return p.request(&h, r)
	case packetAuth3, packetCancel, packetOrphaned:
		return nil // there is neither a login to finish nor a call to stop
	}
	return fmt.Errorf("packet of type %d", h.kind)
}

// bind answers BIND and ALTER_CONTEXT. The SMB session has told who calls; a
// login of the pipe's own is refused.
func (p *Pipe) bind(h *header, r *cursor.Reader) error {
	var b bind
	b.decode(r)
	if err := r.Err(); err != nil {
		return err
	}
	alter := h.kind == packetAlter
	if alter != p.bound {
		return errors.New("bound twice or not at all")
	}
	if h.auth != 0 {
		p.refuseBind(h)
		return nil
	}
	if !alter {
		p.bound = true
		p.contexts = map[uint16]*iface{}
		p.maxFragment = max(min(int(b.maxReceive), ourFragment), smallestFragment)
		p.group = b.group
		if p.group == 0 {
			p.group = 1
		}
	}
	ack := bindAck{maxFragment: uint16(p.maxFragment), group: p.group}
	answer := header{kind: packetAlterAck, flags: flagFirst | flagLast, call: h.call}
	if !alter {
		answer.kind, ack.address = packetBindAck, `\PIPE\`+p.name
	}
	for i := range b.contexts {
		c := &b.contexts[i]
		i, res := c.answer(p.ifaces)
		if i != nil {
			p.contexts[c.id] = i
		}
		if len(p.contexts) > maxContexts {
			return errors.New("too many contexts")
		}
		ack.results = append(ack.results, res)
	}
	p.send(&answer, ack.encode)
	return nil
}

// refuseBind answers with BIND_NAK ([C706] 12.6.4.5): this way of logging in is
// not known, and the version that is.
func (p *Pipe) refuseBind(h *header) {
	const authenticationUnknown = 8
	answer := header{kind: packetBindNak, flags: flagFirst | flagLast, call: h.call}
	p.send(&answer, func(w *cursor.Writer) {
		w.U16(authenticationUnknown)
		w.U8(1)
		w.U8(5)
		w.U8(0)
		w.Align(4)
	})
}

// request collects the packets of a call ([C706] 12.6.4.9) and carries it out
// with the last.
func (p *Pipe) request(h *header, r *cursor.Reader) error {
	r.U32() // how much is to come: a hint, which nothing depends on
	context := r.U16()
	operation := r.U16()
	if h.flags&flagObject != 0 {
		r.Skip(len(uuid{}))
	}
	arguments := r.Rest()
	if err := r.Err(); err != nil {
		return err
	}
	c := &p.pending
	if h.flags&flagFirst != 0 {
		*c = request{active: true, call: h.call, context: context, operation: operation}
	}
	switch {
	case !p.bound || h.auth != 0 || !c.active || c.call != h.call:
		p.fault(h.call, context, faultProtocol)
		return faultProtocol
	case len(c.arguments)+len(arguments) > maxCall:
		*c = request{}
		p.fault(h.call, context, faultNoMemory)
		return nil
	}
	c.arguments = append(c.arguments, arguments...)
	if h.flags&flagLast != 0 {
		call := *c
		*c = request{}
		p.carryOut(&call)
	}
	return nil
}

// carryOut runs a call and sends what comes of it.
func (p *Pipe) carryOut(req *request) {
	c := call{pipe: p, in: &decoder{}, out: &encoder{}}
	c.in.Reset(req.arguments)
	var err error = faultInterface
	if i := p.contexts[req.context]; i != nil {
		err = faultOperation
		if m := i.methods[req.operation]; m != nil {
			err = m(&c)
		}
	}
	if err == nil {
		p.respond(req, c.out.Message())
		return
	}
	f, ok := errors.AsType[fault](err)
	if !ok {
		f = faultBadStub
	}
	p.fault(req.call, req.context, f)
}

// respond sends results in as many packets as it takes ([C706] 12.6.4.10).
func (p *Pipe) respond(req *request, results []byte) {
	room := (p.maxFragment - bodyOffset) &^ 7
	h := header{kind: packetResponse, flags: flagFirst, call: req.call}
	for {
		piece := results[:min(len(results), room)]
		if len(piece) == len(results) {
			h.flags |= flagLast
		}
		p.send(&h, func(w *cursor.Writer) {
			w.U32(uint32(len(results)))
			w.U16(req.context)
			w.U16(0)
			w.Bytes(piece)
		})
		results = results[len(piece):]
		if len(results) == 0 {
			return
		}
		h.flags = 0
	}
}

// fault sends a fault in the place of results ([C706] 12.6.4.7).
func (p *Pipe) fault(call uint32, context uint16, f fault) {
	const didNotExecute = 0x20
	h := header{kind: packetFault, flags: flagFirst | flagLast | didNotExecute, call: call}
	p.send(&h, func(w *cursor.Writer) {
		w.U32(0)
		w.U16(context)
		w.U16(0)
		w.U32(uint32(f))
		w.U32(0)
	})
}

// send puts a packet where Read finds it.
func (p *Pipe) send(h *header, body func(*cursor.Writer)) {
	w := cursor.NewWriter(nil)
	w.Zero(headerSize)
	body(w)
	h.length = w.Len()
	head := cursor.NewWriter(w.Message()[:0])
	h.encode(head)
	p.out = append(p.out, w.Message())
	p.unread += w.Len()
}
