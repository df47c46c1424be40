package dozo_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// sentence is what the program may say, as it stands in the source: with %s and
// the like for what it is about.
type sentence struct {
	text  string
	at    string // file and line
	kind  kind
	named bool // the log's line has the reason beside it
}

// kind is how a sentence reaches a person.
type kind int

const (
	asError   kind = iota + 1 // as an error, or a part of one
	asWarning                 // in the log, at level Warn or Error
	asNews                    // in the log, at level Info
	asText                    // otherwise, if it is one with a remedy
)

// speaking are the packages whose errors people read. What the others return is
// translated for clients.
var speaking = []string{".", "cmd/dozo", "auth", "internal/config", "internal/discovery", "internal/firewall",
	"internal/mount", "internal/service", "internal/state", "internal/status"}

// loud are words that blame, beg or tell nothing.
var loud = regexp.MustCompile(`(?i)\b(failed|failure|unable|cannot|invalid|illegal|please|sorry|oops|error|unexpected|successfully)\b|!`)

// capitals may begin a sentence: they are names.
var capitals = regexp.MustCompile(`^(Windows|SMB|LM|NT|SID|PATH|XDG|DOZO)\b|^macOS\b`)

// remedy parts what happened from what to do.
const remedy = "; "

// limits ends a sentence that has said what would be right.
var limits = regexp.MustCompile(`, not %[a-z]$`)

// TestSentences holds all sentences against the rules of docs/words.md.
func TestSentences(t *testing.T) {
	excused := map[string]bool{}
	total := map[kind]int{}
	for _, s := range sentences(t) {
		total[s.kind]++
		first, _ := utf8.DecodeRuneInString(strings.TrimPrefix(s.text, "smb: "))
		switch {
		case unicode.IsUpper(first) && !capitals.MatchString(s.text):
			t.Errorf("%s: %q begins with a capital", s.at, s.text)
		case strings.HasSuffix(s.text, ".") && !strings.HasSuffix(s.text, "..."):
			t.Errorf("%s: %q ends with a full stop", s.at, s.text)
		case strings.ContainsAny(s.text, "\n\r"):
			t.Errorf("%s: %q is more than a line", s.at, s.text)
		case strings.TrimSpace(s.text) != s.text:
			t.Errorf("%s: %q begins or ends with a space", s.at, s.text)
		}
		if word := loud.FindString(s.text); word != "" {
			t.Errorf("%s: %q says %q", s.at, s.text, word)
		}
		program := s.kind == asError && strings.HasPrefix(s.at, "cmd/dozo/")
		if (program || s.kind == asWarning) && !strings.Contains(s.text, remedy) && !s.named && !limits.MatchString(s.text) {
			if _, ok := complete[s.text]; !ok {
				t.Errorf("%s: %q does not say what to do", s.at, s.text)
			}
			excused[s.text] = true
		}
	}
	for text := range complete {
		if !excused[text] {
			t.Errorf("%q needs no excuse", text)
		}
	}
	if total[asError] < 100 || total[asWarning] < 10 {
		t.Errorf("only these sentences were found: %v", total)
	}
	t.Logf("errors, warnings, news, others: %v", total)
}

// sentences are those of the program, without tests.
func sentences(t *testing.T) (all []sentence) {
	t.Helper()
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if err == nil && name != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || name == "tests" || name == "examples") {
				return filepath.SkipDir
			}
			return err
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			return err
		}
		l := listener{set: set, said: slices.Contains(speaking, filepath.ToSlash(filepath.Dir(name)))}
		ast.Inspect(file, l.visit)
		all = append(all, l.heard...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// listener collects the sentences of a file.
type listener struct {
	set   *token.FileSet
	said  bool // its errors are read by people
	heard []sentence
}

func (l *listener) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.Field, *ast.ImportSpec: // tags and paths
		return false
	case *ast.FuncDecl:
		return n.Name.Name != "Help"
	case *ast.CallExpr:
		return l.call(n)
	case *ast.BinaryExpr:
		if text := words(n); text != "" {
			l.text(n, text)
			return false
		}
	case *ast.BasicLit:
		l.text(n, words(n))
	}
	return true
}

// call hears what a call says, and reports whether its parts may say more.
func (l *listener) call(c *ast.CallExpr) bool {
	name, of := called(c)
	if len(c.Args) == 0 {
		return true
	}
	text := words(c.Args[0])
	switch {
	case of == "fmt" && strings.Contains(name, "rint") && name != "Sprintf": // what all went well says
		return false
	case text == "":
		return true
	case of == "fmt" && name == "Errorf", of == "errors" && name == "New", name == "usagef":
		if l.said {
			l.hear(c, text, asError, false)
		}
	case strings.EqualFold(of, "log") && (name == "Warn" || name == "Error"):
		named := slices.ContainsFunc(c.Args[1:], func(e ast.Expr) bool { w := words(e); return w == "reason" || w == "error" || w == "change" })
		l.hear(c, text, asWarning, named)
	case strings.EqualFold(of, "log") && name == "Info":
		l.hear(c, text, asNews, false)
	default:
		return true
	}
	return false
}

// text hears a piece of text that has a remedy in it.
func (l *listener) text(n ast.Node, text string) {
	before, _, ok := strings.Cut(text, remedy)
	if l.said && ok && strings.Count(before, " ") >= 3 && !strings.HasPrefix(text, "#") { // that is of a file it writes
		l.hear(n, text, asText, false)
	}
}

func (l *listener) hear(n ast.Node, text string, k kind, named bool) {
	at := l.set.Position(n.Pos())
	l.heard = append(l.heard, sentence{text, filepath.ToSlash(at.Filename) + ":" + strconv.Itoa(at.Line), k, named})
}

// called is what a call calls: the function, and the package or the last field
// that it is of.
func called(c *ast.CallExpr) (name, of string) {
	switch f := c.Fun.(type) {
	case *ast.Ident:
		return f.Name, ""
	case *ast.SelectorExpr:
		switch x := f.X.(type) {
		case *ast.Ident:
			of = x.Name
		case *ast.SelectorExpr:
			of = x.Sel.Name
		}
		return f.Sel.Name, of
	}
	return "", ""
}

// words is the text of an expression, %s for a part that is none; "" without any.
func words(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			text, _ := strconv.Unquote(e.Value)
			return text
		}
	case *ast.BinaryExpr:
		a, b := words(e.X), words(e.Y)
		if e.Op != token.ADD || a == "" && b == "" {
			return ""
		}
		if a == "" {
			a = "%s"
		}
		if b == "" {
			b = "%s"
		}
		return a + b
	}
	return ""
}

// TestObstaclesOfTheFirstMinutes: each in docs/words.md has the sentence that the
// program says, word by word, and a test that puts it in the way.
func TestObstaclesOfTheFirstMinutes(t *testing.T) {
	doc, err := os.ReadFile("docs/words.md")
	if err != nil {
		t.Fatal(err)
	}
	formats := map[string]*regexp.Regexp{}
	for _, s := range sentences(t) {
		formats[s.text] = patternOf(s.text)
	}
	says := func(sentence string) bool {
		for format, p := range formats {
			if 2*len(format) > len(sentence) && p.MatchString(sentence) { // else it would match much
				return true
			}
		}
		return false
	}
	tests := testFiles(t)
	rows := regexp.MustCompile("(?m)^\\| (.+) \\| `(.+)` \\| (.+) \\|$").FindAllStringSubmatch(string(doc), -1)
	if len(rows) < 15 {
		t.Fatalf("%d obstacles", len(rows))
	}
	for _, row := range rows {
		obstacle, sentence := row[1], row[2]
		known := says(sentence)
		for name := range strings.SplitSeq(row[3], ", ") {
			name = strings.Trim(name, "`")
			file := tests[name]
			if file == nil {
				t.Errorf("%s: there is no test %s", obstacle, name)
				continue
			}
			known = known || slices.Contains(file, sentence)
		}
		if !known {
			t.Errorf("%s: nobody says %q", obstacle, sentence)
		}
		if !strings.Contains(sentence, remedy) {
			t.Errorf("%s: %q does not say what to do", obstacle, sentence)
		}
	}
}

// patternOf matches what a format may become.
func patternOf(format string) *regexp.Regexp {
	p := regexp.MustCompile(`%[a-z]`).ReplaceAllString(regexp.QuoteMeta(format), ".+")
	return regexp.MustCompile("^" + p + "$")
}

// testFiles are the texts in the file of each test.
func testFiles(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			return err
		}
		texts := []string{}
		ast.Inspect(file, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok {
				texts = append(texts, words(lit))
			}
			return true
		})
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Test") {
				found[f.Name.Name] = append(found[f.Name.Name], texts...)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// complete are sentences that say what to do without a second half, or get it
// from what they wrap.
var complete = map[string]string{
	"%s: %w":       "of a file of results, and what is wrong with it",
	"%w %s":        "gets one by orElsewhere",
	"told already": "is not shown",

	"no server runs on the state folder %s": "gets one by orElsewhere",
}
