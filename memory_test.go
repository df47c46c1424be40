package dozo

import "testing"

func TestRoom(t *testing.T) {
	const mb, gb = 1 << 20, 1 << 30
	for _, tt := range []struct {
		name                               string
		most, used, total, available, want int64
	}{
		{"plenty", gb, 100 * mb, 16 * gb, 10 * gb, gb},
		{"room to grow, not for all", gb, 100 * mb, 16 * gb, gb + 200*mb, 300 * mb},
		{"just the reserve", gb, 100 * mb, 16 * gb, gb, 100 * mb},
		{"less than the reserve", gb, 500 * mb, 16 * gb, gb - 100*mb, 400 * mb},
		{"nothing", gb, 500 * mb, 16 * gb, 0, 16 * mb},
		{"nothing, with a small budget", 8 * mb, 500 * mb, 16 * gb, 0, 8 * mb},
	} {
		if got := room(tt.most, tt.used, tt.total, tt.available); got != tt.want {
			t.Errorf("%s: %d MiB, want %d", tt.name, got/mb, tt.want/mb)
		}
	}
}
