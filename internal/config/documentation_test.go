package config

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/configuration.md anew")

// TestDocumentationIsCurrent makes docs/configuration.md of the structs that are
// parsed, their comments and tags, and of nothing else.
func TestDocumentationIsCurrent(t *testing.T) {
	const file = "../../docs/configuration.md"
	want := documentation(t)
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != want {
		t.Errorf("%s is not that of the structs (%v); make it anew with: go generate ./internal/config", file, err)
	}
}

// TestExamplesAreRight: each key's example is taken, and is not the default.
func TestExamplesAreRight(t *testing.T) {
	for _, k := range serverKeys {
		c, err := Parse("f", fmt.Appendf(nil, "%s = %s\n", k.name, k.example))
		if err != nil || reflect.DeepEqual(k.value(c).Interface(), k.value(New()).Interface()) {
			t.Errorf("the example of %s: %v, or it is the default", k.name, err)
		}
	}
	for _, k := range shareKeys {
		text := fmt.Appendf(nil, "[[share]]\n%s = %s\n", k.name, k.example)
		if k.name != "path" {
			text = append(text, "path = \"/a\"\n"...)
		}
		c, err := Parse("f", text)
		fresh := NewShare(Origin{})
		if err != nil || reflect.DeepEqual(k.value(&c.Shares[0]).Interface(), k.value(&fresh).Interface()) {
			t.Errorf("the example of %s: %v, or it is the default", k.name, err)
		}
	}
}

const introduction = `<!-- Made by go generate ./internal/config from the structs that are parsed. Do not edit. -->
# Configuration

All that ` + "`dozo serve`" + ` can do stands in one file, ` + "`dozo.toml`" + ` ([TOML](https://toml.io)). Nothing has to: without a file, or for
keys that are not in it, there are the defaults below.

` + "```toml" + `
memory = "512M"

[[share]]
path = "/srv/films"
guest = "read"

[[share]]
name = "home"
path = "/srv/home"
users = ["anna", "bert"]
read-only-users = ["tv"]
` + "```" + `

- **Which file**: the one of ` + "`--config FILE`" + `. Without that flag ` + "`/etc/dozo/dozo.toml`" + ` for root (on FreeBSD
  ` + "`/usr/local/etc/dozo/dozo.toml`" + `), for others ` + "`$XDG_CONFIG_HOME/dozo/dozo.toml`" + `, which is
  ` + "`~/.config/dozo/dozo.toml`" + `, if it is there. ` + "`--config /dev/null`" + ` is no file.
- **Flags** of ` + "`dozo serve`" + ` count more than the keys of the same name at the top of the file. Folders on the command line are
  served beside the shares of the file, with the defaults. ` + "`--read-only`" + ` holds for all shares; ` + "`--guest`" + ` for those that do not
  say it themselves.
- **What is wrong** is told all at once, with its line: an unknown key, too, with the nearest one that there is.
  ` + "`dozo config check [FILE]`" + ` tells it without serving anything.
- **What counts**: ` + "`dozo config show`" + ` prints every key with where its value came from: the default, file and line, a flag,
  a variable. It takes the flags of ` + "`dozo serve`" + `.
- **Changes** count when ` + "`dozo reload`" + ` is called, which prints what changed, or when the server gets SIGHUP, and tells
  its log. (One that was started at a terminal ends with SIGHUP, as its window does.) The last column says what that can
  do:
  - *live*: it holds for all from then on. Who may use a share no more is disconnected from it; what else is open stays
    open, with the rights that it was opened with. No request is dropped.
  - *reconnect*: the share is taken away and comes back: what clients have open in it is closed. So is a share that is
    not in the file any more. Other shares do not notice.
  - *restart*: ` + "`dozo reload`" + ` names it, and it holds when the server is started again.

  With an error in the file nothing is changed.
- A folder must be there when it is served for the first time. Later its disk may be absent, with the folder or without: the
  share is not served until the disk is back, and all others are.
- Passwords do not stand here: ` + "`dozo user`" + ` has them in the state folder.
`

func documentation(t *testing.T) string {
	var out strings.Builder
	out.WriteString(introduction)
	meanings := comments(t)
	out.WriteString("\n## The server\n\nThese keys stand at the top, above the first `[[share]]`.\n\n")
	documentTable(&out, serverKeys, New(), meanings["Config"])
	share := NewShare(Origin{})
	out.WriteString("\n## Shares\n\nEach `[[share]]` begins a share, to which the keys below it belong. Keys that Samba has mean the same as there.\n\n")
	documentTable(&out, shareKeys, &share, meanings["Share"])
	return out.String()
}

func documentTable(out *strings.Builder, keys []key, table any, meanings map[string]string) {
	fmt.Fprintf(out, "| key | meaning | takes | default | example | changes |\n|---|---|---|---|---|---|\n")
	for _, k := range keys {
		v := k.value(table)
		fallback := k.fallback
		if fallback == "" {
			fallback = "`" + Literal(v.Interface()) + "`"
		}
		meaning := meanings[k.name]
		fmt.Fprintf(out, "| `%s` | %s | %s | %s | `%s` | %s |\n", k.name, meaning, typeWords(v.Type()), fallback, k.example, k.applies)
	}
}

// comments are those of the fields of the structs in config.go, by struct and
// key.
func comments(t *testing.T) map[string]map[string]string {
	file, err := parser.ParseFile(token.NewFileSet(), "config.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]map[string]string{}
	for _, table := range []reflect.Type{reflect.TypeFor[Config](), reflect.TypeFor[Share]()} {
		all[table.Name()] = map[string]string{}
		fields := file.Scope.Lookup(table.Name()).Decl.(*ast.TypeSpec).Type.(*ast.StructType).Fields.List
		for _, f := range fields {
			field, ok := table.FieldByName(f.Names[0].Name)
			name := field.Tag.Get("toml")
			if !ok || name == "" || name == shareTable {
				continue
			}
			words := strings.Join(strings.Fields(f.Doc.Text()), " ")
			if words == "" {
				t.Errorf("the field %s says nothing of what its key means", f.Names[0].Name)
			}
			all[table.Name()][name] = words
		}
	}
	return all
}
