package tests

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/dozo-server/dozo/internal/hexdump"
)

// machine is a network namespace that plays a host, with a name of its own.
type machine struct {
	t    *testing.T
	ns   string
	name string // of the host
	addr string
	bus  string // its D-Bus, "" for none
}

var networks atomic.Int32 // that were made

// twoMachines are joined by a cable, the interface "wire" in each.
func twoMachines(t *testing.T, first, second string) (a, b *machine) {
	t.Helper()
	need(t, "ip", "unshare", "hostname")
	needRoot(t)
	t.Parallel() // such a test mostly waits
	ns := fmt.Sprintf("dozo-%d-%d-", os.Getpid(), networks.Add(1))
	a = &machine{t: t, ns: ns + "a", name: first, addr: "10.77.0.1"}
	b = &machine{t: t, ns: ns + "b", name: second, addr: "10.77.0.2"}
	for _, m := range []*machine{a, b} {
		mustRun(t, "ip", "netns", "add", m.ns)
		t.Cleanup(func() { exec.Command("ip", "netns", "del", m.ns).Run() })
		// Addresses are good at once.
		mustRun(t, "ip", "netns", "exec", m.ns, "sh", "-c", "echo 0 >/proc/sys/net/ipv6/conf/default/accept_dad")
	}
	mustRun(t, "ip", "link", "add", "wire", "netns", a.ns, "type", "veth", "peer", "name", "wire", "netns", b.ns)
	for _, m := range []*machine{a, b} {
		mustRun(t, "ip", "-n", m.ns, "addr", "add", m.addr+"/24", "broadcast", "10.77.0.255", "dev", "wire")
		mustRun(t, "ip", "-n", m.ns, "link", "set", "lo", "up")
		mustRun(t, "ip", "-n", m.ns, "link", "set", "wire", "up")
	}
	return a, b
}

func mustRun(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := run(t, name, args...)
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return out
}

// command is one to run on the machine.
func (m *machine) command(name string, args ...string) *exec.Cmd {
	bus := m.bus
	if bus == "" {
		bus = "/nonexistent"
	}
	// /run is its own, too, where daemons leave who they are.
	const script = `mount -t tmpfs run /run && mkdir -p /run/dbus /run/avahi-daemon && hostname "$0" && exec "$@"`
	cmd := exec.Command("ip", append([]string{"netns", "exec", m.ns, "unshare", "--uts", "--mount", "sh", "-c", script, m.name, name}, args...)...)
	cmd.Env = append(os.Environ(), "DBUS_SYSTEM_BUS_ADDRESS=unix:path="+bus)
	return cmd
}

// run runs a program there to its end.
func (m *machine) run(name string, args ...string) string {
	m.t.Helper()
	out, err := m.command(name, args...).CombinedOutput()
	if err != nil {
		m.t.Fatalf("%s on %s: %v\n%s", name, m.name, err, out)
	}
	return string(out)
}

// daemon is a program that runs on a machine until the end of the test.
type daemon struct {
	*exec.Cmd
	t     *testing.T
	name  string
	lines chan string
	said  []string
}

func (m *machine) start(name string, args ...string) *daemon {
	m.t.Helper()
	d := &daemon{Cmd: m.command(name, args...), t: m.t, name: name, lines: make(chan string, 10000)}
	pipe, err := d.StdoutPipe()
	if err != nil {
		m.t.Fatal(err)
	}
	d.Stderr = d.Stdout
	if err := d.Start(); err != nil {
		m.t.Fatal(err)
	}
	go func() {
		defer close(d.lines)
		for scan := bufio.NewScanner(pipe); scan.Scan(); {
			d.lines <- scan.Text()
		}
	}()
	m.t.Cleanup(d.stop)
	return d
}

func (d *daemon) stop() {
	if d.ProcessState == nil {
		d.Process.Signal(syscall.SIGTERM)
		kill := time.AfterFunc(10*time.Second, func() { d.Process.Kill() })
		defer kill.Stop()
		d.Wait()
	}
}

// hear waits for a line with all these words.
func (d *daemon) hear(words ...string) string {
	d.t.Helper()
	limit := time.After(20 * time.Second)
	for {
		select {
		case line, ok := <-d.lines:
			if !ok {
				d.t.Fatalf("%s ended before it said %q:\n%s", d.name, words, strings.Join(d.said, "\n"))
			}
			d.said = append(d.said, line)
			if hasAll(line, words) {
				return line
			}
		case <-limit:
			d.t.Fatalf("%s did not say %q:\n%s", d.name, words, strings.Join(d.said, "\n"))
		}
	}
}

func hasAll(line string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(line, w) {
			return false
		}
	}
	return true
}

// startBus gives the machine a D-Bus, and startAvahi an avahi on it.
func (m *machine) startBus() {
	m.t.Helper()
	need(m.t, "dbus-daemon")
	m.bus = filepath.Join(m.t.TempDir(), "bus")
	m.start("dbus-daemon", "--system", "--nofork", "--nopidfile", "--print-address=1", "--address=unix:path="+m.bus).hear("unix:path")
}

func (m *machine) startAvahi() *daemon {
	m.t.Helper()
	need(m.t, "avahi-daemon", "avahi-browse")
	if m.bus == "" {
		m.startBus()
	}
	conf := filepath.Join(m.t.TempDir(), "avahi.conf")
	if err := os.WriteFile(conf, []byte("[server]\nuse-ipv4=yes\nuse-ipv6=yes\n[publish]\npublish-workstation=no\n"), 0o644); err != nil {
		m.t.Fatal(err)
	}
	d := m.start("avahi-daemon", "--no-drop-root", "--no-chroot", "--no-rlimits", "-f", conf)
	d.hear("Server startup complete")
	return d
}

// browse follows what an avahi on the machine sees of servers.
func (m *machine) browse() *daemon { return m.start("avahi-browse", "-rp", "_smb._tcp") }

// serve starts a dozo on the machine, which listens at all addresses. It has
// no D-Bus unless the machine has one.
func (m *machine) serve(args ...string) *server {
	m.t.Helper()
	s := &server{t: m.t, share: "share", dir: sharedDir(m.t), state: filepath.Join(m.t.TempDir(), "state"), user: "tester", password: "Secret77"}
	args = append([]string{"serve", "share=" + s.dir, "--config", os.DevNull, "--state", s.state, "--user", s.user}, args...)
	s.start(m.command(dozo(m.t), args...), "dozo: ready")
	return s
}

// found is how a server says that it is found; nil when it is not.
type found struct {
	Name, Host string
	Settled    bool
	By, On     []string
}

func (s *server) found() *found {
	s.t.Helper()
	out, err := exec.Command(dozo(s.t), "status", "--json", "--state", s.state).Output()
	if err != nil {
		s.t.Fatalf("dozo status: %v", err)
	}
	var snap struct{ Discovery *found }
	if err := json.Unmarshal(out, &snap); err != nil {
		s.t.Fatal(err)
	}
	return snap.Discovery
}

// settled waits until the names of the server are its own, and by is in By.
func (s *server) settled(by string) *found {
	s.t.Helper()
	for limit := time.Now().Add(20 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		f := s.found()
		if f != nil && f.Settled && strings.Contains(strings.Join(f.By, " "), by) {
			return f
		}
		if time.Now().After(limit) {
			s.t.Fatalf("after 20 s the server is found as %+v", f)
		}
	}
}

// capture records what is said on the wire of a machine. Its end checks that a
// dissector of others finds no fault with it, and returns these fields of each
// packet, a line each.
func (m *machine) capture() func(fields ...string) string {
	m.t.Helper()
	need(m.t, "tshark")
	file := filepath.Join(sharedDir(m.t), "wire.pcap")
	d := m.start("tshark", "-i", "wire", "-w", file, "-P", "-l", "-f", "udp port 5353 or udp port 5355 or port 3702 or udp port 40999")
	d.hear("Capturing on")
	return func(fields ...string) string {
		m.t.Helper()
		// The last packet is known: what came before it is in the file.
		m.tell("10.77.0.255:40999", []byte("end"))
		d.hear("10.77.0.255", "40999")
		d.Process.Signal(syscall.SIGINT)
		d.Wait()
		// To tshark WS-Discovery is XML.
		read := []string{"-r", file, "--enable-heuristic", "xml_udp"}
		if bad := mustRun(m.t, "tshark", append(read, "-Y", "_ws.malformed or _ws.expert.severity == error")...); !clean(bad) {
			m.t.Errorf("tshark finds fault with\n%s", bad)
		}
		read = append(read, "-T", "fields", "-E", "separator=;")
		for _, f := range fields {
			read = append(read, "-e", f)
		}
		return mustRun(m.t, "tshark", read...)
	}
}

// clean says whether tshark's output is nothing but its word about root.
func clean(out string) bool {
	for line := range strings.Lines(out) {
		if strings.TrimSpace(line) != "" && !strings.Contains(line, "Running as user") {
			return false
		}
	}
	return true
}

// TestFound: avahi sees a server come, with its addresses as they change, and
// go; tshark reads what was said.
func TestFound(t *testing.T) {
	a, b := twoMachines(t, "nas", "peer")
	b.startAvahi()
	captured := b.capture()
	browse := b.browse()
	s := a.serve("--smb", "4450")
	browse.hear("=;wire;IPv4;nas;", ";nas.local;10.77.0.1;4450;")
	if f := s.settled("mDNS"); f.Name != "nas" || f.Host != "nas" || fmt.Sprint(f.By, f.On) != "[mDNS] [wire]" {
		t.Errorf("found as %+v", f)
	}
	if out := b.run("avahi-browse", "-rtp", "_device-info._tcp"); !strings.Contains(out, `"model=RackMac"`) {
		t.Errorf("device info: %s", out)
	}
	mustRun(t, "ip", "-n", a.ns, "addr", "add", "fd00:77::1/64", "dev", "wire")
	for limit := time.Now().Add(20 * time.Second); ; {
		out, _ := b.command("avahi-resolve", "-6", "-n", "nas.local").CombinedOutput()
		if strings.Contains(string(out), "fd00:77::1") {
			break
		}
		if time.Now().After(limit) {
			t.Fatalf("a new address is not found: %s", out)
		}
	}

	// A cable that is pulled, and put in again.
	mustRun(t, "ip", "-n", a.ns, "link", "set", "wire", "down")
	for limit := time.Now().Add(10 * time.Second); len(s.found().On) > 0; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatal("an interface that is down is not left")
		}
	}
	mustRun(t, "ip", "-n", a.ns, "link", "set", "wire", "up")
	s.settled("mDNS")

	browse = b.browse()
	browse.hear("=;wire;IPv4;nas;", ";nas.local;10.77.0.1;4450;")
	if err := s.stop(); err != nil {
		t.Error(err)
	}
	browse.hear("-;wire;IPv4;nas;")
	said := captured("ip.src", "udp.dstport", "dns.resp.ttl", "dns.srv.port")
	if !strings.Contains(said, "10.77.0.1;5353;0,0,0,0,0,0,0,0,0;4450,0") {
		t.Errorf("there was no goodbye:\n%s", said)
	}
	if strings.Contains(said, ";3702;") || strings.Contains(said, ";5355;") {
		t.Errorf("Windows was told of a server that is not on port 445:\n%s", said)
	}
}

// TestTwoWithOneName: one of two servers that start at once has the name, the
// other the next one; both are found.
func TestTwoWithOneName(t *testing.T) {
	a, b := twoMachines(t, "NAS", "NAS")
	one, other := a.serve("--smb", "4450"), b.serve("--smb", "4451")
	names := map[string]string{}
	for s, addr := range map[*server]string{one: a.addr, other: b.addr} {
		f := s.settled("mDNS")
		names[f.Name+" "+f.Host] = addr
	}
	first, second := names["NAS nas"], names["NAS (2) nas-2"]
	if first == "" || second == "" {
		t.Fatalf("found as %v", names)
	}
	if said := one.log.String() + other.log.String(); strings.Count(said, "another server on the network has the name") != 1 {
		t.Errorf("one has another name, and in the logs is\n%s", said)
	}
	b.name = "peer"
	b.startAvahi()
	out := b.run("avahi-browse", "-rtp", "_smb._tcp")
	for _, want := range []string{`=;wire;IPv4;NAS;Microsoft Windows Network;local;nas.local;` + first, `;nas-2.local;` + second} {
		if !strings.Contains(out, want) {
			t.Errorf("avahi does not see %q:\n%s", want, out)
		}
	}
}

// TestThroughAvahi: while avahi runs it has the port alone, and publishes the
// server; when it is gone for good, the server speaks itself.
func TestThroughAvahi(t *testing.T) {
	a, b := twoMachines(t, "nas", "peer")
	avahi := a.startAvahi()
	b.startAvahi()
	browse := b.browse()
	s := a.serve("--smb", "4450")
	if f := s.settled("avahi"); f.Name != "nas" || f.Host != "nas" {
		t.Errorf("found as %+v", f)
	}
	browse.hear("=;wire;IPv4;nas;", ";nas.local;10.77.0.1;4450;")
	if open := a.sockets("5353"); strings.Contains(open, "dozo") || !strings.Contains(open, "avahi") {
		t.Errorf("port 5353 is had by\n%s", open)
	}

	avahi.stop()
	browse.hear("-;wire;IPv4;nas;")
	avahi = a.startAvahi()
	browse.hear("=;wire;IPv4;nas;", ";nas.local;10.77.0.1;4450;")
	s.settled("avahi")

	// Another server with the name, while avahi does not run: it is avahi that
	// gives way.
	avahi.stop()
	browse.hear("-;wire;IPv4;nas;")
	rival := &machine{t: t, ns: b.ns, name: "nas", addr: b.addr}
	r := rival.serve("--smb", "4451")
	if f := r.settled("mDNS"); f.Name != "nas" {
		t.Errorf("the other server is found as %+v", f)
	}
	avahi = a.startAvahi()
	browse.hear("=;wire;IPv4;nas\\032\\0352;", "10.77.0.1;4450;")
	if f := s.settled("avahi"); f.Name != "nas #2" {
		t.Errorf("found as %+v", f)
	}

	avahi.stop()
	r.stop()
	if f := s.settled("mDNS"); f.Name != "nas" {
		t.Errorf("found as %+v", f)
	}
	browse.hear("=;wire;IPv4;nas;", ";nas.local;10.77.0.1;4450;")
}

// sockets are those of a port on the machine, with their programs.
func (m *machine) sockets(port string) string {
	m.t.Helper()
	need(m.t, "ss")
	return m.run("ss", "-Hulpn", "sport = :"+port)
}

// TestExplorer: what Windows asks is answered when SMB is on its own port.
func TestExplorer(t *testing.T) {
	need(t, "wsdd")
	a, b := twoMachines(t, "nas", "peer")
	captured := b.capture()
	s := a.serve("--smb", "445")
	if f := s.settled("mDNS"); fmt.Sprint(f.By) != "[mDNS WS-Discovery LLMNR]" {
		t.Errorf("found by %v", f.By)
	}
	// wsdd asks for computers, and then the server what it is.
	b.start("wsdd", "--discovery", "--no-host", "-v", "-i", "wire", "-4").hear("discovered NAS in Workgroup:WORKGROUP on 10.77.0.1%wire")

	// A question by LLMNR for the address of NAS (RFC 4795).
	question := hexdump.Bytes(t, `
		0007 0000 0001 0000 0000 0000  # id, flags, one question
		03 4e4153 00 0001 0001         # NAS, A, IN
	`)
	answer := b.ask("224.0.0.252:5355", question)
	if len(answer) < 20 || !bytes.Equal(answer[:2], question[:2]) || !bytes.HasSuffix(answer, net.ParseIP(a.addr).To4()) {
		t.Errorf("LLMNR answered %x", answer)
	}
	if err := s.stop(); err != nil {
		t.Error(err)
	}
	said := captured("ip.src", "udp.srcport", "dns.a", "xml.cdata")
	for _, want := range []string{"10.77.0.1;5355;10.77.0.1;", "/discovery/Hello", "/discovery/ProbeMatches", "/discovery/Bye"} {
		if !strings.Contains(said, want) {
			t.Errorf("tshark does not see %q in\n%s", want, said)
		}
	}
}

// tell sends a packet from the machine and returns the socket.
func (m *machine) tell(to string, packet []byte) *net.UDPConn {
	m.t.Helper()
	var c *net.UDPConn
	m.inside(func() (err error) {
		c, err = net.ListenUDP("udp4", &net.UDPAddr{IP: net.ParseIP(m.addr)})
		return err
	})
	m.t.Cleanup(func() { c.Close() })
	addr, err := net.ResolveUDPAddr("udp4", to)
	if err != nil {
		m.t.Fatal(err)
	}
	if _, err := c.WriteTo(packet, addr); err != nil {
		m.t.Fatal(err)
	}
	return c
}

// ask sends a packet from the machine and returns the first that comes back.
func (m *machine) ask(to string, packet []byte) []byte {
	m.t.Helper()
	c := m.tell(to, packet)
	c.SetReadDeadline(time.Now().Add(5 * time.Second))
	buf := make([]byte, 9000)
	n, err := c.Read(buf)
	if err != nil {
		m.t.Errorf("asked %s: %v", to, err)
	}
	return buf[:n]
}

// inside calls f on a thread that is in the machine's network; a socket stays
// in the one it was made in.
func (m *machine) inside(f func() error) {
	m.t.Helper()
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
		ns, err := os.Open("/run/netns/" + m.ns)
		if err == nil {
			defer ns.Close()
			err = unix.Setns(int(ns.Fd()), unix.CLONE_NEWNET)
		}
		if err == nil {
			err = f()
		}
		done <- err
	}()
	if err := <-done; err != nil {
		m.t.Fatal(err)
	}
}

// TestNotFound: a server that nobody else reaches, or that shall not be found,
// is silent.
func TestNotFound(t *testing.T) {
	a, _ := twoMachines(t, "nas", "peer")
	for _, args := range [][]string{{"--smb", "445", "--no-discovery"}, {"--smb", "445", "--bind", "127.0.0.1"}} {
		s := a.serve(args...)
		if f := s.found(); f != nil {
			t.Errorf("%v: found as %+v", args, f)
		}
		if open := a.sockets("5353"); open != "" {
			t.Errorf("%v: %s", args, open)
		}
		s.stop()
	}
}
