package catalog

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"testing"
)

// TestKill ends a process that gives ids, by kill -9 and over and over: each id
// that it showed stays, and none is given twice.
func TestKill(t *testing.T) {
	if dir := os.Getenv("DOZO_CATALOG"); dir != "" {
		giveForever(t, dir)
		return
	}
	dir := folder(t)
	owner := map[CNID]int{}
	for round := range 5 {
		run := exec.Command(os.Args[0], "-test.run=^TestKill$")
		run.Env = append(os.Environ(), "DOZO_CATALOG="+dir, fmt.Sprintf("DOZO_ROUND=%d", round))
		out, err := run.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := run.Start(); err != nil {
			t.Fatal(err)
		}
		lines, shown := bufio.NewScanner(out), 0
		for lines.Scan() {
			var id CNID
			var n int
			if k, _ := fmt.Sscanf(lines.Text(), "%d is %d;", &id, &n); k != 2 {
				continue
			}
			if other, ok := owner[id]; ok && other != n {
				t.Fatalf("%d is %d and %d", id, other, n)
			}
			owner[id] = n
			if shown++; shown == 700*(round+1) {
				run.Process.Kill()
			}
		}
		run.Wait()
		if shown < 700*(round+1) {
			t.Fatalf("%d ids were shown", shown)
		}
	}
	c := open(t, dir, Options{})
	for id, n := range owner {
		if e, err := c.Entry(t.Context(), id); e.Identity != ident(n) || err != nil {
			t.Fatalf("%d was %d and is %+v, %v", id, n, e, err)
		}
	}
}

// giveForever shows ids until the process ends.
func giveForever(t *testing.T, dir string) {
	c, err := Open(t.Context(), dir, Options{pace: pace{batch: 100, block: 64}})
	if err != nil {
		t.Fatal(err)
	}
	round := 0
	fmt.Sscan(os.Getenv("DOZO_ROUND"), &round)
	for n := max(0, round*600-50); ; n += 3 {
		list := nodes(n, n+5, Root)
		give(t, c, list...)
		for i := range list {
			fmt.Printf("%d is %d;\n", list[i].ID, n+i)
		}
	}
}
