package rpc

// dssetup tells what part the machine plays in a domain ([MS-DSSP]): none.
// Explorer asks before it shows the owner of a file.
var dssetup = iface{
	id:      syntax{parts(0x3919286a, 0xb10c, 0x11d0, [8]byte{0x9b, 0xa8, 0x00, 0xc0, 0x4f, 0xd9, 0x2e, 0xf5}), 0},
	methods: map[uint16]method{0: machineRole},
}

// machineRole is DsRolerGetPrimaryDomainInformation ([MS-DSSP] 3.2.5.1).
func machineRole(c *call) error {
	const (
		basic            = 1
		upgrade          = 2
		operation        = 3
		standaloneServer = 2
	)
	level := c.in.u16()
	if err := c.in.Err(); err != nil {
		return err
	}
	e := c.out
	known := basic <= level && level <= operation
	e.pointer(known)
	if !known {
		e.u32(winInvalidParameter)
		return nil
	}
	e.u16(level)
	e.Align(4)
	switch level {
	case basic:
		e.u16(standaloneServer)
		e.u32(0)         // flags
		e.pointer(true)  // workgroup
		e.pointer(false) // domain
		e.pointer(false) // forest
		e.Zero(16)       // GUID
		e.text(workgroup)
	case upgrade:
		e.u32(0) // no upgrade is under way
		e.u16(0) // nor was this once another server
	case operation:
		e.u16(0) // nothing is under way
	}
	e.u32(winOK)
	return nil
}
