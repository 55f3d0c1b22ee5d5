package enginetest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/gorlm/rlm/repl/internal/engine/enginetest/random"
)

// Came is the result of a program that did not run directly on an engine but, for example, in a session that may
// move to another engine.
type Came struct {
	// Out is the program's output.
	Out string
	// Refused explains why the program did not run, and Failed how it ended if it did not end normally.
	Refused, Failed string
	// Slow means that the program was stopped because its time was up.
	Slow bool
}

// Runner runs a program as the first cell of a new session.
type Runner func(source string) Came

// CellsBy is Cells for a Runner that does not use an engine directly, but, for example, a whole session.
func CellsBy(t *testing.T, name string, run Runner) {
	if os.Getenv("RLM_LONG") == "" {
		t.Skip("the corpus takes a while in sessions: set RLM_LONG=1")
	}
	c := newTally(t, name, "cells")
	c.partial = os.Getenv("CELL") != ""
	var list []Sample
	for _, some := range Samples(t) {
		for _, s := range some {
			if strings.Contains(s.Name, os.Getenv("CELL")) {
				list = append(list, s)
			}
		}
	}
	twoAtOnce(len(list), func(i int) (Verdict, string) {
		return run(list[i].Source).judge(strings.TrimSuffix(list[i].Want, "\n"))
	}, func(i int, v Verdict, text string) { c.add(list[i].Name, v, text) })
	c.done()
}

// GorootBy is Goroot for a Runner.
func GorootBy(t *testing.T, name string, run Runner) {
	if os.Getenv("RLM_LONG") == "" {
		t.Skip("Go's own tests take minutes: set RLM_LONG=1")
	}
	root := gorootTests(t)
	c := newTally(t, name, "goroot")
	c.partial = os.Getenv("CELL") != ""
	var paths []string
	for _, path := range gorootPrograms(t) {
		if strings.Contains(path, os.Getenv("CELL")) {
			paths = append(paths, path)
		}
	}
	twoAtOnce(len(paths), func(i int) (Verdict, string) {
		source, err := os.ReadFile(paths[i])
		if err != nil {
			return Different, err.Error()
		}
		want, _ := os.ReadFile(strings.TrimSuffix(paths[i], ".go") + ".out") // most have no such file
		return run(string(source)).judge(strings.TrimSuffix(string(want), "\n"))
	}, func(i int, v Verdict, text string) {
		program, _ := filepath.Rel(root, paths[i])
		c.add(program, v, text)
	})
	c.done()
	share := 100 * float64(c.counts[Equal]+c.counts[Slow]) / float64(len(paths))
	if least := known(t, name).least("goroot"); share < least && !c.partial {
		t.Errorf("%.1f %% equal, want at least %.1f %%", share, least)
	}
}

// RandomBy is RandomPlain for a Runner.
func RandomBy(t *testing.T, name string, run Runner) {
	randomly(t, name, func(c *tally, first, end int64) {
		programs, wants := randomPrograms(t, t.TempDir(), random.Plain, first, end)
		twoAtOnce(len(programs), func(i int) (Verdict, string) {
			return run(programs[i].Source()).judge(strings.TrimSuffix(wants[programs[i].Seed], "\n"))
		}, func(i int, v Verdict, text string) { c.add(fmt.Sprint(programs[i].Seed), v, text) })
	})
}

// judge compares a result with the expected output, ignoring a final newline.
func (c Came) judge(want string) (Verdict, string) {
	printed := strings.TrimSuffix(c.Out, "\n")
	switch {
	case c.Refused != "":
		return Refused, brief(c.Refused)
	case c.Slow && strings.HasPrefix(want, printed):
		return Slow, ""
	case c.Failed != "":
		return Different, fmt.Sprintf("%s; printed %q", brief(c.Failed), brief(c.Out))
	case printed != want:
		return Different, "prints\n" + difference(printed, want)
	}
	return Equal, ""
}

// twoAtOnce runs n programs, two at a time, and calls done with each result.
func twoAtOnce(n int, try func(i int) (Verdict, string), done func(i int, v Verdict, text string)) {
	next := make(chan int)
	var wg sync.WaitGroup
	var mu sync.Mutex
	for range 2 {
		wg.Go(func() {
			for i := range next {
				v, text := try(i)
				mu.Lock()
				done(i, v, text)
				mu.Unlock()
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
}
