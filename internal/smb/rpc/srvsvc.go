package rpc

import (
	"strings"
	"time"
)

// srvsvc tells about the server and its shares ([MS-SRVS]).
var srvsvc = iface{
	id: syntax{parts(0x4b324fc8, 0x1670, 0x01d3, [8]byte{0x12, 0x78, 0x5a, 0x47, 0xbf, 0x6e, 0xe1, 0x88}), 3},
	methods: map[uint16]method{
		8:  denied, // NetrConnectionEnum
		9:  denied, // NetrFileEnum
		10: denied, // NetrFileGetInfo
		11: denied, // NetrFileClose
		12: denied, // NetrSessionEnum
		13: denied, // NetrSessionDel
		14: denied, // NetrShareAdd
		15: shareEnum,
		16: shareGetInfo,
		17: denied, // NetrShareSetInfo
		18: denied, // NetrShareDel
		21: serverGetInfo,
		22: denied, // NetrServerSetInfo
		23: denied, // NetrServerDiskEnum
		28: remoteTOD,
		36: shareEnum, // NetrShareEnumSticky: all shares are
	},
}

// Windows' own errors ([MS-ERREF] 2.2), which are results and not faults.
const (
	winOK               = 0
	winAccessDenied     = 5
	winInvalidParameter = 87
	winInvalidLevel     = 124
	winNoShare          = 2310
)

// What there is to be said about this server: Windows NT 6.1, as NTLM says,
// and that it is a workstation and server.
const (
	platformNT   = 500
	versionMajor = 6
	versionMinor = 1
	serverType   = 0x00009003
)

// shareInfo is one of SHARE_INFO_0, 1, 2, 501 and 1005 ([MS-SRVS] 2.2.4).
type shareInfo struct {
	name, comment, path string
	kind                uint32
}

const (
	shareDisk = 0x00000000
	shareIPC  = 0x80000003 // with the bit for special shares
)

// shareLevels tells which forms of shareInfo are known.
var shareLevels = map[uint32]bool{0: true, 1: true, 2: true, 501: true, 1005: true}

// head writes the fixed part of the structure, tail the strings behind it.
func (s *shareInfo) head(e *encoder, level uint32) {
	if level == 1005 {
		e.u32(0) // flags: files may be cached by hand
		return
	}
	e.pointer(true) // name
	if level == 0 {
		return
	}
	e.u32(s.kind)
	e.pointer(true) // comment
	switch level {
	case 2:
		e.u32(0)          // permissions, of no meaning
		e.u32(0xffffffff) // users at once: no limit
		e.u32(0)          // users now: not told
		e.pointer(true)   // path
		e.pointer(false)  // password
	case 501:
		e.u32(0) // flags, as above
	}
}

func (s *shareInfo) tail(e *encoder, level uint32) {
	if level == 1005 {
		return
	}
	e.text(s.name)
	if level != 0 {
		e.text(s.comment)
	}
	if level == 2 {
		e.text(s.path)
	}
}

// shares lists what the client may see, with the share of the pipes.
func (c *call) shares() []shareInfo {
	var all []shareInfo
	for _, s := range c.pipe.env.Shares() {
		// A path of the machine is nobody's business; Windows wants one with
		// a drive.
		all = append(all, shareInfo{s.Name, s.Comment, `C:\` + s.Name, shareDisk})
	}
	return append(all, shareInfo{"IPC$", "IPC", "", shareIPC})
}

// shareEnum is NetrShareEnum ([MS-SRVS] 3.1.4.8). The client's wish for less at
// a time is not heard: a list of shares is short.
func shareEnum(c *call) error {
	c.in.optional() // the server's name, whatever the client thinks it is
	level := c.in.u32()
	c.in.u32()          // the tag of the union: level again
	if c.in.pointer() { // a container, for results only
		c.in.u32()
		if c.in.pointer() {
			c.in.Failf("list of shares among the arguments")
		}
	}
	c.in.u32() // how many bytes the client would like
	resumes, from := c.in.pointer(), uint32(0)
	if resumes {
		from = c.in.u32()
	}
	if err := c.in.Err(); err != nil {
		return err
	}

	e := c.out
	e.u32(level)
	e.u32(level)
	if level == 1005 || !shareLevels[level] {
		e.pointer(false)
		e.u32(0)
		e.pointer(false)
		e.u32(winInvalidLevel)
		return nil
	}
	all := c.shares()
	list := all[min(from, uint32(len(all))):]
	e.pointer(true)
	e.u32(uint32(len(list)))
	e.pointer(true)
	e.u32(uint32(len(list)))
	for i := range list {
		list[i].head(e, level)
	}
	for i := range list {
		list[i].tail(e, level)
	}
	e.u32(uint32(len(all)))
	e.pointer(resumes)
	if resumes {
		e.u32(0) // nothing is left
	}
	e.u32(winOK)
	return nil
}

// shareGetInfo is NetrShareGetInfo ([MS-SRVS] 3.1.4.10).
func shareGetInfo(c *call) error {
	c.in.optional()
	name := c.in.text()
	level := c.in.u32()
	if err := c.in.Err(); err != nil {
		return err
	}
	if !shareLevels[level] {
		return c.noInfo(level, winInvalidLevel)
	}
	for _, s := range c.shares() {
		if strings.EqualFold(s.name, name) {
			c.out.u32(level)
			c.out.pointer(true)
			s.head(c.out, level)
			s.tail(c.out, level)
			c.out.u32(winOK)
			return nil
		}
	}
	return c.noInfo(level, winNoShare)
}

// noInfo is the result of a call for information that ends with an error.
func (c *call) noInfo(level, status uint32) error {
	c.out.u32(level)
	c.out.pointer(false)
	c.out.u32(status)
	return nil
}

// serverGetInfo is NetrServerGetInfo ([MS-SRVS] 3.1.4.17).
func serverGetInfo(c *call) error {
	c.in.optional()
	level := c.in.u32()
	if err := c.in.Err(); err != nil {
		return err
	}
	switch level {
	case 100, 101:
	case 102, 103, 502, 503: // for administrators
		return c.noInfo(level, winAccessDenied)
	default:
		return c.noInfo(level, winInvalidLevel)
	}
	e, env := c.out, &c.pipe.env
	e.u32(level)
	e.pointer(true)
	e.u32(platformNT)
	e.pointer(true) // name
	if level == 101 {
		e.u32(versionMajor)
		e.u32(versionMinor)
		e.u32(serverType)
		e.pointer(true) // comment
	}
	e.text(env.Name)
	if level == 101 {
		e.text("")
	}
	e.u32(winOK)
	return nil
}

// remoteTOD is NetrRemoteTOD ([MS-SRVS] 3.1.4.21): the time of day.
func remoteTOD(c *call) error {
	c.in.optional()
	if err := c.in.Err(); err != nil {
		return err
	}
	now := time.Now()
	_, east := now.Zone()
	utc := now.UTC()
	c.out.pointer(true)
	for _, v := range []int{
		int(now.Unix()),
		int(now.UnixMilli()), // cut to 32 bits: a counter, not a time
		utc.Hour(), utc.Minute(), utc.Second(), utc.Nanosecond() / 1e7,
		-east / 60, // minutes west of Greenwich
		310,        // a clock's tick, in 0.1 ms
		utc.Day(), int(utc.Month()), utc.Year(), int(utc.Weekday()),
	} {
		c.out.u32(uint32(v))
	}
	c.out.u32(winOK)
	return nil
}
