package afpwire

import (
	"net/netip"

	"github.com/dozo-server/dozo/internal/cursor"
)

// ServerFlags say what a server can do ("Server Flags Bitmap").
type ServerFlags uint16

// The server flags.
const (
	ServerCopyFile    ServerFlags = 0x0001
	ServerChgPwd      ServerFlags = 0x0002
	ServerDontSavePwd ServerFlags = 0x0004
	ServerMessages    ServerFlags = 0x0008
	ServerSignature   ServerFlags = 0x0010
	ServerTCP         ServerFlags = 0x0020
	ServerNotify      ServerFlags = 0x0040
	ServerReconnect   ServerFlags = 0x0080 // the Recon1 login method
	ServerDirServices ServerFlags = 0x0100
	ServerUTF8Name    ServerFlags = 0x0200
	ServerUUIDs       ServerFlags = 0x0400
	ServerExtSleep    ServerFlags = 0x0800
	ServerSuperClient ServerFlags = 0x8000 // takes several requests at a time
)

// iconSize is the length of a server's icon and its mask.
const iconSize = 256

// The versions that clients and servers agree on ("AFP Version Strings").
const (
	Version21 = "AFPVersion 2.1"
	Version22 = "AFP2.2"
	Version23 = "AFP2.3"
	Version30 = "AFPX03"
	Version31 = "AFP3.1"
	Version32 = "AFP3.2"
	Version33 = "AFP3.3"
	Version34 = "AFP3.4"
)

// Login methods ("AFP UAM Strings").
const (
	UAMGuest     = "No User Authent"
	UAMCleartext = "Cleartxt Passwrd"
	UAMDHCAST128 = "DHCAST128"
	UAMDHX2      = "DHX2"
	UAMSRP       = "SRP"
	UAMKerberos  = "Client Krb v2"
	UAMReconnect = "Recon1"
)

// ServerInfo tells who a server is, before anyone logs in. It is the reply to
// GetSrvrInfo and to DSIGetStatus.
type ServerInfo struct {
	Flags          ServerFlags
	Name           string   // MacRoman, at most 31 bytes
	Machine        string   // MacRoman, at most 16 bytes
	Versions       []string // that it speaks
	UAMs           []string // the login methods it offers
	Icon           []byte   // 256 bytes of icon and mask, or nil
	Signature      [16]byte // the same as long as it is the same server; zero without ServerSignature
	Addresses      []NetworkAddress
	DirectoryNames []string // the Kerberos principal
	UTF8Name       string   // decomposed
}

// Decode reads the block. Its parts may stand in any order. Older servers have
// fewer offsets behind the name, so that those end where the first part begins.
func (m *ServerInfo) Decode(r *cursor.Reader) {
	*m = ServerInfo{
		Versions:       m.Versions[:0],
		UAMs:           m.UAMs[:0],
		Addresses:      m.Addresses[:0],
		DirectoryNames: m.DirectoryNames[:0],
	}
	machine, versions, uams, icon := r.BE16(), r.BE16(), r.BE16(), r.BE16()
	m.Flags = ServerFlags(r.BE16())
	m.Name = readPascal(r)
	r.Align(2)
	end := r.Pos() + r.Len()
	for _, off := range []uint16{machine, versions, uams, icon} {
		if off != 0 {
			end = min(end, int(off))
		}
	}
	more := func() (off uint16) {
		if r.Err() == nil && r.Pos()+2 <= end {
			off = r.BE16()
			if off != 0 {
				end = min(end, int(off))
			}
		}
		return off
	}
	signature, addresses, directories, utf8 := more(), more(), more(), more()

	at := func(off uint16, part func()) {
		if off != 0 && r.Err() == nil {
			r.Seek(int(off))
			part()
		}
	}
	at(machine, func() { m.Machine = readPascal(r) })
	at(versions, func() { m.Versions = readPascals(r, m.Versions) })
	at(uams, func() { m.UAMs = readPascals(r, m.UAMs) })
	at(icon, func() { m.Icon = r.Bytes(iconSize) })
	if m.Flags&ServerSignature != 0 {
		at(signature, func() { r.Copy(m.Signature[:]) })
	}
	at(addresses, func() { m.Addresses = readAddresses(r, m.Addresses) })
	at(directories, func() { m.DirectoryNames = readPascals(r, m.DirectoryNames) })
	if m.Flags&ServerUTF8Name != 0 {
		at(utf8, func() { m.UTF8Name = readUTF8(r) })
	}
}

// Encode writes the block.
func (m *ServerInfo) Encode(w *cursor.Writer) {
	const machine, versions, uams, icon = 0, 2, 4, 6
	w.Zero(icon + 2)
	w.BE16(uint16(m.Flags))
	writePascal(w, m.Name)
	w.Align(2)
	signature, addresses := nameOffset(w), nameOffset(w)
	directories, utf8 := nameOffset(w), nameOffset(w)

	here := func(off int) { w.PutBE16(off, uint16(w.Len())) }
	here(machine)
	writePascal(w, m.Machine)
	here(versions)
	writePascals(w, m.Versions)
	here(uams)
	writePascals(w, m.UAMs)
	if len(m.Icon) == iconSize {
		here(icon)
		w.Bytes(m.Icon)
	}
	if m.Flags&ServerSignature != 0 {
		here(signature)
		w.Bytes(m.Signature[:])
	}
	here(addresses)
	writeAddresses(w, m.Addresses)
	here(directories)
	writePascals(w, m.DirectoryNames)
	if m.Flags&ServerUTF8Name != 0 {
		here(utf8)
		writeUTF8(w, m.UTF8Name)
	}
}

// AddressType says what a NetworkAddress is.
type AddressType uint8

// The types of addresses.
const (
	AddressIPv4     AddressType = 1
	AddressIPv4Port AddressType = 2
	AddressDDP      AddressType = 3
	AddressDNS      AddressType = 4
	AddressSSH      AddressType = 5 // the server's name, for a tunnel
	AddressIPv6     AddressType = 6
	AddressIPv6Port AddressType = 7
)

// NetworkAddress is where a server can be reached.
type NetworkAddress struct {
	Type AddressType
	Data []byte // at most 253 bytes
}

// NetworkAddressOf returns the address of a, without the port if that is Port.
func NetworkAddressOf(a netip.AddrPort) NetworkAddress {
	ip := a.Addr().Unmap().WithZone("")
	plain, withPort := AddressIPv4, AddressIPv4Port
	if ip.Is6() {
		plain, withPort = AddressIPv6, AddressIPv6Port
	}
	if a.Port() == Port {
		return NetworkAddress{plain, ip.AsSlice()}
	}
	return NetworkAddress{withPort, append(ip.AsSlice(), byte(a.Port()>>8), byte(a.Port()))}
}

// addressHead is what the length of an address counts before the data: itself
// and the type.
const addressHead = 2

func readAddresses(r *cursor.Reader, list []NetworkAddress) []NetworkAddress {
	list = list[:0]
	for range r.U8() {
		size, kind := r.U8(), AddressType(r.U8())
		if size < addressHead && r.Err() == nil {
			r.Failf("network address of %d bytes", size)
		}
		data := r.Bytes(int(size) - addressHead)
		if r.Err() != nil {
			break
		}
		list = append(list, NetworkAddress{kind, data})
	}
	return list
}

func writeAddresses(w *cursor.Writer, list []NetworkAddress) {
	list = list[:min(len(list), 255)]
	w.U8(uint8(len(list)))
	for _, a := range list {
		data := a.Data[:min(len(a.Data), 255-addressHead)]
		w.U8(uint8(len(data) + addressHead))
		w.U8(uint8(a.Type))
		w.Bytes(data)
	}
}
