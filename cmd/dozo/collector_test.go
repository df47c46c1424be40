package main

import (
	"runtime/debug"
	"testing"

	"github.com/dozo-server/dozo/internal/machine"
)

func TestLimitMemory(t *testing.T) {
	const gb = 1 << 30
	for _, tt := range []struct {
		name      string
		m         machine.Memory
		goMem     string
		unchanged bool
	}{
		{"a container", machine.Memory{Total: 8 * gb, Limited: true}, "", false},
		{"a whole machine", machine.Memory{Total: 8 * gb}, "", true},
		{"a limit by the environment", machine.Memory{Total: 8 * gb, Limited: true}, "1GiB", true},
		{"a system that does not tell", machine.Memory{}, "", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("GOMEMLIMIT", tt.goMem)
			before := debug.SetMemoryLimit(-1)
			want := int64(7 * gb)
			if tt.unchanged {
				want = before
			}
			end := limitMemory(tt.m)
			if got := debug.SetMemoryLimit(-1); got != want {
				t.Errorf("the limit is %d, want %d", got, want)
			}
			end()
			if got := debug.SetMemoryLimit(-1); got != before {
				t.Errorf("at the end it is %d, was %d", got, before)
			}
		})
	}
}
