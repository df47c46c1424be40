package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"
)

// Write prints the configuration as a file that Parse reads, with the origin of
// each value behind it. Where the default is no constant it stands as a comment.
func (c *Config) Write(w io.Writer) error {
	var out bytes.Buffer
	writeTable(&out, serverKeys, c, c.From)
	for i := range c.Shares {
		fmt.Fprintf(&out, "\n[[share]]\n")
		writeTable(&out, shareKeys, &c.Shares[i], c.Shares[i].From)
	}
	_, err := w.Write(out.Bytes())
	return err
}

func writeTable(w io.Writer, keys []key, table any, from map[string]Origin) {
	lines, width := make([]string, len(keys)), 0
	for i := range keys {
		lines[i] = keys[i].line(table)
		width = max(width, len([]rune(lines[i])))
	}
	for i, k := range keys {
		fmt.Fprintf(w, "%s%s  # %v\n", lines[i], strings.Repeat(" ", width-len([]rune(lines[i]))), from[k.name])
	}
}

// line is "key = value".
func (k *key) line(table any) string {
	v := k.value(table)
	if v.IsZero() && k.fallback != "" {
		return fmt.Sprintf("# %s: %s", k.name, k.fallback)
	}
	return k.name + " = " + Literal(v.Interface())
}

// Literal is a value as it stands in the file.
func Literal(value any) string {
	switch v := reflect.ValueOf(value); v.Kind() {
	case reflect.Bool, reflect.Uint16:
		return fmt.Sprint(value)
	case reflect.Slice:
		all := make([]string, v.Len())
		for i := range all {
			all[i] = Literal(v.Index(i).Interface())
		}
		return "[" + strings.Join(all, ", ") + "]"
	}
	// JSON quotes as TOML does.
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.Encode(fmt.Sprint(value))
	return strings.ReplaceAll(strings.TrimSpace(out.String()), "\x7f", `\u007f`)
}

// shown is a value in JSON. Value is null where the default is no constant,
// which Default tells in words then.
type shown struct {
	Value   any    `json:"value"`
	Default string `json:"default,omitempty"`
	From    string `json:"from"`
}

// MarshalJSON tells the same as Write.
func (c *Config) MarshalJSON() ([]byte, error) {
	shares := []map[string]shown{}
	for i := range c.Shares {
		shares = append(shares, showTable(shareKeys, &c.Shares[i], c.Shares[i].From))
	}
	return json.Marshal(map[string]any{"file": c.File, "server": showTable(serverKeys, c, c.From), "shares": shares})
}

func showTable(keys []key, table any, from map[string]Origin) map[string]shown {
	all := map[string]shown{}
	for _, k := range keys {
		v := k.value(table)
		s := shown{From: from[k.name].String()}
		switch v.Interface().(type) {
		case Size, Mode, Mask:
			s.Value = fmt.Sprint(v.Interface())
		default:
			s.Value = v.Interface()
		}
		if v.IsZero() && k.fallback != "" {
			s.Value, s.Default = nil, k.fallback
		}
		all[k.name] = s
	}
	return all
}
