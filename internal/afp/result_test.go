package afp

import (
	"errors"
	"fmt"
	"testing"

	"github.com/dozo-server/dozo/internal/afp/afpwire"
	"github.com/dozo-server/dozo/vfs"
)

func TestEveryKindHasAResult(t *testing.T) {
	for _, kind := range vfs.Kinds() {
		if result, ok := kindResult[kind]; !ok || result == afpwire.ResultNoErr {
			t.Errorf("%v has no result", kind)
		}
	}
}

func TestResultOf(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want afpwire.Result
	}{
		{nil, afpwire.ResultNoErr},
		{afpwire.ResultEOFErr, afpwire.ResultEOFErr},
		{fmt.Errorf("why: %w", afpwire.ResultEOFErr), afpwire.ResultEOFErr},
		{vfs.NewError("open", "f", vfs.KindNotExist, nil), afpwire.ResultObjectNotFound},
		{fmt.Errorf("why: %w", vfs.NewError("open", "f", vfs.KindSharing, nil)), afpwire.ResultDenyConflict},
		{errors.New("nobody foresaw it"), afpwire.ResultMiscErr},
	} {
		if got := resultOf(tt.err); got != tt.want {
			t.Errorf("%v: %v, want %v", tt.err, got, tt.want)
		}
	}
}
