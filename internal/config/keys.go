package config

import (
	"reflect"
	"strings"
)

// key is a key of a table, as a tag of its struct says.
type key struct {
	name, fallback, example string
	applies                 applies
	field                   int
}

// applies says when a change has its effect.
type applies string

const (
	live      applies = "live"      // at a reload
	reconnect applies = "reconnect" // at a reload, and clients of the share have to connect anew
	restart   applies = "restart"   // when the server is started again
)

// The keys of the file's tables, in the order of their fields.
var (
	serverKeys = keysOf(reflect.TypeFor[Config]())
	shareKeys  = keysOf(reflect.TypeFor[Share]())
)

// shareTable is the name of the tables of shares.
const shareTable = "share"

func keysOf(t reflect.Type) []key {
	var all []key
	for i := range t.NumField() {
		tag := t.Field(i).Tag
		if name := tag.Get("toml"); name != "" && name != shareTable {
			all = append(all, key{name, tag.Get("default"), tag.Get("example"), applies(tag.Get("applies")), i})
		}
	}
	return all
}

func find(keys []key, name string) *key {
	for i := range keys {
		if keys[i].name == name {
			return &keys[i]
		}
	}
	return nil
}

// value is the field of k in table, a pointer to its struct.
func (k *key) value(table any) reflect.Value { return reflect.ValueOf(table).Elem().Field(k.field) }

// typeWords say what a value of the type t is, in words.
func typeWords(t reflect.Type) string {
	switch zero := reflect.Zero(t).Interface().(type) {
	case choice:
		return quoted(zero.choices())
	case Size:
		return "a size in quotes, such as \"512M\" or \"2G\""
	case Mode:
		return "permission bits in octal, in quotes, from \"0000\" to \"0777\""
	case Mask:
		return "permission bits in octal, in quotes, from \"0001\" to \"0777\""
	case Folder:
		return "the whole path of a folder, in quotes, such as \"/srv/films\""
	case File:
		return "the whole path of a file, in quotes, such as \"/var/log/audit\""
	case FolderName:
		return "a name in quotes, without a path, such as \".recycle\""
	case ShareName:
		return "a name in quotes, such as \"films\""
	case Port:
		return "a port from 1 to 65535"
	case Days:
		return "a number of days from 1 to 36500"
	case bool:
		return "true or false"
	case []Host:
		return "a list of addresses and networks in quotes, such as [\"192.0.2.7\", \"2001:db8::/32\"]"
	case []Pattern:
		return "a list of names in quotes, with * and ? as wildcards, such as [\"*.tmp\", \"~$*\"]"
	case []string:
		return "a list of texts in quotes, such as [\"one\", \"two\"]"
	}
	return "a text in quotes"
}

// nearest is what whoever wrote an unknown key may have meant: one of keys, or
// "" if none is like it.
func nearest(name string, keys []key) string {
	plain := strings.NewReplacer("_", "", "-", "", " ", "").Replace
	name = plain(strings.ToLower(name))
	for _, w := range foreign {
		if plain(w.theirs) == name && find(keys, w.ours) != nil {
			return w.ours
		}
	}
	best, least := "", max(2, len(name)/3)+1
	for _, k := range keys {
		if d := distance(name, plain(k.name)); d < least {
			best, least = k.name, d
		}
	}
	return best
}

// foreign are words that other servers have for keys of ours.
var foreign = []struct{ theirs, ours string }{
	{"writable", "read-only"}, {"writeable", "read-only"}, {"write ok", "read-only"},
	{"public", "guest"}, {"guest ok", "guest"}, {"map to guest", "guest"},
	{"hidden", "browseable"}, {"valid users", "users"}, {"allow hosts", "hosts-allow"}, {"deny hosts", "hosts-deny"},
	{"veto files", "veto"}, {"hide files", "hide"}, {"delete veto files", "delete-vetoed"}, {"max disk size", "max-size"}, {"recycle:repository", "recycle"}, {"full_audit:success", "audit"}, {"read list", "read-only-users"},
	{"smb encrypt", "encrypt"}, {"server signing", "signing"}, {"interfaces", "bind"}, {"port", "smb"}, {"smb ports", "smb"},
	{"case sensitive", "case"}, {"create mode", "create-mask"}, {"directory mode", "directory-mask"},
	{"mangled names", "short-names"}, {"folder", "path"}, {"directory", "path"},
}

// distance is how many letters must be put in, taken out, changed or swapped
// with their neighbour to make b of a.
func distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	// Row i has the distances of s[:i] to all beginnings of t; three are needed.
	var before []int
	row := make([]int, len(t)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(s); i++ {
		next := make([]int, len(t)+1)
		next[0] = i
		for j := 1; j <= len(t); j++ {
			change := 1
			if s[i-1] == t[j-1] {
				change = 0
			}
			next[j] = min(row[j]+1, next[j-1]+1, row[j-1]+change)
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				next[j] = min(next[j], before[j-2]+1)
			}
		}
		before, row = row, next
	}
	return row[len(t)]
}
