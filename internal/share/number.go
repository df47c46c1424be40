package share

import (
	"context"

	"github.com/dozo-server/dozo/vfs"
)

// Numbered reports whether files have numbers, see vfs.Numbered.
func (s *Share) Numbered() bool {
	_, ok := s.fs.(vfs.Numbered)
	return ok
}

// numbers returns the FS as one that numbers its nodes.
func (t *Tree) numbers(path string) (vfs.Numbered, error) {
	fs, ok := t.share.fs.(vfs.Numbered)
	if !ok {
		return nil, vfs.NewError("number", path, vfs.KindUnsupported, nil)
	}
	return fs, nil
}

// Find returns the path of the node that has a number. Errors: KindNotExist when
// there is none, KindUnsupported where there are no numbers.
func (t *Tree) Find(ctx context.Context, number uint32) (string, error) {
	fs, err := t.numbers("")
	if err != nil {
		return "", err
	}
	return fs.Find(ctx, t.caller, number)
}

// Number returns the numbers of the file and of the folder it is in.
func (o *Open) Number(ctx context.Context) (vfs.Number, error) {
	fs, err := o.tree.numbers(o.Path())
	if err != nil {
		return vfs.Number{}, err
	}
	return fs.Number(ctx, o.tree.caller, o.file)
}

// Numbered fills numbers and macs, which are as long as entries, for entries of the
// folder that List or Lookup just gave. Error: KindUnsupported where there are no
// numbers, or nothing is kept for Macs.
func (o *Open) Numbered(ctx context.Context, entries []vfs.Entry, numbers []uint32, macs []vfs.Mac) error {
	fs, err := o.tree.numbers(o.Path())
	if err != nil {
		return err
	}
	f, ok := o.file.(vfs.MacFile)
	if !ok {
		return o.fail("mac", vfs.KindUnsupported)
	}
	if err := fs.NumberEntries(ctx, o.tree.caller, o.file, entries, numbers); err != nil {
		return err
	}
	return f.ListedMacs(ctx, o.tree.caller, entries, macs)
}
