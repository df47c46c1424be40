package mdns

import (
	"net/netip"

	"golang.org/x/net/dns/dnsmessage"
)

const (
	domain = "local."
	// types is where the types of all services are listed (RFC 6763 section 9).
	types = "_services._dns-sd._udp." + domain
)

// Service is one service of the host. All have the same instance name, as
// clients expect that look for one after they found another.
type Service struct {
	Type string   // "_smb._tcp"
	Port uint16   // 0 where there is nothing to connect to
	Text []string // "key=value", 255 bytes at most each
}

// zone is everything that this host says on one link.
type zone struct {
	host      string   // full names
	instances []string // one a service
	records   []record
	absences  []record // what the names don't have
	mine      map[key]bool
}

func newZone(host, instance string, services []Service, addrs []netip.Addr) *zone {
	z := &zone{host: host + "." + domain, mine: map[key]bool{}}
	kinds := map[dnsmessage.Type]bool{}
	for _, a := range addrs {
		r := address(z.host, a)
		kinds[r.kind] = true
		z.records = append(z.records, r)
	}
	var has []dnsmessage.Type
	for kind := range kinds {
		has = append(has, kind)
	}
	if has != nil {
		z.absences = append(z.absences, absence(z.host, has...))
	}
	for _, s := range services {
		name := instance + "." + s.Type + "." + domain
		z.instances = append(z.instances, name)
		z.records = append(z.records,
			pointer(s.Type+"."+domain, name),
			location(name, z.host, s.Port),
			text(name, s.Text),
			pointer(types, s.Type+"."+domain))
		z.absences = append(z.absences, absence(name, dnsmessage.TypeSRV, dnsmessage.TypeTXT))
	}
	for _, r := range z.records {
		z.mine[r.key()] = true
	}
	return z
}

// names are those that this host alone may have.
func (z *zone) names() []string { return append([]string{z.host}, z.instances...) }

// unique are the records of one such name.
func (z *zone) unique(name string) []record {
	var list []record
	for _, r := range z.records {
		if !r.shared && sameName(r.name, name) {
			list = append(list, r)
		}
	}
	return list
}

// lookup answers a question, maybe by saying that the name has no such type.
func (z *zone) lookup(q question) []record {
	var list []record
	for _, r := range z.records {
		if (q.kind == r.kind || q.kind == dnsmessage.TypeALL) && sameName(q.name, r.name) {
			list = append(list, r)
		}
	}
	if list == nil {
		list = z.absent(q.name)
	}
	return list
}

func (z *zone) absent(name string) []record {
	for _, r := range z.absences {
		if sameName(r.name, name) {
			return []record{r}
		}
	}
	return nil
}

// with are the records that whoever asked for these will ask for next (RFC
// 6763 section 12), and what these names don't have.
func (z *zone) with(answers []record) []record {
	have := map[key]bool{}
	for _, r := range answers {
		have[r.key()] = true
	}
	var list []record
	add := func(records []record) {
		for _, r := range records {
			if k := r.key(); !have[k] {
				have[k] = true
				list = append(list, r)
			}
		}
	}
	for i := range z.instances {
		instance := z.instances[i]
		for _, r := range answers {
			if r.kind == dnsmessage.TypePTR && string(r.data) == string(wireName(instance)) {
				add(z.unique(instance))
				add(z.absent(instance))
			}
		}
	}
	for _, r := range append(answers[:len(answers):len(answers)], list...) {
		if r.kind == dnsmessage.TypeSRV || r.kind == dnsmessage.TypeA || r.kind == dnsmessage.TypeAAAA {
			add(z.unique(z.host))
			add(z.absent(z.host))
		}
	}
	return list
}

// find is the record of a key; z.mine has it.
func (z *zone) find(k key) record {
	for _, r := range z.records {
		if r.key() == k {
			return r
		}
	}
	return record{}
}

// claims says whether a record is about what this host alone may have.
func (z *zone) claims(r record) (host, instance bool) {
	switch r.kind {
	case dnsmessage.TypeA, dnsmessage.TypeAAAA:
		return sameName(r.name, z.host), false
	case dnsmessage.TypeSRV, dnsmessage.TypeTXT:
		for _, name := range z.instances {
			if sameName(r.name, name) {
				return false, true
			}
		}
	}
	return false, false
}
