// Package tests runs the program against real peers: smbclient, rpcclient,
// smbtorture, impacket, go-smb2, the Linux kernel's own client in a virtual
// machine, and avahi, wsdd and tshark in networks of their own. A test whose
// peer is missing skips and says so; with DOZO_PEERS=required it fails
// instead. With DOZO_AGAINST=samba the tests of clients run against a Samba of
// their own, which shows that they ask for nothing that only this program does.
package tests
