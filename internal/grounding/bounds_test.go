package grounding_test

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/grounding"
)

// mega is the size of a hostile text, and most the number of bytes that may be allocated for one: a megabyte with
// RLM_LONG=1, otherwise a little more than what is read of an answer.
var mega, most = func() (int, uint64) {
	if os.Getenv("RLM_LONG") != "" {
		return 1 << 20, 128 << 20
	}
	return 132 << 10, 96 << 20
}()

// hostile are texts of that size that are designed to be expensive.
var hostile = map[string]string{
	"digits":       strings.Repeat("7", mega),
	"numbers":      strings.Repeat("12 ", mega/3),
	"commas":       strings.Repeat("1,", mega/2),
	"words":        strings.Repeat("cart ", mega/5),
	"letters":      strings.Repeat("a ", mega/2),
	"one word":     strings.Repeat("a", mega),
	"quotes":       strings.Repeat(`"`, mega),
	"openers":      strings.Repeat("“a b ", mega/7),
	"brackets":     strings.Repeat("[", mega),
	"braces":       strings.Repeat("{(", mega/2),
	"json":         strings.Repeat(`{"a":`, mega/5) + "1" + strings.Repeat("}", mega/5),
	"list":         "[" + strings.Repeat(`"cart",`, mega/7) + `"x"]`,
	"map":          "map[" + strings.Repeat("a:1 ", mega/4),
	"marks":        strings.Repeat("[^", mega/2),
	"notes":        strings.Repeat("[left out", mega/9),
	"format":       strings.Repeat("%!d", mega/3),
	"examples":     strings.Repeat("e.g. ", mega/5),
	"ors":          strings.Repeat("a or ", mega/5),
	"capitals":     strings.Repeat("Ab Cd ", mega/6),
	"dates":        strings.Repeat("2024-01-01 ", mega/11),
	"months":       strings.Repeat("march ", mega/6),
	"number words": strings.Repeat("twenty-", mega/7),
	"kanji":        strings.Repeat("三", mega/3),
	"invalid":      strings.Repeat("\xff\xfe", mega/2),
	"lines":        strings.Repeat("\n", mega),
	"bullets":      strings.Repeat("- x\n", mega/4),
	"table":        strings.Repeat("| a | 1 |\n", mega/10),
	"statements":   strings.Repeat("x := 1\n", mega/7),
	"literals":     strings.Repeat(`"cart 12",`, mega/10),
	"nested":       strings.Repeat("f(", mega/2),
	"abbreviation": strings.Repeat("p. ", mega/3),
	"paths":        strings.Repeat("a/b.c:1 ", mega/8),
	"phones":       strings.Repeat("+49 ", mega/4),
	"fractions":    strings.Repeat("½ ", mega/3),
	"sizes":        strings.Repeat("1x", mega/2),
	"compounds":    strings.Repeat("dix-", mega/4),
	"clocks":       strings.Repeat("half past ", mega/10),
	"assignments":  strings.Repeat("a=1 ", mega/4),
	"combining":    strings.Repeat("e\u0301", mega/3),
}

// in puts a text into one field of a run.
var in = map[string]func(run *grounding.Run, text string){
	"question": func(r *grounding.Run, s string) { r.Question = s },
	"shown":    func(r *grounding.Run, s string) { r.Shown = s },
	"answer":   func(r *grounding.Run, s string) { r.Answer = s },
	"code":     func(r *grounding.Run, s string) { r.Turns[0].Cells[0].Code = s },
	"output":   func(r *grounding.Run, s string) { r.Turns[0].Cells[0].Output = s },
	"failed":   func(r *grounding.Run, s string) { r.Turns[0].Cells[0].Output, r.Turns[0].Cells[0].Failed = s, true },
	"variable": func(r *grounding.Run, s string) {
		r.Turns[0].Cells[0].Variables = []grounding.Variable{{Name: "x", Value: s}}
	},
	"prompt": func(r *grounding.Run, s string) {
		r.Turns[0].Cells[0].Calls = []grounding.Call{{Prompt: s, Reply: "12"}}
	},
	"reply": func(r *grounding.Run, s string) {
		r.Turns[0].Cells[0].Calls = []grounding.Call{{Prompt: "text", Reply: s}}
	},
}

// ordinary returns a run with a long answer.
func ordinary() grounding.Run {
	var answer strings.Builder
	for i := range 12 {
		fmt.Fprintf(&answer, "cart-%d had %d errors. \"a a a a b\" says Ab Cd on %d May 2024. ", i, 1000+i, i%28+1)
	}
	return grounding.Run{
		Question: "Which cart has the most errors?", Shown: "carts.log, 2 MB", Answer: answer.String(),
		Turns: []grounding.Turn{{
			Number: 1, Cells: []grounding.Cell{{Number: 1, Code: "fmt.Println(n)", Output: "map[cart-1:1001]"}},
		}},
	}
}

// TestHostileTextsStayWithinBounds limits the allocations for each text: all allocated bytes count, even if
// they were freed.
func TestHostileTextsStayWithinBounds(t *testing.T) {
	for field, put := range in {
		for name, text := range hostile {
			t.Run(field+"/"+name, func(t *testing.T) {
				run := ordinary()
				put(&run, text)
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				r := grounding.Trace(run)
				runtime.ReadMemStats(&after)
				assert.Less(t, after.TotalAlloc-before.TotalAlloc, most, "bytes allocated in all")
				assert.LessOrEqual(t, len(r.Values), 600)
			})
		}
	}
}

func TestClaimsBeyondTheBoundAreCounted(t *testing.T) {
	var answer strings.Builder
	for i := range 700 {
		fmt.Fprintf(&answer, "- item-%d\n", i)
	}
	run := grounding.Run{Question: "Which items are there?", Answer: answer.String(), Turns: []grounding.Turn{
		{Number: 1, Cells: []grounding.Cell{
			{Number: 1, Code: "fmt.Println(items)", Output: strings.ReplaceAll(answer.String(), "- ", "")},
		}},
	}}
	r := grounding.Trace(run)
	require.Len(t, r.Values, 500)
	assert.Equal(t, 200, r.Untraced)
	assert.Equal(t, grounding.Untraced, r.Verdict, "what was not traced is not grounded")
	for _, v := range r.Values {
		assert.True(t, v.Grounded, v.Value)
	}
}

func BenchmarkTrace(b *testing.B) {
	run := ordinary()
	run.Turns[0].Cells[0].Output = strings.Repeat("2024-05-02T08:00:01Z INFO cart-17 retry 3/9 took 37 ms\n", 2000)
	b.SetBytes(int64(len(run.Turns[0].Cells[0].Output)))
	for b.Loop() {
		grounding.Trace(run)
	}
}

func BenchmarkHostile(b *testing.B) {
	for field, put := range in {
		for name, text := range hostile {
			b.Run(field+"/"+name, func(b *testing.B) {
				run := ordinary()
				put(&run, text)
				for b.Loop() {
					grounding.Trace(run)
				}
			})
		}
	}
}
