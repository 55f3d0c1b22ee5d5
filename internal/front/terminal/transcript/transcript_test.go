package transcript_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/front/terminal/screen"
	"github.com/gorlm/rlm/internal/front/terminal/transcript"
	"github.com/gorlm/rlm/internal/kit/bundle"
	"github.com/gorlm/rlm/internal/kit/chart"
	"github.com/gorlm/rlm/internal/kit/search"
	"github.com/gorlm/rlm/runner/trajectory"
)

func TestTranscript(t *testing.T) {
	attack := "\x1b]52;c;ZXZpbA==\a\x1b[2J\u202E"
	for _, tt := range []struct {
		name   string
		events []trajectory.Data
		want   []string
		not    []string
	}{
		{
			"a reply",
			[]trajectory.Data{
				trajectory.TurnStarted{},
				trajectory.ReplyDelta{Content: "half"},
				trajectory.ReplyReceived{Content: trajectory.T("half and half" + attack), Model: "m" + attack},
			},
			[]string{"── turn 1 · m · 0 tokens", "half and half"},
			[]string{"broke off"},
		},
		{
			"a reply that breaks off",
			[]trajectory.Data{
				trajectory.ReplyDelta{Content: "lost"},
				trajectory.ReplyDelta{Restart: true, Content: "half "},
				trajectory.ReplyDelta{Content: "a reply" + attack},
				trajectory.RunEnded{Status: "stopped", EndedBy: "interrupt", Reason: "interrupted"},
			},
			[]string{"a reply that was cut off", "half a reply", "No answer: interrupted", "/retry"},
			[]string{"lost"},
		},
		{
			"a summary is no turn",
			[]trajectory.Data{
				trajectory.TurnStarted{Kind: "summary"},
				trajectory.ReplyDelta{Content: "so far"},
				trajectory.ReplyReceived{Content: trajectory.T("so far")},
				trajectory.Compacted{Messages: 4, How: "model"},
			},
			[]string{"4 earlier messages summarised"},
			[]string{"turn", "so far"},
		},
		{
			"what a worker claims",
			[]trajectory.Data{
				trajectory.SignalIgnored{Signal: "FINAL" + attack, Reason: attack},
				trajectory.LimitReached{Limit: "cost" + attack, Used: "$1", Bound: "$2" + attack},
				trajectory.Nudged{Text: attack},
				trajectory.Warned{Text: "w" + attack},
				trajectory.ContextAdded{Skipped: []string{"f" + attack}},
				trajectory.CellStarted{Cell: 1, Source: "x" + attack, Own: true},
				trajectory.CellEnded{Cell: 1, OK: true, Output: "o" + attack, Result: []byte(`{}`)},
				trajectory.RunEnded{
					Status: "completed" + attack, Name: "N" + attack, HasAnswer: true,
					Answer: "a" + attack,
				},
			},
			[]string{"cost reached: $1 used of $2", "completed"},
			nil,
		},
		{
			"a warning comes once",
			[]trajectory.Data{
				trajectory.Warned{About: "price", Text: "unknown"},
				trajectory.Warned{About: "price", Text: "unknown"},
			},
			[]string{"unknown"},
			[]string{"unknown\n· warning: unknown"},
		},
		{
			"files that are left out come once",
			[]trajectory.Data{
				trajectory.ContextAdded{Skipped: []string{"a", "b", "c", "d", "e", "f", "g"}},
				trajectory.Warned{About: "context", Text: "7 files are not part of it"},
			},
			[]string{"a", "and 2 more"},
			[]string{"7 files"},
		},
		{
			"what the answer is made from stands below it",
			[]trajectory.Data{trajectory.RunEnded{
				Status: "completed", HasAnswer: true, Answer: "It failed [^1kvw] [^9].",
				Evidence: []trajectory.Evidence{
					{Mark: "[^1kvw]", Document: "log" + attack, Line: 7, Quote: "the pump\n failed", Occurrences: 2},
				},
				UnknownMarks: []string{"[^9]" + attack}, Unverified: []string{"nobody said this"},
				Unsupported: "a mark is missing",
			}},
			[]string{
				"It failed [^1kvw] [^9].\n  [^1kvw] log:7 “the pump failed” (the first of 2 places)\n  refers to no passage: [^9]\n" +
					"  not in the documents: “nobody said this”\n  evidence is required: a mark is missing\n── completed",
			},
			nil,
		},
		{
			"a context that changed",
			[]trajectory.Data{trajectory.Warned{About: "context", Text: "a.log changed"}},
			[]string{"a.log changed"},
			nil,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			log := transcript.New(screen.NewRenderer(80, false), transcript.Turns)
			log.Session = true
			var got []string
			for _, data := range tt.events {
				if text := log.Event(trajectory.Event{Turn: 1, Time: time.Now(), Data: data}); text != "" {
					got = append(got, text)
				}
			}
			all := strings.Join(got, "\n")
			for _, want := range tt.want {
				require.Contains(t, all, want)
			}
			for _, not := range tt.not {
				require.NotContains(t, all, not)
			}
			require.NotContains(t, all, "\x1b")
			require.NotContains(t, all, "\u202E")
		})
	}
}

// A run without documents has no context, not empty ones.
func TestThereIsNoContext(t *testing.T) {
	log := transcript.New(screen.PlainRenderer(), transcript.Turns)
	require.Equal(t, "· no context", log.Event(trajectory.Event{Data: trajectory.ContextAdded{}}))
	require.Contains(t, log.Event(trajectory.Event{Data: trajectory.ContextAdded{Documents: 1}}), "(1 empty document)")
}

// A file gets charts and tables as they were printed, a narrow screen those that fit.
func TestWhatACellShowsFits(t *testing.T) {
	rows := [][]string{{"path", "note"}, {"/srv/" + strings.Repeat("long/", 9), strings.Repeat("word ", 9)}}
	table, _, ok := bundle.NewTable(rows, true)
	require.True(t, ok)
	bars := chart.NewBars([]string{"a name that is rather long"}, []float64{12})
	shown, drawn := search.Align(rows), bars.Text()
	var items []bundle.Item
	for media, form := range map[string]any{bundle.TableType: table, bundle.ChartType: bars} {
		item, err := bundle.New(map[string]string{bundle.TableType: shown, bundle.ChartType: drawn}[media], media, form)
		require.NoError(t, err)
		items = append(items, item)
	}
	result, err := json.Marshal(trajectory.CellResult{Cell: 1, Items: items})
	require.NoError(t, err)
	event := trajectory.Event{Data: trajectory.CellEnded{
		Cell: 1, OK: true, Output: shown + "\n" + drawn + "\n", Result: result,
	}}
	plain := transcript.New(screen.PlainRenderer(), transcript.Turns).Event(event)
	for line := range strings.SplitSeq(shown+"\n"+drawn, "\n") {
		require.Contains(t, plain, line)
	}
	narrow := strings.Split(transcript.New(screen.NewRenderer(60, false), transcript.Turns).Event(event), "\n")
	require.Len(t, narrow, 4, "a line for each row and bar: %s", narrow)
	require.Regexp(t, `^  /srv/.*….*long/ +word.*…$`, narrow[2])
}
