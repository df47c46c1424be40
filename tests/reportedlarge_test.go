package tests

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/internal/smbclient"
)

// fill makes files behind the server's back: from the given number on, up to
// another.
func (s *server) fill(dir string, from, to int) {
	s.t.Helper()
	for i := from; i < to; i++ {
		s.write(dir+"/"+fileNumber(i), "")
	}
}

func fileNumber(i int) string { return fmt.Sprintf("IMG_%07d.jpg", i) }

// TestLargeFolderComplaints counts what the server asks of the system in a
// folder of many files. How long that takes is for the benchmark.
func TestLargeFolderComplaints(t *testing.T) {
	ownProgram(t)
	needRoot(t)
	need(t, "strace")
	const files, some = 20_000, 200
	s := serve(t)
	os.Mkdir(s.path("d"), 0o777)
	s.fill("d", 0, files)
	c := s.connect()
	names := func(format string) func() {
		return func() {
			for i := range some {
				name := fmt.Sprintf(format, i*files/some)
				if got := c.list("d", name); len(got) != 1 {
					t.Fatalf("asked for %s the listing shows %q", name, got)
				}
			}
		}
	}
	missing := func(format string) func() {
		return func() {
			for i := range some {
				_, err := c.tree.Open(t.Context(), fmt.Sprintf(format, i), smbwire.FileReadAttributes)
				if !errors.Is(err, smbwire.StatusObjectNameNotFound) {
					t.Fatalf("a missing name: %v", err)
				}
			}
		}
	}
	missing(`D\%d`)() // the folder is read here, once

	for _, tt := range []struct {
		name string
		do   func()
		most float64 // calls on files for each name
	}{
		// https://lists.samba.org/archive/samba-technical/2005-January/039176.html
		{"a file is opened in another case", func() {
			for i := range some {
				c.close(c.open(smbclient.Existing(`D\img_`+fileNumber(i)[4:], smbwire.FileReadAttributes)))
			}
		}, 6},
		// https://github.com/Franiac/TwitchLeecher/issues/144
		{"a file is made", func() {
			for i := range some {
				c.write(fmt.Sprintf(`d\temp %d`, i), "x")
			}
		}, 6},
		// https://lists.samba.org/archive/samba/2014-September/184761.html
		{"Finder looks for a ._ beside each file", missing(`d\._IMG_%07d.jpg`), 0},
		// https://github.com/doublecmd/doublecmd/issues/1926, https://github.com/xbmc/xbmc/issues/24236
		{"each file is asked for by its name as a pattern", names("IMG_%07d.jpg"), 8},
		{"and in another case", names("img_%07d.JPG"), 8},
	} {
		t.Run(tt.name, func(t *testing.T) {
			calls := s.trace(tt.do)
			if n := calls["getdents64"]; n > 0 {
				t.Errorf("the folder was read: %v", calls)
			}
			if per := float64(total(calls)) / some; per > tt.most+slack {
				t.Errorf("%.1f calls for each name, more than %.0f: %v", per, tt.most, calls)
			}
		})
	}

	// https://github.com/truenas/samba/pull/242, https://github.com/truenas/middleware/pull/18988
	// A second listing asks for nothing but what may have changed in place: one
	// look at each file.
	t.Run("each file is opened by a listing", func(t *testing.T) {
		listed := len(c.list("d", "*"))
		calls := s.trace(func() { listed = len(c.list("d", "*")) })
		looked := calls["newfstatat"] + calls["statx"]
		if listed != files+some || looked > listed+some || total(calls)-looked > listed/100 {
			t.Errorf("to list %d files: %v", listed, calls)
		}
	})
}

// https://github.com/fortra/impacket/issues/1433; DittoFS 0.29 lists 5,242 of 7,000.
func TestListingsAreComplete(t *testing.T) {
	s := serve(t)
	os.Mkdir(s.path("d"), 0o777)
	c := s.connect()
	have := 0
	for _, n := range []int{0, 1, 549, 550, 551, 5241, 5242, 5243, 65_535, 65_536, 65_537} {
		s.fill("d", have, n)
		have = n
		buffers := []uint32{160, 4096, 64 << 10, 8 << 20} // the first has room for one entry
		if n > 1000 {
			buffers = []uint32{8 << 20}
		}
		for _, size := range buffers {
			if got := c.listBy(size); got != n {
				t.Errorf("of %d files %d are listed into a buffer of %d", n, got, size)
			}
		}
	}
}

// listBy lists the folder d with a buffer of a size and returns how many
// different files it shows; each must be there once.
func (c *share) listBy(size uint32) int {
	c.t.Helper()
	d := c.open(smbclient.Folder("d"))
	defer c.close(d)
	m := smbwire.QueryDirectoryRequest{
		Class: smbwire.FileIDBothDirectoryInformation, FileID: d.ID(), OutputBufferLength: size, FileName: "*",
	}
	seen := map[string]bool{".": true, "..": true}
	for {
		r, err := c.tree.Session().Conn().Do(c.t.Context(), &smbclient.Request{
			Command: smbwire.QueryDirectory, Tree: c.tree, Body: &m, Charge: uint16((size + 1<<16 - 1) >> 16),
		})
		if err != nil {
			c.t.Fatal(err)
		}
		if r.Header.Status == smbwire.StatusNoMoreFiles {
			r.Free()
			return len(seen) - 2
		}
		var answer smbwire.QueryDirectoryResponse
		if err := errors.Join(r.Err(), r.Decode(&answer)); err != nil {
			c.t.Fatal(err)
		}
		for e, err := range smbwire.DirectoryEntries(m.Class, answer.Data) {
			switch {
			case err != nil:
				c.t.Fatal(err)
			case seen[e.FileName] && e.FileName[0] != '.':
				c.t.Fatalf("%s is listed twice", e.FileName)
			}
			seen[e.FileName] = true
		}
		r.Free()
	}
}

// https://github.com/jamesyc/TimeCapsuleSMB/pull/297
// A client that is granted leases on folders keeps them open while it walks a
// tree, and ends the walk silently when the server runs out of them.
func TestWalkWithLeases(t *testing.T) {
	folders, each := 20, 100
	if os.Getenv("DOZO_FULL") != "" {
		folders, each = 100, 200
	}
	s := serve(t)
	for i := range folders {
		for j := range each {
			if err := os.MkdirAll(s.path(fmt.Sprintf("%d/%d", i, j)), 0o777); err != nil {
				t.Fatal(err)
			}
		}
	}
	c := s.connect()
	lease := 0
	var kept []*smbclient.File
	visit := func(name string) []string {
		lease++
		m := smbclient.Folder(name)
		m.OplockLevel = smbwire.OplockLease
		m.Contexts = smbwire.CreateContexts{{Name: smbwire.ContextLease, Data: directoryLease(lease)}}
		d := c.open(m)
		if d.Info().OplockLevel == smbwire.OplockLease {
			kept = append(kept, d)
		} else {
			defer c.close(d)
		}
		var names []string
		for e, err := range d.List(t.Context(), smbwire.FileIDBothDirectoryInformation, "*") {
			if err != nil {
				t.Fatalf("list %s: %v", name, err)
			}
			if strings.Trim(e.FileName, ".") != "" {
				names = append(names, e.FileName)
			}
		}
		return names
	}
	visited := 0
	for _, top := range visit("") {
		for _, sub := range visit(top) {
			if below := visit(top + `\` + sub); len(below) > 0 {
				t.Fatalf("%s holds %q", sub, below)
			}
			visited++
		}
	}
	if visited != folders*each {
		t.Errorf("the walk came by %d folders of %d", visited, folders*each)
	}
	for _, d := range kept {
		c.close(d)
	}
}

// directoryLease asks for a lease that caches reads and handles ([MS-SMB2]
// 2.2.13.2.10).
func directoryLease(key int) []byte {
	const readAndHandle = 0x03
	data := make([]byte, 52)
	copy(data, fmt.Sprintf("key %d", key))
	data[16] = readAndHandle
	return data
}
