package afp_test

import (
	"strings"
	"testing"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
)

func TestComments(t *testing.T) {
	c, v := serve(t, nil).volume(afpwire.Version34)
	ctx := t.Context()
	d, err := v.OpenDesktop(ctx)
	if err != nil {
		t.Fatal(err)
	}
	want(t, "CreateFile", v.CreateFile(ctx, top, c.Path("f"), false), nil)
	for _, path := range []afpwire.Path{c.Path("f"), c.Path()} {
		_, err = d.Comment(ctx, top, path)
		want(t, "a comment that there is not", err, afpwire.ResultItemNotFound)
		want(t, "RemoveComment of none", d.RemoveComment(ctx, top, path), afpwire.ResultItemNotFound)
		for _, comment := range []string{"gr\x9fn", strings.Repeat("x", 250)} {
			want(t, "AddComment", d.AddComment(ctx, top, path, comment), nil)
			got, err := d.Comment(ctx, top, path)
			if err != nil || got != comment[:min(len(comment), afpwire.MaxComment)] {
				t.Errorf("Comment = %q, %v", got, err)
			}
		}
		want(t, "RemoveComment", d.RemoveComment(ctx, top, path), nil)
		_, err = d.Comment(ctx, top, path)
		want(t, "a comment that was removed", err, afpwire.ResultItemNotFound)
	}
	want(t, "AddComment to nothing", d.AddComment(ctx, top, c.Path("none"), "x"), afpwire.ResultObjectNotFound)
	want(t, "Close", d.Close(ctx), nil)
	want(t, "CloseVol", v.Close(ctx), nil)
	want(t, "Close of what is closed", d.Close(ctx), afpwire.ResultParamErr)
}
