package rpc

// lsarpc tells what the machine is called ([MS-LSAD]) and who SIDs and names
// stand for ([MS-LSAT]).
var lsarpc = iface{
	id: syntax{parts(0x12345778, 0x1234, 0xabcd, [8]byte{0xef, 0x00, 0x01, 0x23, 0x45, 0x67, 0x89, 0xab}), 0},
	methods: map[uint16]method{
		0:  closeHandle,
		6:  openHandle, // LsarOpenPolicy
		7:  queryPolicy,
		11: denied, // LsarEnumerateAccounts
		14: lookupNames(14),
		15: lookupSIDs(15),
		44: openHandle, // LsarOpenPolicy2
		45: getUserName,
		46: queryPolicy, // LsarQueryInformationPolicy2
		57: lookupSIDs(57),
		58: lookupNames(58),
		68: lookupNames(68),
		76: lookupSIDs(76),
		77: lookupNames(77),
	},
}

// Statuses that are results ([MS-ERREF] 2.3).
const (
	statusOK               = 0x00000000
	statusSomeNotMapped    = 0x00000107
	statusInvalidParameter = 0xC000000D
	statusNoneMapped       = 0xC0000073
)

// The classes of information that are known ([MS-LSAD] 2.2.4.1).
const (
	policyPrimaryDomain = 3
	policyAccountDomain = 5
	policyDNSDomain     = 12
)

// queryPolicy is LsarQueryInformationPolicy and LsarQueryInformationPolicy2
// ([MS-LSAD] 3.1.4.4.4).
func queryPolicy(c *call) error {
	if _, err := c.handle(); err != nil {
		return err
	}
	class := c.in.u16()
	if err := c.in.Err(); err != nil {
		return err
	}
	e, env := c.out, &c.pipe.env
	write := map[uint16]func(){
		policyPrimaryDomain: func() { // a workgroup, which has no SID
			name := newCounted(workgroup)
			name.head(e)
			e.pointer(false)
			name.tail(e)
		},
		policyAccountDomain: func() {
			name := newCounted(env.Name)
			name.head(e)
			e.pointer(true)
			name.tail(e)
			env.machine().encode(e)
		},
		policyDNSDomain: func() { // the same workgroup, without a DNS name or a forest
			name, none := newCounted(workgroup), newCounted("")
			name.head(e)
			none.head(e)
			none.head(e)
			e.Zero(16) // GUID
			e.pointer(false)
			name.tail(e)
			none.tail(e)
			none.tail(e)
		},
	}[class]
	e.pointer(write != nil)
	if write == nil {
		e.u32(statusInvalidParameter)
		return nil
	}
	e.u16(class)
	e.Align(4)
	write()
	e.u32(statusOK)
	return nil
}

// getUserName is LsarGetUserName ([MS-LSAT] 3.1.4.4): who is calling.
func getUserName(c *call) error {
	c.in.optional() // the server's name
	c.skipCounted()
	wantsDomain := c.in.pointer()
	if err := c.in.Err(); err != nil {
		return err
	}
	env := &c.pipe.env
	name, domain := env.User, env.Name
	if name == "" {
		name, domain = "ANONYMOUS LOGON", "NT AUTHORITY"
	}
	c.out.pointer(true)
	c.counted(name)
	c.out.pointer(wantsDomain)
	if wantsDomain {
		c.out.pointer(true)
		c.counted(domain)
	}
	c.out.u32(statusOK)
	return nil
}

// counted writes what a pointer to an RPC_UNICODE_STRING points to.
func (c *call) counted(s string) {
	u := newCounted(s)
	u.head(c.out)
	u.tail(c.out)
}

// skipCounted reads a unique pointer to an RPC_UNICODE_STRING.
func (c *call) skipCounted() {
	if c.in.pointer() {
		c.countedText()
	}
}

// countedText reads an RPC_UNICODE_STRING, "" where there is none.
func (c *call) countedText() string {
	c.in.u32() // lengths, which the array behind has too
	return c.in.optional()
}
