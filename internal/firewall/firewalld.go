package firewall

import (
	"encoding/xml"
	"fmt"
	"io/fs"
	"slices"
)

// firewalldPorts is what a zone or a service of firewalld opens.
type firewalldPorts struct {
	Target string `xml:"target,attr"` // of a zone: what becomes of the rest
	Ports  []struct {
		Port     string `xml:"port,attr"`
		Protocol string `xml:"protocol,attr"`
	} `xml:"port"`
	Services []struct {
		Name string `xml:"name,attr"`
	} `xml:"service"`
}

// firewalld reads the zone that networks are in unless a person has put them
// into another.
func firewalld(machine fs.FS, port int) string {
	if !startedBySystemd(machine, "firewalld") {
		return ""
	}
	mend := fmt.Sprintf("sudo firewall-cmd --permanent --add-port=%d/tcp && sudo firewall-cmd --reload", port)
	conf, secret := text(machine, "etc/firewalld/firewalld.conf")
	if secret {
		return unseen("firewalld", port, mend)
	}
	name := setting(conf, "DefaultZone")
	if name == "" {
		name = "public"
	}
	zone, known := firewalldFile(machine, "zones/"+name+".xml")
	if !known || zone.Target == "ACCEPT" || zone.opens(port) {
		return ""
	}
	for _, s := range zone.Services {
		if service, _ := firewalldFile(machine, "services/"+s.Name+".xml"); service.opens(port) {
			return ""
		}
	}
	return closed("firewalld", port, mend)
}

// firewalldFile reads a file, of which the machine's own hides the delivered one.
func firewalldFile(machine fs.FS, name string) (ports firewalldPorts, known bool) {
	for _, dir := range []string{"etc/firewalld/", "usr/lib/firewalld/"} {
		if data, err := fs.ReadFile(machine, dir+name); err == nil {
			return ports, xml.Unmarshal(data, &ports) == nil
		}
	}
	return ports, false
}

func (p *firewalldPorts) opens(port int) bool {
	for _, o := range p.Ports {
		if o.Protocol == "tcp" && inRange(o.Port, "-", port) {
			return true
		}
	}
	return false
}

// startedBySystemd reports whether systemd starts a service at boot.
func startedBySystemd(machine fs.FS, service string) bool {
	return slices.ContainsFunc([]string{"multi-user", "sysinit", "basic"}, func(target string) bool {
		return there(machine, "etc/systemd/system/"+target+".target.wants/"+service+".service")
	})
}
