package vfs_test

import (
	"fmt"
	"testing"

	"github.com/dozo-server/dozo/vfs"
)

func TestEveryKindHasWords(t *testing.T) {
	seen := map[string]vfs.Kind{}
	for _, k := range vfs.Kinds() {
		words := k.String()
		if words == "" {
			t.Errorf("kind %d has no words", k)
		}
		if other, ok := seen[words]; ok {
			t.Errorf("kinds %d and %d are both %q", other, k, words)
		}
		seen[words] = k
	}
}

func TestKindOfLooksThroughWrapping(t *testing.T) {
	err := fmt.Errorf("login: %w", vfs.NewError("open", "a/b", vfs.KindLocked, nil))
	if got := vfs.KindOf(err); got != vfs.KindLocked {
		t.Errorf("KindOf = %v", got)
	}
	if !vfs.IsKind(err, vfs.KindLocked) || vfs.IsKind(err, vfs.KindInternal) {
		t.Error("IsKind disagrees with KindOf")
	}
	if vfs.IsKind(fmt.Errorf("plain"), vfs.KindInternal) {
		t.Error("an error without a kind is of no kind")
	}
}
