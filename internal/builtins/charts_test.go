package builtins_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/internal/builtins"
)

// TestChartsArePrintedAndKept checks that a chart is printed, and that its item contains the printed text and the
// data.
func TestChartsArePrintedAndKept(t *testing.T) {
	s := newSession(t, builtins.Standard(answer.Response), says(""), "")
	s.ok(`type Row struct { Service string; Errors int }
type Count int
days := []time.Time{time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 1, 3, 0, 0, 0, 0, time.UTC)}
fails, slow := []int{5, 6}, []float64{7, math.NaN()}`)
	for source, wants := range map[string][]string{
		`bars(map[string]int{"b": 1, "a": 3})`: {
			"a  ████████████████████████████████████  3\nb  ████████████",
		},
		`bars(map[int]float64{2024: 1.5, 1999: 3})`:          {"1999  ████", "1.5\n"},
		`bars([]Row{{"cart", 2}, {"pay", 4}})`:               {"cart  ██████████████████  ", "4\n"},
		`bars([]map[string]string{{"name": "x", "n": "7"}})`: {"x  ████", "7\n"},
		`bars([]float64{1, 2})`:                              {"0  █", "1  █"},
		`bars([]Row{})`:                                      {"(nothing to draw)"},
		`bars(parse_json("{\"x\": 2, \"y\": 5}"))`:           {"y  ████", "x  ████"},
		`plot([]int{3, 1, 2})`:                               {"lowest 1 at 1, highest 3 at 0, last 2 at 2"},
		`plot([]float64{1, 2}, fails, slow)`: {
			"● fails: lowest 5 at 1, highest 6 at 2", "○ slow: lowest 7 at 1", "1 value left out",
		},
		`plot(days, []Count{1, 2})`:                                 {"2026-01-01", "2026-01-03"},
		`plot([]string{"2026-01-01", "2026-02-01"}, []any{1, 2.5})`: {"highest 2.5 at 2026-02-01"},
		`hist([]float64{1, 1, 2, 9}, 2)`:                            {"[1, 5)  ████", "[5, 9]  ████", "  3\n", "  1\n"},
	} {
		out, res := s.run(source)
		require.Nil(t, res.Error, "%s: %v", source, res.Error)
		for _, want := range wants {
			require.Contains(t, out, want, source)
		}
		require.Len(t, res.Items, 1, source)
		require.Equal(t, strings.TrimSuffix(out, "\n"), res.Items[0].Text())
		_, ok := res.Items[0].Chart()
		require.True(t, ok, source)
	}
	for source, want := range map[string]string{
		`bars(7)`:                           "bars: it takes a map of numbers, or rows with a name and a number, not a value of type int",
		`bars(map[string]string{"a": "x"})`: "bars: the rows have no column of numbers",
		`plot([]int{1, 2}, []int{1})`:       "plot: there are 2 values of xs and 1 of ys; each x needs one",
		`plot("x")`:                         "plot: want a list of numbers, not string",
		`hist([]string{"x"})`:               "hist: there is no number in the []string",
		`hist([]int{1}, 0)`:                 "hist: 0 bins make no sense; give 1 or more",
	} {
		_, res := s.run(source)
		require.NotNil(t, res.Error, source)
		require.Contains(t, res.Error.Message, want)
	}
}

// TestPrintedOrReturned checks that a function that prints does so exactly once, as the last statement or another,
// and also if the cell prints its text.
func TestPrintedOrReturned(t *testing.T) {
	s := newSession(t, builtins.Standard(answer.Response), says(""), "")
	s.ok(`m := map[string]int{"north": 3}; xs := []int{1, 2}`)
	for call, holds := range map[string]string{
		"bars(m)": "north", "hist(xs)": "[1, ", "plot(xs)": "lowest", "show(m)": "north", "table(m)": "north",
	} {
		want := s.ok("fmt.Println(" + call + ")")
		require.Contains(t, want, holds)
		for _, cell := range []string{
			call + "\n_ = 1", "defer " + call,
			"done := make(chan bool)\ngo func() { defer close(done); " + call + " }()\n<-done",
			"text := " + call + "\nfmt.Println(text)", "f := func() string { return " + call + " }\nfmt.Println(f())",
		} {
			require.Equal(t, want, s.ok(cell), cell)
		}
		out, res := s.run(call)
		if call == "table(m)" { // its text is the cell's value and not printed
			require.Equal(t, want, out+res.Value+"\n")
			continue
		}
		require.Equal(t, want, out, call)
		require.Empty(t, res.Value, call)
	}
}
