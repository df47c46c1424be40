package config

import (
	"encoding"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// maxFile bounds a configuration, in bytes.
const maxFile = 1 << 20

// Parse reads the text of a file, which errors call by its name. What is wrong
// is told all at once, as Errors. The Config has what could be read even then.
func Parse(file string, text []byte) (*Config, error) {
	r := &reader{file: file, config: New()}
	r.config.File = file
	if len(text) > maxFile {
		return r.config, fmt.Errorf("%s has %d bytes, more than any configuration needs", file, len(text))
	}
	// This finds what is no TOML, and keys that are there twice. The text is
	// read by its expressions below, as only they tell where they stand.
	if err := toml.Unmarshal(text, &map[string]any{}); err != nil {
		line := 1
		if at, ok := errors.AsType[*toml.DecodeError](err); ok {
			line, _ = at.Position()
		}
		r.errors.Add(Origin{file, line}, "%s", strings.TrimPrefix(err.Error(), "toml: "))
		return r.config, r.errors
	}
	r.parser.Reset(text)
	r.table = &table{what: "a configuration", keys: serverKeys, into: r.config, from: r.config.From}
	for r.parser.NextExpression() {
		switch e := r.parser.Expression(); e.Kind {
		case unstable.KeyValue:
			r.keyValue(r.table, e)
		case unstable.Table, unstable.ArrayTable:
			r.header(e)
		}
	}
	if err := r.parser.Error(); err != nil { // after Unmarshal there is none
		return r.config, fmt.Errorf("%s: %w", file, err)
	}
	r.finish()
	return r.config, r.errors.Err()
}

// reader is a file in the course of being read.
type reader struct {
	file   string
	parser unstable.Parser
	config *Config
	table  *table // where the keys go that come now, nil: they belong to no table that there is
	errors Errors
}

// table is a table of the file.
type table struct {
	what string // in words
	keys []key
	into any // pointer to the struct
	from map[string]Origin
}

// origin is where a node stands.
func (r *reader) origin(n *unstable.Node) Origin {
	return Origin{r.file, r.parser.Shape(n.Raw).Start.Line}
}

// name returns the name of a key or table, with dots, and where it stands.
func (r *reader) name(e *unstable.Node) (string, Origin) {
	var parts []string
	var at Origin
	for it := e.Key(); it.Next(); {
		if parts == nil {
			at = r.origin(it.Node())
		}
		parts = append(parts, string(it.Node().Data))
	}
	return strings.Join(parts, "."), at
}

// header begins a table.
func (r *reader) header(e *unstable.Node) {
	name, at := r.name(e)
	switch {
	case name == shareTable && e.Kind == unstable.ArrayTable:
		r.table = r.share(at)
		return
	case name == shareTable:
		r.errors.Add(at, "a share begins with [[share]], with two brackets")
	default:
		r.errors.Add(at, "there is no table [%s]; keys of the server stand at the top, and each share begins with [[share]]", name)
	}
	r.table = nil
}

// share begins a share.
func (r *reader) share(at Origin) *table {
	r.config.Shares = append(r.config.Shares, NewShare(at))
	h := &r.config.Shares[len(r.config.Shares)-1]
	return &table{what: "a share", keys: shareKeys, into: h, from: h.From}
}

// keyValue reads one key of t.
func (r *reader) keyValue(t *table, e *unstable.Node) {
	if t == nil {
		return // its table was refused
	}
	name, at := r.name(e)
	v := e.Value()
	if name == shareTable && t.into == r.config {
		r.shares(v, at)
		return
	}
	k := find(t.keys, name)
	if k == nil {
		r.unknown(t, name, at)
		return
	}
	field := k.value(t.into)
	t.from[name] = at
	if err := set(field, v); err != nil {
		r.errors.Add(at, "%s: %w; it takes %s", name, err, typeWords(field.Type()))
	}
}

// finish names the shares that have no name of their own, and tells of those
// that have no folder.
func (r *reader) finish() {
	for i := range r.config.Shares {
		h := &r.config.Shares[i]
		_, hasPath := h.From["path"]
		_, hasName := h.From["name"]
		if !hasPath {
			r.errors.Add(h.Origin, "a share has no path; name its folder: path = \"/srv/films\"")
		} else if !hasName && h.Path != "" {
			h.Name = ShareName(filepath.Base(string(h.Path)))
			if fault := h.Name.Fault(); fault != "" {
				r.errors.Add(h.From["path"], "%q %s; give the share one: name = \"films\"", h.Name, fault)
			}
		}
		r.checkNames("users", h.Users, h)
		r.checkNames("read-only-users", h.ReadOnlyUsers, h)
		r.checkNames("groups", h.Groups, h)
	}
}

// checkNames tells of a name of a user or group that is written as Samba has those
// of groups: it would be nobody's.
func (r *reader) checkNames(key string, names []string, h *Share) {
	for _, name := range names {
		if plain := strings.TrimLeft(name, "@+&"); plain != name {
			r.errors.Add(h.From[key], "%s: %q is how Samba names a group; write it without the sign, into the list of groups: groups = [%q]", key, name, plain)
		}
	}
}

// shares reads the shares that stand in a list of tables in braces.
func (r *reader) shares(v *unstable.Node, at Origin) {
	if v.Kind != unstable.Array {
		r.errors.Add(at, "a share begins with [[share]]")
		return
	}
	for it := v.Children(); it.Next(); {
		n := it.Node()
		if n.Kind != unstable.InlineTable {
			r.errors.Add(at, "a share begins with [[share]]")
			return
		}
		t := r.share(r.origin(n))
		for keys := n.Children(); keys.Next(); {
			if keys.Node().Kind == unstable.KeyValue {
				r.keyValue(t, keys.Node())
			}
		}
	}
}

// unknown tells of a key that there is not, and which may have been meant.
func (r *reader) unknown(t *table, name string, at Origin) {
	near := nearest(name, t.keys)
	switch {
	case near != "":
		r.errors.Add(at, "%s has no key %s; the nearest is %s", t.what, name, near)
	case t.into == r.config && find(shareKeys, name) != nil:
		r.errors.Add(at, "%s is a key of shares; put it under a [[share]]", name)
	case find(serverKeys, name) != nil:
		r.errors.Add(at, "%s is a key of the server; put it above the first [[share]]", name)
	default:
		var names []string
		for _, k := range t.keys {
			names = append(names, k.name)
		}
		r.errors.Add(at, "%s has no key %s, but %s", t.what, name, strings.Join(names, ", "))
	}
}

// set puts the value n into field.
func set(field reflect.Value, n *unstable.Node) error {
	text := string(n.Data)
	if u, ok := field.Addr().Interface().(encoding.TextUnmarshaler); ok && n.Kind == unstable.String {
		return u.UnmarshalText(n.Data)
	}
	if field.Kind() == reflect.Slice {
		return setList(field, n)
	}
	switch to := field.Interface().(type) {
	case choice:
		if n.Kind == unstable.String && slices.Contains(to.choices(), text) {
			field.SetString(text)
			return nil
		}
	case Port:
		if i, err := strconv.ParseInt(text, 0, 64); n.Kind == unstable.Integer && err == nil && 0 < i && i <= 65535 {
			field.SetUint(uint64(i))
			return nil
		}
	case Days:
		if i, err := strconv.ParseInt(text, 0, 64); n.Kind == unstable.Integer && err == nil && 0 < i && i <= maxDays {
			field.SetUint(uint64(i))
			return nil
		}
	case bool:
		if n.Kind == unstable.Bool {
			field.SetBool(text == "true")
			return nil
		}
	case string:
		if n.Kind == unstable.String {
			field.SetString(text)
			return nil
		}
	}
	return fmt.Errorf("%s is not right", describe(n))
}

func setList(field reflect.Value, n *unstable.Node) error {
	if n.Kind != unstable.Array {
		return fmt.Errorf("%s is no list", describe(n))
	}
	list := reflect.MakeSlice(field.Type(), 0, 0)
	for it := n.Children(); it.Next(); {
		switch it.Node().Kind {
		case unstable.Comment:
		case unstable.String:
			one := reflect.New(field.Type().Elem()).Elem()
			if err := set(one, it.Node()); err != nil {
				return err
			}
			list = reflect.Append(list, one)
		default:
			return fmt.Errorf("%s is no text", describe(it.Node()))
		}
	}
	field.Set(list)
	return nil
}

// describe names a value in an error.
func describe(n *unstable.Node) string {
	switch n.Kind {
	case unstable.String:
		return strconv.Quote(string(n.Data))
	case unstable.Array:
		return "a list"
	case unstable.InlineTable:
		return "a table in braces"
	}
	return string(n.Data)
}
