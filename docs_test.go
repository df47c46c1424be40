package dozo_test

import (
	"go/ast"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestEveryPackageHasDocs(t *testing.T) {
	for dir, files := range packages(t) {
		documented := slices.ContainsFunc(files, func(f *ast.File) bool {
			return f.Doc != nil && len(strings.Fields(f.Doc.Text())) >= 5
		})
		if !documented {
			t.Errorf("package %s does not say what it is for", dir)
		}
	}
}

// TestTheTreeStandsAlone: what is committed names nothing that only the
// machine of its authors has.
func TestTheTreeStandsAlone(t *testing.T) {
	list, err := exec.Command("git", "ls-files", "-z").Output()
	if err != nil {
		t.Skip("not a git work tree: ", err)
	}
	// Written in pieces, or this file would name them.
	foreign := regexp.MustCompile(`\.\./sha` + `red\b|(^|[\s"'=(` + "`" + `])/wo` + `rk/|\b(proxy|sum)\.gol` + `ang\.org|\b(deb|ftp)\.deb` + `ian\.org|registry\.np` + `mjs\.org|\bpy` + `pi\.org`)
	for name := range strings.SplitSeq(strings.TrimRight(string(list), "\x00"), "\x00") {
		data, err := os.ReadFile(name)
		if err != nil {
			continue // deleted and not committed yet
		}
		for i, line := range strings.Split(string(data), "\n") {
			if m := foreign.FindString(line); m != "" {
				t.Errorf("%s:%d names %q", name, i+1, m)
			}
		}
	}
}

// TestLinksOfDocumentsLeadSomewhere: those to files of the project.
func TestLinksOfDocumentsLeadSomewhere(t *testing.T) {
	list, err := exec.Command("git", "ls-files", "-z", "*.md").Output()
	if err != nil {
		t.Skip("not a git work tree: ", err)
	}
	link := regexp.MustCompile(`\]\(([^)#]+)[^)]*\)`)
	for name := range strings.SplitSeq(strings.TrimRight(string(list), "\x00"), "\x00") {
		data, err := os.ReadFile(name)
		if err != nil {
			continue // deleted and not committed yet
		}
		for _, m := range link.FindAllStringSubmatch(string(data), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(name), m[1])); err != nil {
				t.Errorf("%s links to %s: %v", name, m[1], err)
			}
		}
	}
}
