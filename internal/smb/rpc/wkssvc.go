package rpc

// wkssvc tells about the machine as a workstation ([MS-WKST]).
var wkssvc = iface{
	id: syntax{parts(0x6bffd098, 0xa112, 0x3610, [8]byte{0x98, 0x33, 0x46, 0xc3, 0xf8, 0x7e, 0x34, 0x5a}), 1},
	methods: map[uint16]method{
		0: wkstaGetInfo,
		1: denied, // NetrWkstaSetInfo
		2: denied, // NetrWkstaUserEnum
		5: denied, // NetrWkstaTransportEnum
	},
}

// wkstaGetInfo is NetrWkstaGetInfo ([MS-WKST] 3.2.4.1).
func wkstaGetInfo(c *call) error {
	c.in.optional()
	level := c.in.u32()
	if err := c.in.Err(); err != nil {
		return err
	}
	switch level {
	case 100:
	case 101, 102, 502: // for users of the machine and administrators
		return c.noInfo(level, winAccessDenied)
	default:
		return c.noInfo(level, winInvalidLevel)
	}
	e, env := c.out, &c.pipe.env
	e.u32(level)
	e.pointer(true)
	e.u32(platformNT)
	e.pointer(true) // computer
	e.pointer(true) // workgroup
	e.u32(versionMajor)
	e.u32(versionMinor)
	e.text(env.Name)
	e.text(workgroup)
	e.u32(winOK)
	return nil
}
