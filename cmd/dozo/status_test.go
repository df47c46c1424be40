package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dozo-server/dozo/internal/state"
	"github.com/dozo-server/dozo/internal/status"
)

// TestServerThatDoesNotAnswer: who asks it is told what may be the reason.
func TestServerThatDoesNotAnswer(t *testing.T) {
	c := stateFlag{State: filepath.Join(t.TempDir(), "state")}
	folder, err := state.Create(c.State)
	if err != nil {
		t.Fatal(err)
	}
	socket, err := status.Listen(folder.Path(statusSocket))
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close() // nobody serves it
	_, err = askServer(t.Context(), &c, 50*time.Millisecond, status.AskReload)
	if want := "the server has not answered for 50ms; "; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("asked with %v", err)
	}
}
