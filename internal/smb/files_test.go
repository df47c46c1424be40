package smb_test

import (
	"bytes"
	"math"
	"testing"
	"time"

	"github.com/dozo-server/dozo/internal/cursor"
	"github.com/dozo-server/dozo/internal/share"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/internal/smbclient"
	"github.com/dozo-server/dozo/vfs/memfs"
)

func TestRead(t *testing.T) {
	tree := emptyTree(t)
	f := newFile(t, tree, "file", "0123456789")
	folder := open(t, tree, smbclient.MakingFolder("folder"))
	attributes := open(t, tree, smbclient.Existing("file", smbwire.FileReadAttributes))
	program := open(t, tree, smbclient.Existing("file", smbwire.FileExecute))
	for _, tt := range []struct {
		name   string
		in     smbwire.ReadRequest
		data   string
		status smbwire.Status
	}{
		{"all", smbwire.ReadRequest{Length: 10}, "0123456789", smbwire.StatusOK},
		{"from the middle", smbwire.ReadRequest{Length: 3, Offset: 4}, "456", smbwire.StatusOK},
		{"less than asked for", smbwire.ReadRequest{Length: 100, Offset: 7}, "789", smbwire.StatusOK},
		{"less than the least", smbwire.ReadRequest{Length: 100, Offset: 7, MinimumCount: 4}, "", smbwire.StatusEndOfFile},
		{"as little as the least", smbwire.ReadRequest{Length: 100, Offset: 7, MinimumCount: 3}, "789", smbwire.StatusOK},
		{"nothing", smbwire.ReadRequest{}, "", smbwire.StatusOK},
		{"nothing, but at least something", smbwire.ReadRequest{MinimumCount: 1}, "", smbwire.StatusEndOfFile},
		{"at the end", smbwire.ReadRequest{Length: 1, Offset: 10}, "", smbwire.StatusEndOfFile},
		{"nothing behind the end", smbwire.ReadRequest{Offset: 11}, "", smbwire.StatusOK},
		{"at the last offset", smbwire.ReadRequest{Length: 1, Offset: math.MaxInt64 - 1}, "", smbwire.StatusEndOfFile},
		{"over the last offset", smbwire.ReadRequest{Length: 1, Offset: math.MaxInt64}, "", smbwire.StatusInvalidParameter},
		{"at a negative offset", smbwire.ReadRequest{Offset: 1 << 63}, "", smbwire.StatusInvalidParameter},
		{"more than was paid for", smbwire.ReadRequest{Length: 64<<10 + 1}, "", smbwire.StatusInvalidParameter},
		{"by RDMA", smbwire.ReadRequest{Length: 1, Channel: smbwire.ChannelRDMAV1}, "", smbwire.StatusInvalidParameter},
		{"a folder", smbwire.ReadRequest{Length: 1, FileID: folder.ID()}, "", smbwire.StatusInvalidDeviceRequest},
		{"without the right", smbwire.ReadRequest{Length: 1, FileID: attributes.ID()}, "", smbwire.StatusAccessDenied},
		{"to run it", smbwire.ReadRequest{Length: 1, FileID: program.ID()}, "0", smbwire.StatusOK},
		{"what isn't open", smbwire.ReadRequest{Length: 1, FileID: smbwire.FileID{Persistent: 99, Volatile: 99}}, "", smbwire.StatusFileClosed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.in.FileID == (smbwire.FileID{}) {
				tt.in.FileID = f.ID()
			}
			var answer smbwire.ReadResponse
			status := send(t, tree, smbwire.Read, &tt.in, &answer)
			if status != tt.status || string(answer.Data) != tt.data {
				t.Errorf("READ = %q, %v; want %q, %v", answer.Data, status, tt.data, tt.status)
			}
		})
	}
}

func TestWrite(t *testing.T) {
	tree := emptyTree(t)
	f := newFile(t, tree, "file", "0123456789")
	folder := open(t, tree, smbclient.MakingFolder("folder"))
	reader := open(t, tree, smbclient.Existing("file", smbwire.FileReadData))
	for _, tt := range []struct {
		name   string
		in     smbwire.WriteRequest
		after  string
		status smbwire.Status
	}{
		{"at the start", smbwire.WriteRequest{Data: []byte("ab")}, "ab23456789", smbwire.StatusOK},
		{"beyond the end", smbwire.WriteRequest{Data: []byte("c"), Offset: 11}, "ab23456789\x00c", smbwire.StatusOK},
		{"and wait for the disk", smbwire.WriteRequest{Data: []byte("d"), Flags: smbwire.WriteWriteThrough}, "db23456789\x00c", smbwire.StatusOK},
		{"nothing", smbwire.WriteRequest{Offset: 100}, "db23456789\x00c", smbwire.StatusOK},
		{"nothing at the last offset", smbwire.WriteRequest{Offset: math.MaxInt64}, "", smbwire.StatusOK},
		{"at the last offset", smbwire.WriteRequest{Data: []byte("x"), Offset: math.MaxInt64}, "", smbwire.StatusInvalidParameter},
		{"at the end by -1", smbwire.WriteRequest{Data: []byte("x"), Offset: 1<<64 - 1}, "", smbwire.StatusInvalidParameter},
		{"nothing at a negative offset", smbwire.WriteRequest{Offset: 1 << 63}, "", smbwire.StatusInvalidParameter},
		{"more than was paid for", smbwire.WriteRequest{Data: make([]byte, 64<<10+1)}, "", smbwire.StatusInvalidParameter},
		{"by RDMA", smbwire.WriteRequest{Data: []byte("x"), Channel: smbwire.ChannelRDMAV1}, "", smbwire.StatusInvalidParameter},
		{"a folder", smbwire.WriteRequest{Data: []byte("x"), FileID: folder.ID()}, "", smbwire.StatusInvalidDeviceRequest},
		{"without the right", smbwire.WriteRequest{Data: []byte("x"), FileID: reader.ID()}, "", smbwire.StatusAccessDenied},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.in.FileID == (smbwire.FileID{}) {
				tt.in.FileID = f.ID()
			}
			var answer smbwire.WriteResponse
			status := send(t, tree, smbwire.Write, &tt.in, &answer)
			if status != tt.status || status == smbwire.StatusOK && int(answer.Count) != len(tt.in.Data) {
				t.Errorf("WRITE of %d bytes = %d, %v; want %v", len(tt.in.Data), answer.Count, status, tt.status)
			}
			if tt.after == "" {
				return
			}
			var now smbwire.ReadResponse
			if send(t, tree, smbwire.Read, &smbwire.ReadRequest{Length: 100, FileID: f.ID()}, &now); string(now.Data) != tt.after {
				t.Errorf("file is %q, want %q", now.Data, tt.after)
			}
		})
	}
}

func TestLargeTransfersComeBackWhole(t *testing.T) {
	tree := emptyTree(t)
	f := open(t, tree, smbclient.Making("large"))
	data := make([]byte, 9<<20+13)
	for i := range data {
		data[i] = byte(i * 7 >> 3)
	}
	if n, err := f.WriteAt(t.Context(), data, 0); n != len(data) || err != nil {
		t.Fatalf("wrote %d, %v", n, err)
	}
	got := make([]byte, len(data))
	if n, err := f.ReadAt(t.Context(), got, 0); n != len(data) || err != nil || !bytes.Equal(got, data) {
		t.Errorf("read %d, %v, equal = %v", n, err, bytes.Equal(got, data))
	}
}

func TestFullDisk(t *testing.T) {
	addr := serve(t, memfs.New(memfs.Limit(64<<10)), share.Options{})
	tree := connect(t, addr, shareName, smbclient.Options{})
	f := open(t, tree, smbclient.Making("file"))
	var err error
	for off := int64(0); err == nil && off < 1<<20; off += 4096 {
		_, err = f.WriteAt(t.Context(), make([]byte, 4096), off)
	}
	wants(t, "WRITE to a full disk", err, smbwire.StatusDiskFull)
}

func TestClose(t *testing.T) {
	tree := emptyTree(t)
	f := newFile(t, tree, "file", "12345")
	a, err := f.CloseAttributes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if a.Flags != smbwire.ClosePostQueryAttributes || a.EndOfFile != 5 || a.FileAttributes != 0x20 ||
		a.CreationTime == 0 || time.Since(a.LastWriteTime.Time()) > time.Minute {
		t.Errorf("attributes at CLOSE = %+v", a)
	}
	wants(t, "second CLOSE", f.Close(t.Context()), smbwire.StatusFileClosed)

	f = open(t, tree, smbclient.Existing("file", smbwire.FileReadData))
	var answer smbwire.CloseResponse
	if status := send(t, tree, smbwire.Close, &smbwire.CloseRequest{FileID: f.ID()}, &answer); status != smbwire.StatusOK || answer != (smbwire.CloseResponse{}) {
		t.Errorf("CLOSE that asks for nothing = %+v, %v", answer, status)
	}
}

func TestFlush(t *testing.T) {
	tree := emptyTree(t)
	f := newFile(t, tree, "file", "12345")
	reader := open(t, tree, smbclient.Existing("file", smbwire.FileReadData))
	for _, tt := range []struct {
		name string
		file smbwire.FileID
		want smbwire.Status
	}{
		{"of a writer", f.ID(), smbwire.StatusOK},
		{"of a reader", reader.ID(), smbwire.StatusAccessDenied},
		{"of nothing", smbwire.FileID{Volatile: 99}, smbwire.StatusFileClosed},
	} {
		if got := send(t, tree, smbwire.Flush, &smbwire.FlushRequest{FileID: tt.file}, nil); got != tt.want {
			t.Errorf("FLUSH %s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestCreateDispositions(t *testing.T) {
	tree := emptyTree(t)
	for _, tt := range []struct {
		name        string
		disposition smbwire.Disposition
		there       bool
		status      smbwire.Status
		action      smbwire.CreateAction
		size        uint64
	}{
		{"supersede", smbwire.FileSupersede, true, smbwire.StatusOK, smbwire.FileSuperseded, 0},
		{"supersede nothing", smbwire.FileSupersede, false, smbwire.StatusOK, smbwire.FileCreated, 0},
		{"open", smbwire.FileOpen, true, smbwire.StatusOK, smbwire.FileOpened, 5},
		{"open nothing", smbwire.FileOpen, false, smbwire.StatusObjectNameNotFound, 0, 0},
		{"create over something", smbwire.FileCreate, true, smbwire.StatusObjectNameCollision, 0, 0},
		{"create", smbwire.FileCreate, false, smbwire.StatusOK, smbwire.FileCreated, 0},
		{"open if there", smbwire.FileOpenIf, true, smbwire.StatusOK, smbwire.FileOpened, 5},
		{"open if not there", smbwire.FileOpenIf, false, smbwire.StatusOK, smbwire.FileCreated, 0},
		{"overwrite", smbwire.FileOverwrite, true, smbwire.StatusOK, smbwire.FileOverwritten, 0},
		{"overwrite nothing", smbwire.FileOverwrite, false, smbwire.StatusObjectNameNotFound, 0, 0},
		{"overwrite if there", smbwire.FileOverwriteIf, true, smbwire.StatusOK, smbwire.FileOverwritten, 0},
		{"overwrite if not there", smbwire.FileOverwriteIf, false, smbwire.StatusOK, smbwire.FileCreated, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.there {
				newFile(t, tree, tt.name, "12345").Close(t.Context())
			}
			m := smbclient.Existing(tt.name, smbwire.GenericAll)
			m.Disposition = tt.disposition
			f, err := tree.Create(t.Context(), m)
			wants(t, "CREATE", err, tt.status)
			if err != nil {
				return
			}
			if i := f.Info(); i.CreateAction != tt.action || i.EndOfFile != tt.size || i.FileAttributes != 0x20 || i.CreationTime == 0 {
				t.Errorf("CREATE = %+v, want action %d and size %d", *i, tt.action, tt.size)
			}
		})
	}
}

func TestCreateTellsFilesFromFolders(t *testing.T) {
	tree := emptyTree(t)
	newFile(t, tree, "file", "").Close(t.Context())
	open(t, tree, smbclient.MakingFolder("folder")).Close(t.Context())
	for _, tt := range []struct {
		name    string
		options smbwire.CreateOptions
		status  smbwire.Status
	}{
		{`file`, 0, smbwire.StatusOK},
		{`file::$DATA`, 0, smbwire.StatusOK},
		{`FILE`, smbwire.NonDirectoryFile, smbwire.StatusOK},
		{`file`, smbwire.DirectoryFile, smbwire.StatusNotADirectory},
		{`file\`, 0, smbwire.StatusNotADirectory},
		{`file:stream`, 0, smbwire.StatusObjectNameInvalid},
		{`file\below`, 0, smbwire.StatusObjectPathNotFound},
		{`missing\below`, 0, smbwire.StatusObjectPathNotFound},
		{`folder`, 0, smbwire.StatusOK},
		{`folder\`, smbwire.DirectoryFile, smbwire.StatusOK},
		{`folder::$INDEX_ALLOCATION`, 0, smbwire.StatusOK},
		{`folder`, smbwire.NonDirectoryFile, smbwire.StatusFileIsADirectory},
		{`folder::$DATA`, 0, smbwire.StatusFileIsADirectory},
		{``, smbwire.DirectoryFile, smbwire.StatusOK},
		{`\file`, 0, smbwire.StatusInvalidParameter},
		{`f*`, 0, smbwire.StatusObjectNameInvalid},
	} {
		m := smbclient.Existing(tt.name, smbwire.FileReadAttributes)
		m.Options = tt.options
		f, err := tree.Create(t.Context(), m)
		wants(t, tt.name, err, tt.status)
		if err == nil {
			f.Close(t.Context())
		}
	}
}

func TestLinksAreFollowedButNotWhenTheyGo(t *testing.T) {
	fs := memfs.New()
	tree := connect(t, serve(t, fs, share.Options{}), shareName, smbclient.Options{})
	newFile(t, tree, "file", "12345").Close(t.Context())
	for _, name := range []string{"link", "other"} {
		if err := fs.Symlink(name, "file"); err != nil {
			t.Fatal(err)
		}
	}
	f := open(t, tree, smbclient.Existing("link", smbwire.GenericRead))
	if i := f.Info(); i.EndOfFile != 5 || i.FileAttributes != 0x20 {
		t.Errorf("a link is opened as %+v", *i)
	}
	f.Close(t.Context())
	if err := tree.Remove(t.Context(), "link"); err != nil {
		t.Fatal(err)
	}
	if err := tree.Rename(t.Context(), "other", "moved", false); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]smbwire.Status{
		"file": smbwire.StatusOK, "moved": smbwire.StatusOK,
		"link": smbwire.StatusObjectNameNotFound, "other": smbwire.StatusObjectNameNotFound,
	} {
		_, err := tree.Open(t.Context(), name, smbwire.FileReadData)
		wants(t, name, err, want)
	}
}

func TestCreateContexts(t *testing.T) {
	tree := emptyTree(t)
	m := smbclient.Making("file")
	size := cursor.NewWriter(nil)
	(&smbwire.AllocationSizeRequest{AllocationSize: 1 << 16}).Encode(size)
	m.Contexts = smbwire.CreateContexts{
		{Name: smbwire.ContextMaximalAccess},
		{Name: smbwire.ContextDiskID},
		{Name: smbwire.ContextAllocationSize, Data: size.Message()},
		{Name: smbwire.ContextLease, Data: make([]byte, 32)},
		{Name: "FooO"},
	}
	m.OplockLevel = smbwire.OplockLease
	f := open(t, tree, m)
	info := f.Info()
	if len(info.Contexts) != 2 || info.OplockLevel != smbwire.OplockNone || info.EndOfFile != 0 {
		t.Errorf("CREATE = %+v, want two contexts and no lease", info)
	}
	var access smbwire.MaximalAccessResponse
	data, _ := info.Contexts.Find(smbwire.ContextMaximalAccess)
	r := cursor.NewReader(data)
	access.Decode(r)
	if r.Err() != nil || access.QueryStatus != smbwire.StatusOK || access.MaximalAccess != smbwire.FileAllAccess {
		t.Errorf("MxAc = %+v, %v", access, r.Err())
	}
	var id smbwire.DiskIDResponse
	data, _ = info.Contexts.Find(smbwire.ContextDiskID)
	r = cursor.NewReader(data)
	id.Decode(r)
	if r.Err() != nil || id.DiskFileID < 17 || id.VolumeID == 0 {
		t.Errorf("QFid = %+v, %v", id, r.Err())
	}

	since := cursor.NewWriter(nil)
	(&smbwire.MaximalAccessRequest{Timestamp: info.LastWriteTime}).Encode(since)
	m = smbclient.Existing("file", smbwire.FileReadAttributes)
	m.Contexts = smbwire.CreateContexts{{Name: smbwire.ContextMaximalAccess, Data: since.Message()}}
	data, _ = open(t, tree, m).Info().Contexts.Find(smbwire.ContextMaximalAccess)
	access.Decode(cursor.NewReader(data))
	if access.QueryStatus != smbwire.StatusNoneMapped || access.MaximalAccess != 0 {
		t.Errorf("MxAc since the last change = %+v", access)
	}
}

func TestDeleteOnClose(t *testing.T) {
	tree := emptyTree(t)
	m := smbclient.Making("file")
	m.Options |= smbwire.DeleteOnClose
	f := open(t, tree, m)
	other := open(t, tree, smbclient.Existing("file", smbwire.FileReadAttributes))
	if err := f.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err := tree.Open(t.Context(), "file", smbwire.FileReadAttributes)
	wants(t, "CREATE of what is to go", err, smbwire.StatusDeletePending)
	if err := other.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err = tree.Open(t.Context(), "file", smbwire.FileReadAttributes)
	wants(t, "CREATE of what is gone", err, smbwire.StatusObjectNameNotFound)
}

func TestCloseDoesNotOvertake(t *testing.T) {
	tree := emptyTree(t)
	conn := tree.Session().Conn()
	data := make([]byte, 64<<10)
	for range 50 {
		f := newFile(t, tree, "file", string(data))
		// Sent without waiting, in frames of their own.
		var calls []*smbclient.Call
		for i := range 4 {
			c, err := conn.Start(t.Context(), &smbclient.Request{
				Command: smbwire.Read, Tree: tree, Body: &smbwire.ReadRequest{Length: 64 << 10, FileID: f.ID()},
			})
			if err != nil {
				t.Fatal(err)
			}
			calls = append(calls, c...)
			if i < 3 {
				continue
			}
			if c, err = conn.Start(t.Context(), &smbclient.Request{
				Command: smbwire.Close, Tree: tree, Body: &smbwire.CloseRequest{FileID: f.ID()},
			}); err != nil {
				t.Fatal(err)
			}
			calls = append(calls, c...)
		}
		for i, call := range calls {
			if got := ended(t, call); got != smbwire.StatusOK {
				t.Fatalf("request %d of 5: %v", i, got)
			}
		}
	}
}

func TestCloseBeforeOthersInItsFrame(t *testing.T) {
	tree := emptyTree(t)
	f, other := newFile(t, tree, "file", "12345"), newFile(t, tree, "other", "12345")
	read := func(f *smbclient.File) *smbclient.Request {
		return &smbclient.Request{Command: smbwire.Read, Tree: tree, Body: &smbwire.ReadRequest{Length: 5, FileID: f.ID()}}
	}
	shut := func(f *smbclient.File) *smbclient.Request {
		return &smbclient.Request{Command: smbwire.Close, Tree: tree, Body: &smbwire.CloseRequest{FileID: f.ID()}}
	}
	// Each CLOSE stands before a READ that the other one's frame has, too.
	first, err := tree.Session().Conn().Start(t.Context(), shut(f), read(f), read(other))
	if err != nil {
		t.Fatal(err)
	}
	second, err := tree.Session().Conn().Start(t.Context(), shut(other), read(f))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []smbwire.Status{smbwire.StatusOK, smbwire.StatusFileClosed, smbwire.StatusOK} {
		if got := ended(t, first[i]); got != want {
			t.Errorf("request %d of the first frame: %v, want %v", i, got, want)
		}
	}
	if got := ended(t, second[0]); got != smbwire.StatusOK {
		t.Errorf("CLOSE in the second frame: %v", got)
	}
	ended(t, second[1]) // before or after the CLOSE in the first frame
}
