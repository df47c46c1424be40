package rpc

import (
	"crypto/rand"
	"slices"
)

// maxHandles bounds what a client has open on one pipe.
const maxHandles = 64

// openHandle is the method of calls that open something: a policy of lsarpc, or
// the server, its domain or a user of samr. What the client asks for in them is
// of no matter: nothing hangs on a handle but that a client has to have one.
func openHandle(c *call) error {
	if err := c.newHandle(); err != nil {
		return err
	}
	c.out.u32(statusOK)
	return nil
}

// newHandle opens a handle and writes it.
func (c *call) newHandle() error {
	p := c.pipe
	if len(p.handles) == maxHandles {
		return faultNoMemory
	}
	var h uuid
	rand.Read(h[:])
	p.handles = append(p.handles, h)
	c.out.u32(0)
	c.out.Bytes(h[:])
	return nil
}

// noHandle writes the handle of nothing.
func (c *call) noHandle() {
	c.out.u32(0)
	c.out.Zero(len(uuid{}))
}

// handle reads a handle, which must be open.
func (c *call) handle() (uuid, error) {
	var h uuid
	c.in.u32()
	c.in.Copy(h[:])
	if !slices.Contains(c.pipe.handles, h) {
		return h, faultContext
	}
	return h, c.in.Err()
}

// closeHandle is LsarClose ([MS-LSAD] 3.1.4.9.4) and SamrCloseHandle ([MS-SAMR]
// 3.1.5.13.1).
func closeHandle(c *call) error {
	h, err := c.handle()
	if err != nil {
		return err
	}
	i := slices.Index(c.pipe.handles, h)
	c.pipe.handles = slices.Delete(c.pipe.handles, i, i+1)
	c.noHandle()
	c.out.u32(statusOK)
	return nil
}
