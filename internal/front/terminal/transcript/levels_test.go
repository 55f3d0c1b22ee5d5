package transcript_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/front/terminal/screen"
	"github.com/gorlm/rlm/internal/front/terminal/transcript"
	"github.com/gorlm/rlm/internal/kit/bundle"
	"github.com/gorlm/rlm/internal/kit/search"
	"github.com/gorlm/rlm/runner/trajectory"
)

var update = flag.Bool("update", false, "write what the transcripts look like")

// happened returns a run with every kind of event that a transcript shows.
func happened(t *testing.T) []trajectory.Event {
	result := func(r trajectory.CellResult) json.RawMessage {
		text, err := json.Marshal(r)
		require.NoError(t, err)
		return text
	}
	cost := 0.0042
	at := time.Date(2026, 3, 17, 2, 41, 0, 0, time.Local)
	use := trajectory.Usage{Prompt: 900, Completion: 100, Cost: &cost}
	events := []trajectory.Event{
		{Data: trajectory.ContextAdded{Documents: 2, Size: 7 << 20, Skipped: []string{"a.bin (it is no text)"}}},
		{Data: trajectory.Warned{About: "context", Text: "1 file is no part of the context"}},
		{Data: trajectory.Warned{About: "price", Text: "the price of small is not known"}},
		{Data: trajectory.RunStarted{
			Run: "0v4xpn8ecs", Question: "Which outages?\n", Model: "root", SubModel: "small", Sandbox: "strict",
		}},
		{Data: trajectory.MessageAdded{Kind: "system", Content: trajectory.T("You work in a notebook.")}},
		{Data: trajectory.MessageAdded{
			Kind: "question", Content: trajectory.T("Which outages?\nThe context has 2 documents."),
		}},
		{Turn: 1, Data: trajectory.TurnStarted{}},
		{Turn: 1, Data: trajectory.CallRetried{
			Model: "root", Reason: "HTTP 429", Wait: 2 * time.Second, Attempt: 2, Tries: 5,
		}},
		{Turn: 1, Data: trajectory.ReplyDelta{Content: "I count"}},
		{Turn: 1, Data: trajectory.ReplyReceived{
			Content:   trajectory.T("I count *first*.\n\n```go\nn := 1\nfmt.Println(\"counted\")\nn\n```\n"),
			Reasoning: trajectory.T("Let me see."),
			Model:     "root", Usage: use, Duration: 1500 * time.Millisecond, Attempts: 2,
		}},
		{Turn: 1, Data: trajectory.CellStarted{Cell: 1, Source: "n := 1\nfmt.Println(\"counted\")\nn\n"}},
		{Turn: 1, Data: trajectory.CellPrinted{Cell: 1, Text: "coun"}},
		{Turn: 1, Data: trajectory.CellPrinted{Cell: 1, Text: "ted\n"}},
		{Turn: 1, Data: trajectory.CellEnded{
			Cell: 1, OK: true, Output: "counted\n",
			Result: result(trajectory.CellResult{Cell: 1, Value: "1", Duration: 3 * time.Millisecond}),
		}},
		{Turn: 1, Data: trajectory.MessageAdded{Kind: "observation", Content: trajectory.T("[cell 1] ok\ncounted")}},
		{Turn: 1, Data: trajectory.Nudged{Guard: "prose_only", Text: "Write a cell."}},
		{Turn: 2, Data: trajectory.ReplyReceived{
			Content: trajectory.T("```go\nllm_query(\"x\")\n```"), Model: "root",
			Usage: use, Duration: 20 * time.Millisecond,
		}},
		{Turn: 2, Data: trajectory.CellStarted{Cell: 2, Source: "llm_query(\"x\")"}},
		{Turn: 2, Data: trajectory.EngineMoved{Cell: 2, To: "exact", Why: "it computes for long"}},
		{Turn: 2, Data: trajectory.SubCallStarted{Cell: 2, Impl: "llm_query", Prompt: trajectory.T("x")}},
		{Path: "2/1", Turn: 1, Data: trajectory.ReplyReceived{
			Content: trajectory.T("a child's reply"), Model: "small", Usage: use,
		}},
		{Path: "2/1", Data: trajectory.RunEnded{
			Status: "completed", HasAnswer: true, Answer: "red\nand blue", Turns: 1,
		}},
		{Turn: 2, Data: trajectory.SubCallEnded{Cell: 2, Model: "small", Error: "no quota"}},
		{Turn: 2, Data: trajectory.CellEnded{Cell: 2, ErrorKind: "Panic", Result: result(trajectory.CellResult{
			Cell: 2, Error: &trajectory.CellError{Kind: "Panic", Message: "Panic: no quota\ncell 2, line 1"},
			Notes: []string{"x was not set"}, Duration: time.Second,
		})}},
		{Turn: 2, Data: trajectory.SignalIgnored{Signal: "FINAL", Reason: "it stands in a comment"}},
		{Turn: 2, Data: trajectory.FellBack{Model: "root", To: "spare", Reason: "quota"}},
		{Turn: 2, Data: trajectory.LimitReached{Limit: "cost_limit", Used: "$1.00", Bound: "$1.00"}},
		{Turn: 2, Data: trajectory.Compacted{Messages: 4, How: "mechanical"}},
		{Data: trajectory.CellStarted{Cell: 3, Source: "FINAL(\"two\")", Own: true}},
		{Data: trajectory.CellEnded{Cell: 3, OK: true, Result: result(trajectory.CellResult{Cell: 3})}},
		{Data: trajectory.RunEnded{
			Status: "completed", Name: "FINAL", EndedBy: "signal", HasAnswer: true, Answer: "Two **outages**.",
			Turns: 2, Cells: 2, SubCalls: 1,
			Usage: map[string]trajectory.Usage{"root": use}, Cost: &cost, Duration: 3 * time.Second,
			Unverified: []string{"nobody said this"},
		}},
		{Data: trajectory.Reviewed{Approved: true, Note: "well done"}},
	}
	for i := range events {
		events[i].Seq, events[i].Time = int64(i+1), at.Add(time.Duration(i)*time.Millisecond)
	}
	return events
}

// TestLevels compares a run at each level of detail with testdata.
func TestLevels(t *testing.T) {
	events := happened(t)
	for name, log := range map[string]*transcript.Transcript{
		"steps": transcript.New(screen.PlainRenderer(), transcript.Steps),
		"watched": with(transcript.New(screen.NewRenderer(60, false), transcript.Steps),
			func(t *transcript.Transcript) { t.Output = true }),
		"cells":  transcript.New(screen.PlainRenderer(), transcript.Cells),
		"turns":  transcript.New(screen.PlainRenderer(), transcript.Turns),
		"screen": transcript.New(screen.NewRenderer(60, false), transcript.Turns),
		"all": with(transcript.New(screen.PlainRenderer(), transcript.Turns), func(t *transcript.Transcript) {
			t.All = true
		}),
		"session": with(transcript.New(screen.NewRenderer(60, false), transcript.Turns),
			func(t *transcript.Transcript) { t.Session = true }),
	} {
		t.Run(name, func(t *testing.T) {
			got := written(log, events)
			file := filepath.Join("testdata", name+".txt")
			if *update {
				require.NoError(t, os.WriteFile(file, []byte(got), 0o600))
			}
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Equal(t, string(want), got)
			if printed := strings.Index(got, "  counted"); printed >= 0 {
				code := strings.Index(got, "fmt.Println")
				require.True(t, code >= 0 && code < printed, "code stands above what it printed")
			}
		})
	}
}

// A line wider than the screen continues indented; at the level Steps it is cut.
func TestLongLinesOfCells(t *testing.T) {
	long := trajectory.Event{
		Data: trajectory.CellStarted{Cell: 1, Source: "fmt.Println(" + strings.Repeat("one, ", 20) + "two)"},
	}
	cells := transcript.New(screen.NewRenderer(60, false), transcript.Cells).Event(long)
	require.Regexp(t, `^turn 0 · cell 1:\n  │ fmt.*\n    one`, cells)
	log := with(transcript.New(screen.NewRenderer(60, false), transcript.Steps), func(t *transcript.Transcript) {
		t.Output = true
	})
	require.Empty(t, log.Event(long))
	printed := log.Event(trajectory.Event{Data: trajectory.CellPrinted{Cell: 1, Text: "out\n"}})
	require.Regexp(t, `^turn 0 · cell 1:\n  │ fmt.*…\n  out$`, printed)
}

func with(log *transcript.Transcript, set func(*transcript.Transcript)) *transcript.Transcript {
	set(log)
	return log
}

func written(log *transcript.Transcript, events []trajectory.Event) string {
	var b strings.Builder
	for _, ev := range events {
		if text := log.Event(ev); text != "" {
			b.WriteString(text + "\n")
		}
	}
	return b.String()
}

// A table that a cell prints is laid out for the width that the terminal has, while the run goes on and later. What
// was printed before it comes at once.
func TestTablesOfCellsFitTheTerminal(t *testing.T) {
	rows := [][]string{{"id", "path", "owner", "notes"}}
	for range 40 {
		rows = append(rows, []string{"7", strings.Repeat("a path/", 12), "someone", strings.Repeat("words ", 12)})
	}
	table, _, ok := bundle.NewTable(rows, true)
	require.True(t, ok)
	printed := search.Align(rows)
	item, err := bundle.New(printed, bundle.TableType, table)
	require.NoError(t, err)
	result, err := json.Marshal(trajectory.CellResult{Items: []bundle.Item{item}})
	require.NoError(t, err)
	ended := trajectory.CellEnded{OK: true, Output: printed, Result: result}
	for _, columns := range []int{60, 80, 120, 250} {
		cells := transcript.New(screen.NewRenderer(columns, false), transcript.Cells)
		say := func(path string, d trajectory.Data) string {
			return cells.Event(trajectory.Event{Path: path, Turn: 1, Data: d}) + "\n"
		}
		require.Contains(t, say("", trajectory.CellStarted{Cell: 1, Source: "show(t)"}), "show(t)")
		require.Contains(t, say("", trajectory.CellPrinted{Cell: 1, Text: "it begins\n"}), "it begins")
		live := say("", trajectory.CellPrinted{Cell: 1, Text: printed[:3000]})
		live += say("1.1", trajectory.CellEnded{OK: true, Result: []byte(`{}`)})
		live += say("", trajectory.CellPrinted{Cell: 1, Text: printed[3000:] + "\nafter\n"}) + say("", ended)
		turns := transcript.New(screen.NewRenderer(columns, false), transcript.Turns)
		later := turns.Event(trajectory.Event{Data: ended})
		for _, text := range []string{live, later} {
			require.Equal(t, 40, strings.Count(text, " 7  a path"), text)
			require.Less(t, strings.Count(text, "\n"), 40+10, "one line for each row")
			for line := range strings.SplitSeq(text, "\n") {
				require.Less(t, len([]rune(line)), columns, line)
			}
			if columns == 250 {
				require.NotContains(t, text, "…", "there is room for all")
			}
		}
		require.Contains(t, live, "after")
	}
	broken := transcript.New(screen.NewRenderer(60, false), transcript.Cells)
	broken.Event(trajectory.Event{Data: trajectory.CellPrinted{Text: printed + "\n"}})
	require.Contains(t, broken.Event(trajectory.Event{Data: trajectory.RunEnded{}}), "a path", "nothing is lost")
}
