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
	v, err := h.verifier(b)
	if err != nil {
		return err
	}
	switch h.kind {
	case packetBind, packetAlter:
		return p.bind(&h, b, v)
	case packetRequest:
		return p.request(&h, b, v)
	case packetAuth3:
		p.prove(v)
		return nil
	case packetCancel, packetOrphaned:
		return nil // there is no call to stop
	}
	return fmt.Errorf("packet of type %d", h.kind)
}

// bind answers BIND and ALTER_CONTEXT. The SMB session has told who calls; a
// client may prove it once more by a login of the pipe's own.
func (p *Pipe) bind(h *header, packet []byte, v *verifier) error {
	alter := h.kind == packetAlter
	if alter != p.bound {
		return errors.New("bound twice or not at all")
	}
	answer := header{kind: packetBindAck, flags: flagFirst | flagLast, call: h.call}
	var token []byte
	if v != nil {
		var err error
		if token, err = p.security.accept(p.env.Login, v); err != nil {
			p.refuseBind(h)
			return nil
		}
		packet = packet[:v.at]
		answer.flags |= h.flags & flagSignHeader
		answer.auth = len(token)
	}
	r := cursor.NewReader(packet)
	r.Skip(headerSize)
	var b bind
	b.decode(r)
	if err := r.Err(); err != nil {
		return err
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
	if alter {
		answer.kind = packetAlterAck
	} else {
		ack.address = `\PIPE\` + p.name
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
	p.send(&answer, func(w *cursor.Writer) {
		ack.encode(w)
		if len(token) > 0 {
			p.security.trailer(w, 0)
			w.Bytes(token)
		}
	})
	return nil
}

// prove takes the last token of a login, which has no answer: whether it was
// right shows with the first call ([MS-RPCE] 2.2.2.5). There need be no login
// to finish.
func (p *Pipe) prove(v *verifier) {
	if v != nil && p.security.login != nil {
		p.security.accept(nil, v)
	}
}

// refuseBind answers with BIND_NAK ([C706] 12.6.4.5): this way of logging in is
// not known, and the version that is. There is nothing like it for a login that
// fails later.
func (p *Pipe) refuseBind(h *header) {
	if h.kind != packetBind {
		p.fault(h.call, 0, faultAccessDenied)
		return
	}
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
func (p *Pipe) request(h *header, packet []byte, v *verifier) error {
	end, refusal := p.security.open(h, packet, v)
	if refusal != 0 {
		end = len(packet)
	}
	r := cursor.NewReader(packet[:end])
	r.Skip(headerSize)
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
	case refusal != 0:
		p.fault(h.call, context, refusal)
		return refusal
	case !p.bound || !c.active || c.call != h.call:
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
	room := (p.maxFragment - bodyOffset - p.security.overhead()) &^ (sealAlignment - 1)
	h := header{kind: packetResponse, flags: flagFirst, call: req.call}
	if p.security.session != nil {
		h.auth = signatureSize
	}
	for {
		piece := results[:min(len(results), room)]
		if len(piece) == len(results) {
			h.flags |= flagLast
		}
		packet := p.send(&h, func(w *cursor.Writer) {
			w.U32(uint32(len(results)))
			w.U16(req.context)
			w.U16(0)
			w.Bytes(piece)
			p.security.behind(w, len(piece))
		})
		p.security.protect(packet)
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

// send puts a packet where Read finds it, and returns it for changes before it
// is read.
func (p *Pipe) send(h *header, body func(*cursor.Writer)) []byte {
	w := cursor.NewWriter(nil)
	w.Zero(headerSize)
	body(w)
	h.length = w.Len()
	head := cursor.NewWriter(w.Message()[:0])
	h.encode(head)
	p.out = append(p.out, w.Message())
	p.unread += w.Len()
	return w.Message()
}
