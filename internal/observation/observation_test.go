package observation_test

import (
	"strings"
	"testing"
	"time"

	"github.com/gorlm/rlm/internal/observation"
	"github.com/gorlm/rlm/prompts"
	"github.com/stretchr/testify/require"
)

func TestObservation(t *testing.T) {
	left := prompts.RemainingBudget{
		Turns: 3, MaxTurns: 30, Tokens: 12_345, MaxTokens: 1_000_000, Time: 90 * time.Second, MaxTime: time.Hour,
	}
	o := observation.Observation{
		Cells: []observation.Cell{
			{
				Number: 3, Output: "a\nb\n", Value: "42",
				Changed: []observation.Var{{Name: "rows", Type: "[]Row", Size: "len 3"}, {Name: "n", Type: "int"}},
			},
			{
				Number: 4, Output: "head…tail", Truncated: 99, ErrorKind: "Panic",
				Error: "index out of range\n    1 | x[9]\n      |  ^", Notes: []string{"a goroutine is still running"},
			},
			{Number: 5, NotRun: "a cell before it failed"},
			{Number: 6},
			{Number: 7, Answered: true},
		},
		Skipped: []observation.SkippedBlock{
			{Lang: "python", Line: 12, Reason: "only Go runs"}, {Line: 20, Reason: "not Go"},
		},
		Remarks: []string{"something to know"},
		Cut:     true,
		Left:    &left,
	}
	require.Equal(t, `[cell 3] ok
a
b
value: 42
variables: rows []Row (len 3), n int
[cell 4] Panic
head…tail
(99 bytes left out in the middle; print less at a time, for example a slice of it)
index out of range
    1 | x[9]
      |  ^
note: a goroutine is still running
[cell 5] not run: a cell before it failed
[cell 6] ok
(no output)
[cell 7] ok
answer recorded
[block] line 12, python: only Go runs
[block] line 20, untagged: not Go
[reply] your reply was cut at the token limit; a cell that was not closed did not run. Write shorter replies: one cell at a time.
[note] something to know
[left] turns 3 of 30, tokens 12.3k of 1M, time 1m30s of 1h0m
`, o.String())
	for line := range strings.Lines(observation.Observation{Cells: o.Cells[:1]}.String()) {
		require.True(t, strings.HasPrefix(line, observation.Mark), "the first line of an observation is marked")
		break
	}
	require.Empty(t, observation.Observation{}.String())
}

func TestManyVariablesAreCapped(t *testing.T) {
	c := observation.Cell{Number: 1, Changed: make([]observation.Var, 100)}
	require.Contains(t, observation.Observation{Cells: []observation.Cell{c}}.String(), "and 70 more")
}

func TestWhatIsToldOfBlocksAndTypesIsBounded(t *testing.T) {
	var o observation.Observation
	for i := range 100_000 {
		o.Skipped = append(o.Skipped, observation.SkippedBlock{Lang: "python", Line: i + 1, Reason: "only Go runs"})
	}
	require.Less(t, len(o.String()), 1000)
	require.Contains(t, o.String(), "99995 more blocks were not run, the last one on line 100000")

	o = observation.Observation{Cells: []observation.Cell{{Number: 1, NotRun: "another reason"}}}
	for i := range 100_000 {
		o.Cells = append(o.Cells, observation.Cell{Number: i + 2, NotRun: "too many"})
	}
	require.Equal(t, "[cell 1] not run: another reason\n[cell 2] to [cell 100001] not run: too many\n", o.String())

	typ := `[]struct{A int "json:\"a,omitempty\""; B string "description:\"x } \\\" y\""}`
	o = observation.Observation{Cells: []observation.Cell{
		{Number: 1, Changed: []observation.Var{{Name: "v", Type: typ}}},
	}}
	require.Contains(t, o.String(), "variables: v []struct{A int; B string}\n")
}

func TestTheValueOfAnAnswerIsSeenAgain(t *testing.T) {
	see := func(answer string) string {
		return observation.Observation{Cells: []observation.Cell{{Number: 1, Answered: true, Answer: answer}}}.String()
	}
	require.Equal(t, "[cell 1] ok\nanswer recorded: 42\n", see("42"))
	require.Equal(t, "[cell 1] ok\nanswer recorded:\na\nb\n", see("a\nb"))
	require.Less(t, len(see(strings.Repeat("long ", 10_000))), 3000)
}
