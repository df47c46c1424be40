package firewall_test

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/dozo-server/dozo/internal/firewall"
)

// Where systems say that they start a firewall.
const (
	firewalldUnit = "etc/systemd/system/multi-user.target.wants/firewalld.service"
	nftablesUnit  = "etc/systemd/system/sysinit.target.wants/nftables.service"
)

const (
	ufwSSH = "*filter\n### tuple ### allow tcp 22 0.0.0.0/0 any 0.0.0.0/0 in\n-A ufw-user-input -p tcp --dport 22 -j ACCEPT\n"

	nftWorkstation = `#!/usr/sbin/nft -f
flush ruleset
table inet filter {
	chain input {
		type filter hook input priority filter; policy drop;
		ct state established,related accept
		iif "lo" accept
		tcp dport { 22, 80 } accept # not 445
	}
	chain forward {
		type filter hook forward priority filter; policy accept;
	}
}
`
	pfServer = "set skip on lo0\nblock in all\npass out all keep state\npass in proto tcp to port { 22 80 } # 445\n"
)

func TestHint(t *testing.T) {
	zone := func(body string) string {
		return `<?xml version="1.0" encoding="utf-8"?><zone><short>Public</short>` + body + `<forward/></zone>`
	}
	tests := []struct {
		name  string
		files map[string]string
		want  string // how the hint ends; "" for none
	}{
		{name: "no firewall"},

		{"ufw", map[string]string{"etc/ufw/ufw.conf": "ENABLED=yes\n", "etc/ufw/user.rules": ufwSSH},
			"the firewall ufw has no rule for port 445, so clients can't reach it; let them with: sudo ufw allow 445/tcp"},
		{"ufw, off", map[string]string{"etc/ufw/ufw.conf": "# ENABLED=yes\nENABLED=no\n", "etc/ufw/user.rules": ufwSSH}, ""},
		{"ufw lets all in", map[string]string{"etc/ufw/ufw.conf": "ENABLED=yes\n", "etc/default/ufw": `DEFAULT_INPUT_POLICY="ACCEPT"`, "etc/ufw/user.rules": ufwSSH}, ""},
		{"ufw, an application", map[string]string{"etc/ufw/ufw.conf": "ENABLED=yes\n",
			"etc/ufw/user.rules": ufwSSH + "### tuple ### allow tcp 139,445 0.0.0.0/0 any 0.0.0.0/0 Samba - in\n"}, ""},
		{"ufw, a range", map[string]string{"etc/ufw/ufw.conf": "ENABLED=yes\n",
			"etc/ufw/user.rules": "### tuple ### limit any 400:500 0.0.0.0/0 any 0.0.0.0/0 in\n"}, ""},
		{"ufw, all of a network", map[string]string{"etc/ufw/ufw.conf": "ENABLED=yes\n",
			"etc/ufw/user.rules": "### tuple ### allow any any 0.0.0.0/0 any 192.0.2.0/24 in\n"}, ""},
		{"ufw, only UDP", map[string]string{"etc/ufw/ufw.conf": "ENABLED=yes\n",
			"etc/ufw/user.rules": "### tuple ### allow udp 445 0.0.0.0/0 any 0.0.0.0/0 in\n"}, "sudo ufw allow 445/tcp"},
		{"ufw denies it", map[string]string{"etc/ufw/ufw.conf": "ENABLED=yes\n",
			"etc/ufw/user.rules": "### tuple ### deny tcp 445 0.0.0.0/0 any 0.0.0.0/0 in\n"}, "sudo ufw allow 445/tcp"},
		{"ufw, seen by a user", map[string]string{"etc/ufw/ufw.conf": "ENABLED=yes\n", "etc/ufw/user.rules": secret},
			"the firewall ufw is on, and only root may see whether it lets clients reach port 445; let them with: sudo ufw allow 445/tcp"},

		{"firewalld", map[string]string{firewalldUnit: "", "etc/firewalld/firewalld.conf": "DefaultZone=home # mine\n",
			"etc/firewalld/zones/home.xml": zone(`<service name="ssh"/><port port="8080" protocol="tcp"/>`)},
			"sudo firewall-cmd --permanent --add-port=445/tcp && sudo firewall-cmd --reload"},
		{"firewalld, not started", map[string]string{"usr/lib/firewalld/zones/public.xml": zone("")}, ""},
		{"firewalld, a port", map[string]string{firewalldUnit: "", "usr/lib/firewalld/zones/public.xml": zone(`<port port="440-450" protocol="tcp"/>`)}, ""},
		{"firewalld, a service", map[string]string{firewalldUnit: "", "usr/lib/firewalld/zones/public.xml": zone(`<service name="samba"/>`),
			"usr/lib/firewalld/services/samba.xml": `<service><port protocol="tcp" port="139"/><port protocol="tcp" port="445"/></service>`}, ""},
		{"firewalld trusts", map[string]string{firewalldUnit: "", "usr/lib/firewalld/zones/public.xml": `<zone target="ACCEPT"></zone>`}, ""},
		{"firewalld, seen by a user", map[string]string{firewalldUnit: "", "etc/firewalld/firewalld.conf": secret}, "only root may see whether it lets clients reach port 445; let them with: sudo firewall-cmd --permanent --add-port=445/tcp && sudo firewall-cmd --reload"},

		{"nftables", map[string]string{nftablesUnit: "", "etc/nftables.conf": nftWorkstation},
			"/etc/nftables.conf drops what it does not name, and does not name port 445; add to its chain input the line tcp dport 445 accept, and load it with: sudo nft -f /etc/nftables.conf"},
		{"nftables, not started", map[string]string{"etc/nftables.conf": nftWorkstation}, ""},
		{"nftables lets all in", map[string]string{nftablesUnit: "", "etc/nftables.conf": strings.Replace(nftWorkstation, "policy drop", "policy accept", 1)}, ""},
		{"nftables, the port", map[string]string{nftablesUnit: "", "etc/nftables.conf": strings.Replace(nftWorkstation, "80", "440-450", 1)}, ""},
		{"nftables, its name", map[string]string{nftablesUnit: "", "etc/nftables.conf": strings.Replace(nftWorkstation, "80", "microsoft-ds", 1)}, ""},
		{"nftables, a network", map[string]string{nftablesUnit: "", "etc/nftables.conf": strings.Replace(nftWorkstation, `iif "lo"`, "ip saddr 192.0.2.0/24", 1)}, ""},
		{"nftables, other files", map[string]string{nftablesUnit: "", "etc/nftables.conf": nftWorkstation + "include \"/etc/nft.d/*\"\n"}, ""},

		{"pf", map[string]string{"etc/rc.conf": "sshd_enable=\"YES\"\npf_enable=\"YES\"\n", "etc/pf.conf": pfServer},
			"/etc/pf.conf blocks what it does not name, and does not name port 445; add the line pass in proto tcp to port 445, and load it with: sudo pfctl -f /etc/pf.conf"},
		{"pf, off", map[string]string{"etc/rc.conf": "pf_enable=\"NO\"\n", "etc/pf.conf": pfServer}, ""},
		{"pf, another file", map[string]string{"etc/rc.conf": "pf_enable=\"YES\"\npf_rules=\"/usr/local/etc/pf.conf\"\n", "usr/local/etc/pf.conf": pfServer},
			"sudo pfctl -f /usr/local/etc/pf.conf"},
		{"pf, the port", map[string]string{"etc/rc.conf": "pf_enable=\"YES\"\n", "etc/pf.conf": strings.Replace(pfServer, "80", "445", 1)}, ""},
		{"pf, a network", map[string]string{"etc/rc.conf": "pf_enable=\"YES\"\n", "etc/pf.conf": pfServer + "pass in from 192.0.2.0/24\n"}, ""},
		{"pf blocks little", map[string]string{"etc/rc.conf": "pf_enable=\"YES\"\n", "etc/pf.conf": "block in from 203.0.113.0/24\n"}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := firewall.Hint(machine(tt.files), 445)
			if got != "" {
				t.Log(got)
			}
			if (got == "") != (tt.want == "") || !strings.HasSuffix(got, tt.want) {
				t.Errorf("Hint = %q, want %q", got, tt.want)
			}
		})
	}
}

// secret is a file that only root may read.
const secret = "\x00secret"

// sealed are files of which some are secret.
type sealed struct{ fstest.MapFS }

func machine(files map[string]string) fs.FS {
	m := sealed{fstest.MapFS{}}
	for name, text := range files {
		m.MapFS[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return m
}

func (s sealed) ReadFile(name string) ([]byte, error) {
	data, err := s.MapFS.ReadFile(name)
	if err == nil && string(data) == secret {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return data, err
}
