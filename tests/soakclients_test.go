package tests

import (
	"errors"
	"fmt"
	"time"

	"github.com/dozo-server/dozo/internal/cursor"
	"github.com/dozo-server/dozo/internal/hexdump"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/internal/smbclient"
)

// pair is two sessions, each on a connection of its own, which get into each
// other's way.
type pair struct {
	s          *soak
	one, other *smbclient.Tree
	breaks     chan smbwire.OplockLevel // told to one
}

func (s *soak) pair() (*pair, error) {
	p := &pair{s: s, breaks: make(chan smbwire.OplockLevel, 1)}
	var err error
	options := smbclient.Options{OnBreak: func(_ smbwire.FileID, to smbwire.OplockLevel) { p.breaks <- to }}
	if p.one, err = s.join(s.t.Context(), s.share, options); err != nil {
		return nil, err
	}
	if p.other, err = s.join(s.t.Context(), s.share, smbclient.Options{Encrypt: true}); err != nil {
		p.one.Session().Conn().Close()
		return nil, err
	}
	return p, nil
}

func (p *pair) leave() {
	p.one.Session().Conn().Close()
	p.other.Session().Conn().Close()
}

// start sends a request about a tree, which has to wait.
func (p *pair) start(tree *smbclient.Tree, command smbwire.Command, body smbclient.Encoder) (*smbclient.Call, error) {
	calls, err := tree.Session().Conn().Start(p.s.t.Context(), &smbclient.Request{Command: command, Tree: tree, Body: body})
	if err != nil {
		return nil, err
	}
	select {
	case <-calls[0].Interim():
		return calls[0], nil
	case <-calls[0].Done():
		r, err := calls[0].Wait(p.s.t.Context())
		if err == nil {
			err = fmt.Errorf("%v did not wait: %v", command, r.Header.Status)
			r.Free()
		}
		return nil, err
	}
}

// end waits for what start began.
func (p *pair) end(k *smbclient.Call, m smbclient.Decoder) error {
	r, err := k.Wait(p.s.t.Context())
	if err != nil {
		return err
	}
	defer r.Free()
	if err := r.Err(); err != nil {
		return err
	}
	return r.Decode(m)
}

// ranges is a pair of which one has bytes locked that the other waits for.
func (s *soak) ranges(client int) (once func(int) error, leave func(), err error) {
	p, err := s.pair()
	if err != nil {
		return nil, nil, err
	}
	lock := smbwire.LockElement{Offset: 5, Length: 10, Flags: smbwire.LockExclusive}
	unlock := smbwire.LockElement{Offset: 5, Length: 10, Flags: smbwire.LockUnlock}
	return func(int) error {
		ctx, name := s.t.Context(), fmt.Sprintf("book %d", client)
		f, err := p.one.Create(ctx, smbclient.Making(name))
		if err != nil {
			return err
		}
		g, err := p.other.Open(ctx, name, smbwire.GenericRead|smbwire.GenericWrite|smbwire.Delete)
		if err != nil {
			return err
		}
		if err := f.Lock(ctx, lock); err != nil {
			return err
		}
		waiting, err := p.start(p.other, smbwire.Lock, g.LockRequest(lock))
		if err != nil {
			return err
		}
		return errors.Join(f.Lock(ctx, unlock), p.end(waiting, &smbwire.LockResponse{}), f.Close(ctx), g.Close(ctx), p.one.Remove(ctx, name))
	}, p.leave, nil
}

// oplocks is a pair of which one has an oplock that the other's open breaks.
func (s *soak) oplocks(client int) (once func(int) error, leave func(), err error) {
	p, err := s.pair()
	if err != nil {
		return nil, nil, err
	}
	return func(round int) error {
		ctx, name := s.t.Context(), fmt.Sprintf("Letter %d", client)
		making := smbclient.Making(name)
		making.OplockLevel = smbwire.OplockBatch
		f, err := p.one.Create(ctx, making)
		if err != nil {
			return err
		}
		waiting, err := p.start(p.other, smbwire.Create, smbclient.Existing(fmt.Sprintf("LETTER %d", client), smbwire.GenericRead))
		if err != nil {
			return err
		}
		to := <-p.breaks
		if round%2 == 0 {
			err = f.AcknowledgeBreak(ctx, to)
		} else {
			err = f.Close(ctx)
		}
		var opened smbwire.CreateResponse
		if err := errors.Join(err, p.end(waiting, &opened)); err != nil {
			return err
		}
		if round%2 == 0 {
			err = f.Close(ctx)
		}
		return errors.Join(err, p.other.FileOf(opened.FileID).Close(ctx), p.one.Remove(ctx, name))
	}, p.leave, nil
}

// notices is a pair of which one watches a folder that the other uses.
func (s *soak) notices(client int) (once func(int) error, leave func(), err error) {
	p, err := s.pair()
	if err != nil {
		return nil, nil, err
	}
	return func(round int) error {
		ctx, folder := s.t.Context(), fmt.Sprintf("watched %d", client)
		f, err := p.one.Create(ctx, smbclient.MakingFolder(folder))
		if err != nil {
			return err
		}
		const names = 0x3 // FILE_NOTIFY_CHANGE_FILE_NAME and _DIR_NAME
		watch := &smbwire.ChangeNotifyRequest{FileID: f.ID(), OutputBufferLength: 4096, CompletionFilter: names, Flags: smbwire.NotifyWatchTree}
		waiting, err := p.start(p.one, smbwire.ChangeNotify, watch)
		if err != nil {
			return err
		}
		var told smbwire.ChangeNotifyResponse
		if err := errors.Join(p.other.WriteFile(ctx, folder+`\new`, []byte("x")), p.end(waiting, &told)); err != nil {
			return err
		}
		var changes smbwire.NotifyInformation
		changes.Decode(cursor.NewReader(told.Buffer))
		if len(changes.Changes) == 0 || changes.Changes[0].Name != "new" {
			return fmt.Errorf("told were %+v", changes)
		}
		return errors.Join(p.other.Rename(ctx, folder+`\NEW`, folder+`\old`, false), p.other.Remove(ctx, folder+`\Old`), f.Close(ctx), p.one.Remove(ctx, folder))
	}, p.leave, nil
}

// pipes asks the server for its services.
func (s *soak) pipes(int) (once func(int) error, leave func(), err error) {
	ipc, err := s.join(s.t.Context(), "IPC$", smbclient.Options{})
	if err != nil {
		return nil, nil, err
	}
	bind := hexdump.Must(`
		05 00 0b 03 10000000 4800 0000 01000000  # version 5.0, bind, first and last, little-endian, 72 bytes, call 1
		b810 b810 00000000                       # fragments of 4280 bytes, no group
		01 000000 0000 01 00                     # one context, 0, of one transfer syntax
		c84f324b7016d30112785a47bf6ee188 03000000
		045d888aeb1cc9119fe808002b104860 02000000
	`)
	return func(int) error {
		f, err := ipc.Open(s.t.Context(), "srvsvc", smbwire.GenericRead|smbwire.GenericWrite)
		if err != nil {
			return err
		}
		_, err = f.Ioctl(s.t.Context(), smbwire.FsctlPipeTransceive, bind, 4096)
		return errors.Join(err, f.Close(s.t.Context()))
	}, func() { ipc.Session().Conn().Close() }, nil
}

// guests uses the share that comes and goes, as long as it is there.
func (s *soak) guests(int) (once func(int) error, leave func(), err error) {
	return func(int) error {
		tree, err := s.join(s.t.Context(), "visitor", smbclient.Options{})
		if err == nil {
			defer tree.Session().Conn().Close()
		}
		for n := 0; err == nil && n < 100; n++ {
			err = tree.WriteFile(s.t.Context(), fmt.Sprint("file ", n%10), []byte("x"))
		}
		if errors.Is(err, smbwire.StatusBadNetworkName) || errors.Is(err, smbwire.StatusNetworkNameDeleted) || errors.Is(err, smbwire.StatusFileClosed) {
			err = nil
		}
		return err
	}, func() {}, nil
}

// visits logs in, looks and leaves.
func (s *soak) visits(int) (once func(int) error, leave func(), err error) {
	return func(int) error {
		share, leave, err := s.visit(s.t.Context(), s.user, s.password, s.share)
		if err != nil {
			return err
		}
		defer leave()
		_, err = share.ReadDir("")
		time.Sleep(20 * time.Millisecond)
		return err
	}, func() {}, nil
}

// strangers do not know the password.
func (s *soak) strangers(int) (once func(int) error, leave func(), err error) {
	return func(round int) error {
		time.Sleep(20 * time.Millisecond)
		_, leave, err := s.visit(s.t.Context(), fmt.Sprint("stranger ", round%100), "wrong", s.share)
		if err == nil {
			leave()
			return errors.New("a wrong password was taken")
		}
		return nil
	}, func() {}, nil
}

// breaks breaks off, in every way.
func (s *soak) breaks(int) (once func(int) error, leave func(), err error) {
	return func(round int) error {
		time.Sleep(5 * time.Millisecond)
		return s.breakOff(round)
	}, func() {}, nil
}
