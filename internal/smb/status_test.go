package smb

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/vfs"
)

func TestEveryKindHasAStatus(t *testing.T) {
	for _, kind := range vfs.Kinds() {
		status, ok := kindStatus[kind]
		if !ok || status == smbwire.StatusOK {
			t.Errorf("%v has no status", kind)
		}
		if got := statusOf(fmt.Errorf("wrapped: %w", vfs.NewError("open", "a", kind, nil))); got != status {
			t.Errorf("statusOf(%v) = %v, want %v", kind, got, status)
		}
	}
}

func TestStatusOf(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want smbwire.Status
	}{
		{nil, smbwire.StatusOK},
		{smbwire.StatusEndOfFile, smbwire.StatusEndOfFile},
		{fmt.Errorf("read: %w", smbwire.StatusEndOfFile), smbwire.StatusEndOfFile},
		{context.Canceled, smbwire.StatusCancelled},
		{errors.New("what nobody foresaw"), smbwire.StatusInternalError},
	} {
		if got := statusOf(tt.err); got != tt.want {
			t.Errorf("statusOf(%v) = %v, want %v", tt.err, got, tt.want)
		}
	}
}
