package config

import (
	"fmt"
	"reflect"
	"slices"
)

// Change is a difference between two configurations.
type Change struct {
	Share     string // "" for the server
	Key       string // "" when the share came or went
	Value     string // of the key by now, as it stands in the file; "added" or "removed" without a key
	Restart   bool   // it has its effect after a restart
	Reconnect bool   // clients of the share have to connect anew
}

// Changes tells what makes now of then, both of which were resolved.
func Changes(then, now *Config) []Change {
	var all []Change
	for _, k := range serverKeys {
		if slices.Contains(inherited, k.name) {
			continue // the shares have it
		}
		if v := k.value(now); !reflect.DeepEqual(v.Interface(), k.value(then).Interface()) {
			all = append(all, Change{Key: k.name, Value: k.words(v), Restart: k.applies == restart})
		}
	}
	for i := range then.Shares {
		if name := then.Shares[i].Name; now.share(name) == nil {
			all = append(all, Change{Share: string(name), Value: "removed"})
		}
	}
	for i := range now.Shares {
		h := &now.Shares[i]
		was := then.share(h.Name)
		if was == nil {
			all = append(all, Change{Share: string(h.Name), Value: "added"})
			continue
		}
		for _, k := range shareKeys {
			if v := k.value(h); !reflect.DeepEqual(v.Interface(), k.value(was).Interface()) {
				all = append(all, Change{Share: string(h.Name), Key: k.name, Value: k.words(v), Reconnect: k.applies == reconnect})
			}
		}
	}
	return all
}

// words tell a value, or what it is by default.
func (k *key) words(v reflect.Value) string {
	if v.IsZero() && k.fallback != "" {
		return k.fallback
	}
	return Literal(v.Interface())
}

func (c *Config) share(name ShareName) *Share {
	for i := range c.Shares {
		if c.Shares[i].Name == name {
			return &c.Shares[i]
		}
	}
	return nil
}

// KeepRestart gives c the values of then for keys that have their effect after a
// restart only.
func (c *Config) KeepRestart(then *Config) {
	for _, k := range serverKeys {
		if k.applies == restart {
			k.value(c).Set(k.value(then))
		}
	}
}

func (h Change) String() string {
	what := h.Key + " is " + h.Value
	switch {
	case h.Key == "":
		return fmt.Sprintf("share %s: %s", h.Share, h.Value)
	case h.Reconnect:
		what += "; its clients have to connect anew"
	}
	if h.Share == "" {
		return what
	}
	return fmt.Sprintf("share %s: %s", h.Share, what)
}
