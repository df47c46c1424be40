package smb

import (
	"errors"
	"fmt"
	"testing"

	"github.com/dozo-server/dozo/auth"
	"github.com/dozo-server/dozo/internal/ntlm"
)

func TestExplain(t *testing.T) {
	for _, tt := range []struct {
		reason error
		want   string
	}{
		{ntlm.ErrWrongPassword, "wrong password; who has forgotten it gets another with: dozo user password NAME"},
		{fmt.Errorf("wrapped: %w", ntlm.ErrUnknownUser), "unknown user; add one with: dozo user add NAME"},
		{auth.ErrNoPassword, "the user has no password yet; give one with: dozo user password NAME"},
		{auth.ErrDisabled, "the user is disabled; let them in again with: dozo user enable NAME"},
		{ntlm.ErrWeak, "the client answered with LM or NTLMv1, which are not accepted; have it use NTLMv2"},
		{errors.New("something else"), "something else"},
	} {
		if got := explain(tt.reason); got != tt.want {
			t.Errorf("explain(%v) = %q, want %q", tt.reason, got, tt.want)
		}
	}
}
