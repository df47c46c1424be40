package disk_test

import (
	"fmt"
	"testing"

	"github.com/dozo-server/dozo/internal/disk"
)

// BenchmarkCreate is what a file server does for a new small file.
func BenchmarkCreate(b *testing.B) {
	for name, c := range map[string]*disk.Cred{"self": nil, "account": {UID: 4001, GID: 4001}} {
		b.Run(name, func(b *testing.B) {
			if c != nil && !disk.CanAct() {
				b.Skip("needs root")
			}
			r, _ := root(b)
			if err := r.Chmod(nil, 0o777); err != nil {
				b.Fatal(err)
			}
			data := make([]byte, 1024)
			names := make([]string, b.N)
			for i := range names {
				names[i] = fmt.Sprintf("file-%08d.jpg", i)
			}
			how := disk.How{Flags: disk.Read | disk.Write | disk.Create | disk.Exclusive, Mode: 0o644}
			b.ReportAllocs()
			b.ResetTimer()
			for i := range b.N {
				f, err := r.Open(c, names[i], how)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := f.Stat(); err != nil {
					b.Fatal(err)
				}
				if _, err := f.Handle(); err != nil {
					b.Fatal(err)
				}
				if _, err := f.WriteAt(data, 0); err != nil {
					b.Fatal(err)
				}
				f.Close()
			}
		})
	}
}

func BenchmarkCalls(b *testing.B) {
	r, dir := root(b)
	build(b, dir, "f")
	f := must[*disk.Node](b)(r.Open(nil, "f", disk.How{Flags: disk.Read | disk.Write}))
	defer f.Close()
	buf := make([]byte, 4096)
	for _, bb := range []struct {
		name string
		call func() error
	}{
		{"Open", func() error {
			n, err := r.Open(nil, "f", disk.How{})
			if err == nil {
				n.Close()
			}
			return err
		}},
		{"Stat", func() error { _, err := f.Stat(); return err }},
		{"StatAt", func() error { _, err := r.StatAt("f"); return err }},
		{"Handle", func() error { _, err := f.Handle(); return err }},
		{"HandleAt", func() error { _, err := r.HandleAt("f"); return err }},
		{"ReadAt", func() error { _, err := f.ReadAt(buf[:7], 0); return err }},
		{"WriteAt", func() error { _, err := f.WriteAt(buf, 0); return err }},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := bb.call(); err != nil && bb.name != "ReadAt" {
					b.Fatal(err)
				}
			}
		})
	}
}
