package enginetest

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Verdict is the result of comparing a program on an engine with the same program made by the real compiler.
type Verdict string

// The verdicts. Slow is not a difference: the program was stopped, and its output up to then was right.
const (
	Equal     Verdict = "equal"
	Refused   Verdict = "refused"
	Slow      Verdict = "slow"
	Different Verdict = "different"
)

// Left is the beginning of the reason for refusing a program because it panicked: such a program runs again in the
// exact engine.
const Left = "it panics: "

// table contains the known verdicts on an engine's programs, by collection and program, as listed in the file
// testdata/known/NAME.txt. The program "*" stands for all that are not listed. An engine without such a file must
// run every program correctly.
type table map[string]map[string]entry

type entry struct {
	verdict Verdict
	reason  string
}

// known reads the table of an engine.
func known(t testing.TB, name string) table {
	t.Helper()
	out := table{}
	data, err := fs.ReadFile(testdata, "testdata/known/"+name+".txt")
	if err != nil {
		return out
	}
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "" {
			continue
		}
		fields := strings.SplitN(strings.TrimSpace(line), " ", 4)
		require.Len(t, fields, 4, "a line of known/%s.txt is: collection program verdict reason; got %q", name, line)
		if out[fields[0]] == nil {
			out[fields[0]] = map[string]entry{}
		}
		out[fields[0]][fields[1]] = entry{Verdict(fields[2]), fields[3]}
	}
	return out
}

// share returns the percentage of programs whose verdict is not Different; -1 if there are no programs.
func (c *tally) share() float64 {
	total := 0
	for _, n := range c.counts {
		total += n
	}
	if total == 0 {
		return -1
	}
	return 100 * float64(total-c.counts[Different]) / float64(total)
}

// least returns the required share of a collection, in percent: the entry for the program named "share".
func (k table) least(collection string) float64 {
	share, _ := strconv.ParseFloat(strings.Fields(k[collection]["share"].reason + " 0")[0], 64)
	return share
}

// tally compares verdicts with the table. It reports verdicts that are worse than listed, in the format of the
// table, and entries that are no longer needed.
type tally struct {
	t          *testing.T
	collection string
	known      map[string]entry
	counts     map[Verdict]int
	seen       map[string]bool
	partial    bool // not every program of the collection was run
	tolerant   bool // only the share of a collection matters, not the single programs
}

func newTally(t *testing.T, engine, collection string) *tally {
	return &tally{
		t: t, collection: collection, known: known(t, engine)[collection], counts: map[Verdict]int{},
		seen: map[string]bool{},
	}
}

func (c *tally) add(program string, v Verdict, text string) {
	c.t.Helper()
	c.counts[v]++
	want := c.known[program]
	if want.verdict == "" {
		want = c.known["*"]
	}
	c.seen[program] = v != Equal
	text = strings.ReplaceAll(strings.TrimSpace(text), "\n", " | ")
	same := v == want.verdict &&
		(v != Refused || c.known[program].reason == "" || construct(text) == construct(want.reason))
	if v == Equal || v == Slow || same || c.tolerant {
		if v != Equal {
			c.t.Logf("%s %s %s %s", c.collection, program, v, text)
		}
		return
	}
	c.t.Errorf("%s %s %s %s", c.collection, program, v, text)
}

// construct returns the part of a reason that names what is refused.
func construct(reason string) string {
	what, _, _ := strings.Cut(reason, ": ")
	return strings.TrimSpace(what)
}

// done reports entries that are no longer needed, and the number of programs for each verdict.
func (c *tally) done() {
	c.t.Helper()
	total := 0
	for _, n := range c.counts {
		total += n
	}
	for program := range c.known {
		if program != "*" && program != "share" && !c.partial && !c.seen[program] && c.known[program].verdict != Slow {
			c.t.Errorf("%s %s is equal now: take it from the table", c.collection, program)
		}
	}
	c.t.Logf("%s: %s", c.collection, summary(c.counts, total))
}

func summary(counts map[Verdict]int, total int) string {
	text := fmt.Sprintf("of %d: %d equal", total, counts[Equal])
	for _, v := range []Verdict{Refused, Slow, Different} {
		if counts[v] > 0 {
			text += fmt.Sprintf(", %d %s", counts[v], v)
		}
	}
	return text
}
