package rpc

// maxLookup bounds the SIDs or names in one call. Clients ask for those of one
// file's rights at a time.
const maxLookup = 1024

// domains is the list of the domains that the results of a look-up refer to.
type domains []account

// index returns the place of a's domain in the list, -1 if a is unknown. The
// domain may have a SID and no name, as that of Everyone.
func (d *domains) index(a account) uint32 {
	if a.use == useUnknown {
		return 1<<32 - 1
	}
	s := a.sid
	if a.use != useDomain {
		s, _ = s.split()
	}
	for i := range *d {
		if (*d)[i].sid == s {
			return uint32(i)
		}
	}
	*d = append(*d, account{sid: s, domain: a.domain})
	return uint32(len(*d) - 1)
}

// encode writes an LSAPR_REFERENCED_DOMAIN_LIST ([MS-LSAT] 2.2.12) behind a
// pointer to it.
func (d domains) encode(e *encoder) {
	e.pointer(true)
	e.u32(uint32(len(d)))
	e.pointer(len(d) > 0)
	e.u32(uint32(len(d))) // how many there could be
	if len(d) == 0 {
		return
	}
	e.u32(uint32(len(d)))
	names := make([]counted, len(d))
	for i, a := range d {
		names[i] = newCounted(a.domain)
		names[i].head(e)
		e.pointer(true)
	}
	for i, a := range d {
		names[i].tail(e)
		a.sid.encode(e)
	}
}

// mapped returns the status of a look-up of n things of which some were found.
func mapped(found, n int) uint32 {
	switch {
	case found == n:
		return statusOK
	case found == 0:
		return statusNoneMapped
	}
	return statusSomeNotMapped
}

// lookupSIDs returns the method for LsarLookupSids (15), LsarLookupSids2 (57)
// and LsarLookupSids3 (76), [MS-LSAT] 3.1.4.9 to 3.1.4.11. They differ in
// having a handle and in a field of the results.
func lookupSIDs(operation uint16) method {
	return func(c *call) error {
		if operation != 76 {
			if _, err := c.handle(); err != nil {
				return err
			}
		}
		sids, err := readSIDs(c.in)
		if err != nil {
			return err
		}
		answerSIDs(c, sids, operation != 15)
		return nil
	}
}

// readSIDs reads an LSAPR_SID_ENUM_BUFFER ([MS-LSAT] 2.2.17).
func readSIDs(in *decoder) ([]sid, error) {
	n := in.u32()
	if !in.pointer() {
		n = 0
	} else if in.u32() != n || n > maxLookup {
		in.Failf("%d SIDs", n)
	}
	var sids []sid
	for range n {
		if !in.pointer() {
			in.Failf("SID missing")
		}
		if err := in.Err(); err != nil {
			return nil, err
		}
	}
	for range n {
		var s sid
		s.decode(in)
		if err := in.Err(); err != nil {
			return nil, err
		}
		sids = append(sids, s)
	}
	return sids, in.Err()
}

// answerSIDs writes the domains, a translated name for each SID, how many were
// found and the status. flags adds the field that LsarLookupSids lacks.
func answerSIDs(c *call, sids []sid, flags bool) {
	e, env := c.out, &c.pipe.env
	var list domains
	found := 0
	known := map[sid]account{} // a look-up may read a file of the machine
	names := make([]account, len(sids))
	places := make([]uint32, len(sids))
	for i, s := range sids {
		a, ok := known[s]
		if !ok {
			if a, ok = env.bySID(s); !ok {
				a = account{use: useUnknown, name: s.String()}
			}
			known[s] = a
		}
		if a.use != useUnknown {
			found++
		}
		names[i], places[i] = a, list.index(a)
	}

	list.encode(e)
	e.u32(uint32(len(names)))
	e.pointer(len(names) > 0)
	texts := make([]counted, len(names))
	if len(names) > 0 {
		e.u32(uint32(len(names)))
	}
	for i, a := range names {
		e.Align(4)
		e.u16(uint16(a.use))
		texts[i] = newCounted(a.name)
		texts[i].head(e)
		e.u32(places[i])
		if flags {
			e.u32(0)
		}
	}
	for _, t := range texts {
		t.tail(e)
	}
	e.u32(uint32(found))
	e.u32(mapped(found, len(sids)))
}

// lookupNames returns the method for LsarLookupNames (14), LsarLookupNames2
// (58), LsarLookupNames3 (68) and LsarLookupNames4 (77), [MS-LSAT] 3.1.4.5 to
// 3.1.4.8.
func lookupNames(operation uint16) method {
	return func(c *call) error {
		if operation != 77 {
			if _, err := c.handle(); err != nil {
				return err
			}
		}
		names, err := readNames(c.in)
		if err != nil {
			return err
		}
		answerNames(c, names, operation)
		return nil
	}
}

// readNames reads a count and an array of RPC_UNICODE_STRING.
func readNames(in *decoder) ([]string, error) { return readNamesOf(in, in.u32()) }

// readNamesOf reads an array of n RPC_UNICODE_STRING.
func readNamesOf(in *decoder, n uint32) ([]string, error) {
	if in.u32() != n || n > maxLookup {
		in.Failf("%d names", n)
		return nil, in.Err()
	}
	present := make([]bool, n)
	for i := range present {
		in.u32() // lengths, which the array behind has too
		present[i] = in.pointer()
	}
	names := make([]string, n)
	for i := range names {
		if present[i] {
			names[i] = in.text()
		}
	}
	return names, in.Err()
}

// answerNames writes the domains, a translated SID for each name in the form
// that the operation asks for, how many were found and the status.
func answerNames(c *call, names []string, operation uint16) {
	e, env := c.out, &c.pipe.env
	var list domains
	found := 0
	accounts := make([]account, len(names))
	places := make([]uint32, len(names))
	for i, name := range names {
		a, ok := env.byName(name)
		if ok {
			found++
		} else {
			a = account{use: useUnknown}
		}
		accounts[i], places[i] = a, list.index(a)
	}

	whole := operation >= 68 // SIDs as they are, else relative ids
	list.encode(e)
	e.u32(uint32(len(accounts)))
	e.pointer(len(accounts) > 0)
	if len(accounts) > 0 {
		e.u32(uint32(len(accounts)))
	}
	for i, a := range accounts {
		e.Align(4)
		e.u16(uint16(a.use))
		if whole {
			e.pointer(a.use != useUnknown)
		} else {
			e.u32(relativeTo(a))
		}
		e.u32(places[i])
		if operation != 14 {
			e.u32(0) // flags
		}
	}
	if whole {
		for _, a := range accounts {
			if a.use != useUnknown {
				a.sid.encode(e)
			}
		}
	}
	e.u32(uint32(found))
	e.u32(mapped(found, len(names)))
}

// relativeTo returns an account's relative id, all ones for a domain.
func relativeTo(a account) uint32 {
	if a.use == useDomain {
		return 1<<32 - 1
	}
	_, rid := a.sid.split()
	return rid
}
