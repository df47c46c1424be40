package afpwire_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
	"github.com/dozo-server/dozo/internal/cursor"
	"github.com/dozo-server/dozo/internal/hexdump"
)

// messageNames returns the types of the package with an exported Decode that
// takes nothing but a Reader.
func messageNames(t *testing.T) (names []string) {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Name.Name != "Decode" || f.Recv == nil || len(f.Type.Params.List) != 1 {
				continue
			}
			if star, ok := f.Recv.List[0].Type.(*ast.StarExpr); ok {
				names = append(names, star.X.(*ast.Ident).Name)
			}
		}
	}
	if len(names) < 70 {
		t.Fatalf("only %d messages found", len(names))
	}
	return names
}

// TestCountsAskForNoMemory gives decoders the highest counts and lengths with
// nothing behind them.
func TestCountsAskForNoMemory(t *testing.T) {
	for _, tt := range []struct {
		name string
		into message
		wire string
	}{
		{"volumes", &afpwire.GetSrvrParmsReply{}, `00000000 ff`},
		{"entries", &afpwire.EnumerateReply{Command: afpwire.EnumerateExt2}, `0001 0001 ffff 0004 00 00`},
		{"matches", &afpwire.CatSearchReply{Command: afpwire.CatSearchExt}, `00000000000000000000000000000000 0001 0001 ffffffff`},
		{"access control entries", &afpwire.GetACLReply{}, `0004 fffffffe 00000000`},
		{"a token", &afpwire.GetSessionTokenReply{}, `ffffffff`},
		{"a value", &afpwire.SetExtAttrRequest{}, `46 00 0001 00000002 0000 0000000000000000 02 00 00 0001 61 ffffffff`},
		{"a path", &afpwire.DeleteRequest{}, `08 00 0001 00000002 03 08000103 ffff`},
		{"addresses", &afpwire.ServerInfo{}, `0000 0000 0000 0000 0000 00 00 0000 0014 0000 0000 ff`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			wire := hexdump.Bytes(t, tt.wire)
			var before, after runtime.MemStats
			r := cursor.NewReader(wire)
			runtime.ReadMemStats(&before)
			tt.into.Decode(r)
			runtime.ReadMemStats(&after)
			if r.Err() == nil {
				t.Error("Decode accepts it")
			}
			if taken := after.TotalAlloc - before.TotalAlloc; taken > 4096 {
				t.Errorf("Decode takes %d bytes of memory", taken)
			}
		})
	}
}
