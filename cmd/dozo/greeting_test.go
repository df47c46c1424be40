package main

import (
	"strings"
	"testing"
)

func TestGreeting(t *testing.T) {
	tests := []struct {
		name string
		g    greeting
		want []string
	}{
		{"the usual port", greeting{shares: []string{"Films"}, user: "anna", hosts: []string{"192.0.2.1"}, port: 445}, []string{
			`Windows   \\192.0.2.1\Films` + "\n",
			`macOS     smb://anna@192.0.2.1/Films` + "\n",
			`Linux     smbclient //192.0.2.1/Films -U anna` + "\n",
		}},
		{"another port", greeting{shares: []string{"Films"}, user: "anna", hosts: []string{"192.0.2.1"}, port: 4450}, []string{
			`net use * \\192.0.2.1\Films /tcpport:4450 /user:anna`,
			`smb://anna@192.0.2.1:4450/Films`,
			`smbclient //192.0.2.1/Films -p 4450 -U anna`,
			`Explorer reaches port 445 only`,
		}},
		{"IPv6", greeting{shares: []string{"Films"}, user: "anna", hosts: []string{"2001:db8::1"}, port: 445}, []string{
			`\\2001-db8--1.ipv6-literal.net\Films`,
			`smb://anna@[2001:db8::1]/Films`,
		}},
		{"spaces and signs", greeting{shares: []string{"Our films"}, user: "anna b", hosts: []string{"192.0.2.1"}, port: 4450}, []string{
			`net use * "\\192.0.2.1\Our films" /tcpport:4450`,
			`smb://anna%20b@192.0.2.1:4450/Our%20films`,
			`smbclient '//192.0.2.1/Our films' -p 4450 -U 'anna b'`,
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var b strings.Builder
			tt.g.print(&b)
			for _, want := range tt.want {
				if !strings.Contains(b.String(), want) {
					t.Errorf("the greeting lacks %q:\n%s", want, b.String())
				}
			}
		})
	}
}

func TestRandomPassword(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		p := randomPassword()
		if len(p) != passwordLength || strings.Trim(p, passwordLetters) != "" || seen[p] {
			t.Fatalf("password %q", p)
		}
		seen[p] = true
	}
}
