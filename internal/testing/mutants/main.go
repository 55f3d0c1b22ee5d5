// Command mutants changes the operators of a room, one at a time and as gremlins does by default, and runs the room's
// own tests: they must kill at least 95 % of all mutants, and at most 3 % may be equivalent to the code. Mutants that
// no test comes across or that time out are not killed. The room lists its equivalents in testdata/mutants.txt, one a
// line:
//
//	FILE | TYPE | source line without indentation | the reason
//
// The place is identified by its source line instead of a number, so that the list survives edits elsewhere in the
// file.
//
//	go run ./internal/testing/mutants [-v] ROOM
//
// All mutants are compiled into the room at once, and a variable of the environment says which one is active. Only
// the tests that come across a mutant run for it. So a room takes minutes; with a build and all tests for each mutant,
// it takes hours.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"sync"
)

const (
	leastKilled    = 95 // percent of all mutants of a room
	mostEquivalent = 3
)

func main() {
	verbose := flag.Bool("v", false, "say what becomes of each mutant")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: mutants [-v] ROOM")
		os.Exit(2)
	}
	ok, err := judgeRoom(os.Stdout, flag.Arg(0), *verbose)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

// judgeRoom tries the mutants of a room and judges the outcome.
func judgeRoom(w io.Writer, dir string, verbose bool) (bool, error) {
	r, err := load(dir)
	if err != nil {
		return false, err
	}
	var mu sync.Mutex
	say := func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		if verbose {
			fmt.Fprintf(w, format+"\n", args...)
		}
	}
	if err := r.try(say); err != nil {
		return false, err
	}
	return judge(w, dir, r.all)
}

// judge prints a room's surviving mutants and its share of killed ones, and reports whether that is enough.
func judge(w io.Writer, room string, mutants []*mutant) (bool, error) {
	listed, err := readEquivalents(room)
	if err != nil {
		return false, err
	}
	all, dead, equivalent := 0, 0, 0
	for _, m := range mutants {
		switch {
		case m.Status == notViable:
			continue
		case m.Status == killed:
			dead++
		case listed.explain(m):
			equivalent++
		default:
			fmt.Fprintf(w, "%s/%s:%d:%d: %s: %s: %s\n", room, m.File, m.Line, m.Column, m.Status, m.Type, m.Source)
		}
		all++
	}
	share := func(n int) float64 { return 100 * float64(n) / float64(all) }
	fmt.Fprintf(w, "%s: %d mutants, %d killed (%.1f %%), %d equivalent (%.1f %%)\n",
		room, all, dead, share(dead), equivalent, share(equivalent))
	unused := listed.unused()
	for _, line := range unused {
		fmt.Fprintf(w, "%s: no living mutant is like this one of the list: %s\n", room, line)
	}
	return share(dead) >= leastKilled && share(equivalent) <= mostEquivalent && len(unused) == 0, nil
}
