package smb_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dozo-server/dozo/internal/cursor"
	"github.com/dozo-server/dozo/internal/share"
	"github.com/dozo-server/dozo/internal/smb/smbwire"
	"github.com/dozo-server/dozo/internal/smbclient"
	"github.com/dozo-server/dozo/vfs/memfs"
)

const (
	watchNames = 0x3 // FILE_NOTIFY_CHANGE_FILE_NAME and DIR_NAME
	watchAll   = 0xfff
)

// openFolder opens a folder, made if need be.
func openFolder(t testing.TB, tree *smbclient.Tree, name string) *smbclient.File {
	t.Helper()
	m := smbclient.Folder(name)
	m.Disposition = smbwire.FileOpenIf
	return open(t, tree, m)
}

// notify sends a CHANGE_NOTIFY that has to wait, and returns when it does.
func notify(t testing.TB, f *smbclient.File, m smbwire.ChangeNotifyRequest) *smbclient.Call {
	t.Helper()
	m.FileID = f.ID()
	if m.OutputBufferLength == 0 {
		m.OutputBufferLength = 4096
	}
	calls, err := f.Tree().Session().Conn().Start(t.Context(), &smbclient.Request{Command: smbwire.ChangeNotify, Body: &m, Tree: f.Tree()})
	if err != nil {
		t.Fatal(err)
	}
	select {
	case <-calls[0].Interim():
	case <-calls[0].Done():
		r, err := calls[0].Wait(t.Context())
		t.Fatalf("CHANGE_NOTIFY did not wait: %v, %v", r, err)
	case <-time.After(10 * time.Second):
		t.Fatal("CHANGE_NOTIFY was not answered")
	}
	return calls[0]
}

// noticed waits for the answer to a CHANGE_NOTIFY, as status and changes.
func noticed(t testing.TB, call *smbclient.Call) string {
	t.Helper()
	r, err := call.Wait(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Free()
	if r.Header.Status != smbwire.StatusOK {
		return r.Header.Status.String()
	}
	var m smbwire.ChangeNotifyResponse
	if err := r.Decode(&m); err != nil {
		t.Fatal(err)
	}
	var info smbwire.NotifyInformation
	rd := cursor.NewReader(m.Buffer)
	if info.Decode(rd); rd.Err() != nil {
		t.Fatal(rd.Err())
	}
	var words []string
	for _, c := range info.Changes {
		words = append(words, fmt.Sprint(c.Action, c.Name))
	}
	return strings.Join(words, " ")
}

func TestChangeNotify(t *testing.T) {
	for _, tt := range []struct {
		name string
		m    smbwire.ChangeNotifyRequest
		do   func(t *testing.T, watching, other *smbclient.File, call *smbclient.Call)
		want string
	}{
		{"a new file", smbwire.ChangeNotifyRequest{CompletionFilter: watchNames}, func(t *testing.T, _, other *smbclient.File, _ *smbclient.Call) {
			newFile(t, other.Tree(), `d\ä`, "")
		}, "1ä"},
		{"a new file below", smbwire.ChangeNotifyRequest{CompletionFilter: watchNames, Flags: smbwire.NotifyWatchTree}, func(t *testing.T, _, other *smbclient.File, _ *smbclient.Call) {
			newFile(t, other.Tree(), `d\sub\x`, "")
		}, `1sub\x`},
		{"a buffer that is too small", smbwire.ChangeNotifyRequest{CompletionFilter: watchNames, OutputBufferLength: 13}, func(t *testing.T, _, other *smbclient.File, _ *smbclient.Call) {
			newFile(t, other.Tree(), `d\x`, "")
		}, "STATUS_NOTIFY_ENUM_DIR"},
		{"CANCEL", smbwire.ChangeNotifyRequest{CompletionFilter: watchAll}, func(_ *testing.T, _, _ *smbclient.File, call *smbclient.Call) {
			call.Cancel()
		}, "STATUS_CANCELLED"},
		{"CLOSE", smbwire.ChangeNotifyRequest{CompletionFilter: watchAll}, func(t *testing.T, watching, _ *smbclient.File, _ *smbclient.Call) {
			wants(t, "CLOSE", watching.Close(t.Context()), smbwire.StatusOK)
		}, "STATUS_NOTIFY_CLEANUP"},
		{"TREE_DISCONNECT", smbwire.ChangeNotifyRequest{CompletionFilter: watchAll}, func(t *testing.T, watching, _ *smbclient.File, _ *smbclient.Call) {
			wants(t, "TREE_DISCONNECT", watching.Tree().Disconnect(t.Context()), smbwire.StatusOK)
		}, "STATUS_NOTIFY_CLEANUP"},
		{"LOGOFF", smbwire.ChangeNotifyRequest{CompletionFilter: watchAll}, func(t *testing.T, watching, _ *smbclient.File, _ *smbclient.Call) {
			if status := send(t, watching.Tree(), smbwire.Logoff, &smbwire.LogoffRequest{}, nil); status != smbwire.StatusOK {
				t.Errorf("LOGOFF: %v", status)
			}
		}, "STATUS_NOTIFY_CLEANUP"},
		{"the folder is deleted", smbwire.ChangeNotifyRequest{CompletionFilter: watchAll}, func(t *testing.T, _, other *smbclient.File, _ *smbclient.Call) {
			m := smbclient.Existing("d", smbwire.Delete)
			m.Options = smbwire.DeleteOnClose
			wants(t, "CLOSE", open(t, other.Tree(), m).Close(t.Context()), smbwire.StatusOK)
		}, "STATUS_DELETE_PENDING"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			addr := serve(t, memfs.New(), share.Options{})
			watching := openFolder(t, connect(t, addr, shareName, smbclient.Options{}), "d")
			other := connect(t, addr, shareName, smbclient.Options{})
			if strings.Contains(tt.want, "sub") {
				openFolder(t, other, `d\sub`)
			}
			call := notify(t, watching, tt.m)
			tt.do(t, watching, openFolder(t, other, ""), call)
			if got := noticed(t, call); got != tt.want {
				t.Errorf("told %q, want %q", got, tt.want)
			}
		})
	}
}

func TestChangeNotifyThatMakesNoSense(t *testing.T) {
	tree := emptyTree(t)
	file := newFile(t, tree, "file", "")
	dir := openFolder(t, tree, "d")
	m := smbclient.Existing("d", smbwire.FileReadAttributes)
	blind := open(t, tree, m)
	for _, tt := range []struct {
		name string
		m    smbwire.ChangeNotifyRequest
		want smbwire.Status
	}{
		{"a file", smbwire.ChangeNotifyRequest{FileID: file.ID(), OutputBufferLength: 100, CompletionFilter: watchAll}, smbwire.StatusInvalidParameter},
		{"without the right to list", smbwire.ChangeNotifyRequest{FileID: blind.ID(), OutputBufferLength: 100, CompletionFilter: watchAll}, smbwire.StatusAccessDenied},
		{"a buffer of 2 GiB", smbwire.ChangeNotifyRequest{FileID: dir.ID(), OutputBufferLength: 1 << 31, CompletionFilter: watchAll}, smbwire.StatusInvalidParameter},
		{"nothing that is open", smbwire.ChangeNotifyRequest{FileID: smbwire.FileID{Persistent: 99, Volatile: 99}, OutputBufferLength: 100}, smbwire.StatusFileClosed},
	} {
		if status := send(t, tree, smbwire.ChangeNotify, &tt.m, nil); status != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, status, tt.want)
		}
	}
}

// TestChangesBetweenRequests are told by the next request, which does not wait.
func TestChangesBetweenRequests(t *testing.T) {
	tree := emptyTree(t)
	dir := openFolder(t, tree, "d")
	call := notify(t, dir, smbwire.ChangeNotifyRequest{CompletionFilter: watchNames})
	newFile(t, tree, `d\a`, "")
	if got := noticed(t, call); got != "1a" {
		t.Errorf("told %q", got)
	}
	newFile(t, tree, `d\b`, "")
	newFile(t, tree, `d\c`, "")
	var m smbwire.ChangeNotifyResponse
	request := &smbwire.ChangeNotifyRequest{FileID: dir.ID(), OutputBufferLength: 100, CompletionFilter: watchNames}
	if status := send(t, tree, smbwire.ChangeNotify, request, &m); status != smbwire.StatusOK || len(m.Buffer) != 16+14 {
		t.Errorf("%v, %d bytes", status, len(m.Buffer))
	}
}

// TestFirstToAskIsFirstToBeTold sends several requests about one open in one go.
func TestFirstToAskIsFirstToBeTold(t *testing.T) {
	tree := emptyTree(t)
	dir := openFolder(t, tree, "d")
	var calls []*smbclient.Call
	for range 10 {
		m := &smbwire.ChangeNotifyRequest{FileID: dir.ID(), OutputBufferLength: 100, CompletionFilter: watchNames}
		started, err := tree.Session().Conn().Start(t.Context(), &smbclient.Request{Command: smbwire.ChangeNotify, Body: m, Tree: tree})
		if err != nil {
			t.Fatal(err)
		}
		calls = append(calls, started...)
	}
	for i, call := range calls {
		<-call.Interim()
		newFile(t, tree, fmt.Sprintf(`d\%d`, i), "")
		if got, want := noticed(t, call), fmt.Sprint("1", i); got != want {
			t.Errorf("told %q, want %q", got, want)
		}
	}
}

// TestChangeNotifyInACompound answers what stands before it at once.
func TestChangeNotifyInACompound(t *testing.T) {
	tree := emptyTree(t)
	calls, err := tree.Session().Conn().Start(t.Context(),
		&smbclient.Request{Command: smbwire.Create, Tree: tree, Body: smbclient.MakingFolder("d")},
		&smbclient.Request{Command: smbwire.ChangeNotify, Tree: tree, Related: true, Body: &smbwire.ChangeNotifyRequest{
			FileID: smbwire.RelatedFileID, OutputBufferLength: 100, CompletionFilter: watchNames,
		}})
	if err != nil {
		t.Fatal(err)
	}
	if got := ended(t, calls[0]); got != smbwire.StatusOK {
		t.Errorf("CREATE: %v", got)
	}
	<-calls[1].Interim()
	newFile(t, tree, `d\x`, "")
	if got := noticed(t, calls[1]); got != "1x" {
		t.Errorf("told %q", got)
	}
}

// TestChangeNotifyBeforeOthersInACompound refuses what would keep the requests
// behind it waiting.
func TestChangeNotifyBeforeOthersInACompound(t *testing.T) {
	tree := emptyTree(t)
	calls, err := tree.Session().Conn().Start(t.Context(),
		&smbclient.Request{Command: smbwire.Create, Tree: tree, Body: smbclient.MakingFolder("d")},
		&smbclient.Request{Command: smbwire.ChangeNotify, Tree: tree, Related: true, Body: &smbwire.ChangeNotifyRequest{
			FileID: smbwire.RelatedFileID, OutputBufferLength: 100, CompletionFilter: watchNames,
		}},
		&smbclient.Request{Command: smbwire.Close, Tree: tree, Related: true, Body: &smbwire.CloseRequest{FileID: smbwire.RelatedFileID}},
	)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []smbwire.Status{smbwire.StatusOK, smbwire.StatusInternalError, smbwire.StatusOK} {
		if got := ended(t, calls[i]); got != want {
			t.Errorf("request %d: %v, want %v", i, got, want)
		}
	}
}
