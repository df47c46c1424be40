package main

import "testing"

func TestSize(t *testing.T) {
	tests := []struct {
		text string
		want size // 0: refused
	}{
		{"1000000", 1000000}, {"64K", 64 << 10}, {"512M", 512 << 20}, {"512m", 512 << 20}, {"2G", 2 << 30}, {"2GiB", 2 << 30},
		{"2gb", 2 << 30}, {"1T", 1 << 40}, {"", 0}, {"M", 0}, {"-1M", 0}, {"0", 0}, {"1.5G", 0}, {"12MM", 0}, {"9999999T", 0}, {"1KM", 0},
	}
	for _, tt := range tests {
		var got size
		if err := got.UnmarshalText([]byte(tt.text)); (err != nil) != (tt.want == 0) || got != tt.want {
			t.Errorf("size %q = %d, %v; want %d", tt.text, got, err, tt.want)
		}
	}
}
