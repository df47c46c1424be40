package main

import (
	"fmt"
	"os"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/dozo-server/dozo/internal/bench"
	"github.com/dozo-server/dozo/internal/report"
)

// progress shows how far a measurement is, until end.
type progress interface {
	bench.Progress
	end()
}

// newProgress shows a bar with the time that is left where f is a terminal, and
// else lines.
func newProgress(f *os.File) progress {
	if isTerminal(f) {
		return &bars{all: mpb.New(mpb.WithOutput(f), mpb.WithWidth(60))}
	}
	return &lines{out: f}
}

// stage is one that has begun.
type stage struct {
	name        string
	steps, done int
	began       time.Time
}

// left is the time that is left if the steps go on as they did, in words.
func (s *stage) left() string {
	spent := time.Since(s.began)
	if s.done == 0 || spent < time.Second {
		return ""
	}
	return report.Span(spent*time.Duration(s.steps-s.done)/time.Duration(s.done)) + " left"
}

// bars is progress on a terminal: the bar of the stage, which goes away with it.
type bars struct {
	all *mpb.Progress
	bar *mpb.Bar
}

func (b *bars) Stage(name string, steps int) {
	b.close()
	b.bar = b.all.AddBar(int64(max(steps, 1)), mpb.BarRemoveOnComplete(),
		mpb.PrependDecorators(decor.Name(name+"  ")),
		mpb.AppendDecorators(decor.Percentage(), decor.OnComplete(decor.Any(timeLeft(time.Now())), "")))
}

// timeLeft words the time that is left of a stage.
func timeLeft(began time.Time) func(decor.Statistics) string {
	return func(s decor.Statistics) string {
		at := stage{steps: int(s.Total), done: int(s.Current), began: began}
		return "  " + at.left()
	}
}

func (b *bars) Step(steps int) { b.bar.IncrBy(steps) }

func (b *bars) close() {
	if b.bar != nil {
		b.bar.Abort(true)
		b.bar.Wait()
	}
}

func (b *bars) end() {
	b.close()
	b.all.Wait()
}

// lineTime is how often a stage that takes long says how far it is.
const lineTime = 10 * time.Second

// lines is progress in a file or a pipe.
type lines struct {
	out  *os.File
	now  stage
	said time.Time
}

func (l *lines) Stage(name string, steps int) {
	l.now = stage{name: name, steps: steps, began: time.Now()}
	l.said = l.now.began
	fmt.Fprintf(l.out, "dozo: %s\n", name)
}

func (l *lines) Step(steps int) {
	l.now.done += steps
	if time.Since(l.said) < lineTime || l.now.steps == 0 {
		return
	}
	l.said = time.Now()
	line := fmt.Sprintf("dozo: %s: %d %%", l.now.name, 100*l.now.done/l.now.steps)
	if left := l.now.left(); left != "" {
		line += ", " + left
	}
	fmt.Fprintln(l.out, line)
}

func (l *lines) end() {}
