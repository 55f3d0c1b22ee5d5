// Command mutants judges the report that gremlins wrote for a room: the room's own tests must kill at least 95 %
// of all mutants, and at most 3 % may be equivalent to the code. Mutants that no test covers or that time out are
// not killed. The room lists its equivalents in testdata/mutants.txt, one a line:
//
//	FILE | TYPE | source line without indentation | the reason
//
// The place is identified by its source line instead of a number, so that the list survives edits elsewhere in the
// file.
//
//	go run ./internal/testing/mutants ROOM REPORT.json
package main

import (
	"fmt"
	"io"
	"os"
)

const (
	leastKilled    = 0.95 // share of all mutants of a room
	mostEquivalent = 0.03
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: mutants ROOM REPORT.json")
		os.Exit(2)
	}
	ok, err := judge(os.Stdout, os.Args[1], os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

// judge prints a room's surviving mutants and its share of killed ones, and reports whether that is enough.
func judge(w io.Writer, room, report string) (bool, error) {
	mutants, err := readReport(room, report)
	if err != nil {
		return false, err
	}
	listed, err := readEquivalents(room)
	if err != nil {
		return false, err
	}
	killed, equivalent := 0, 0
	for _, m := range mutants {
		switch {
		case m.Status == "KILLED":
			killed++
		case listed.explain(m):
			equivalent++
		default:
			fmt.Fprintf(w, "%s/%s:%d:%d: %s: %s: %s\n", room, m.File, m.Line, m.Column, m.Status, m.Type, m.Source)
		}
	}
	all := float64(len(mutants))
	fmt.Fprintf(w, "%s: %d mutants, %d killed (%.1f %%), %d equivalent (%.1f %%)\n",
		room, len(mutants), killed, 100*float64(killed)/all, equivalent, 100*float64(equivalent)/all)
	unused := listed.unused()
	for _, line := range unused {
		fmt.Fprintf(w, "%s: no living mutant is like this one of the list: %s\n", room, line)
	}
	return float64(killed) >= leastKilled*all && float64(equivalent) <= mostEquivalent*all && len(unused) == 0, nil
}
