package termination

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// way is one way for a run to end.
type way struct {
	Fired    Trigger
	What     string // what ends the run
	Response Status // the status in response mode; empty if it cannot happen there
	Task     Status // the status in task mode
	Answer   string // the source of the answer
	Exit     string // exit codes
}

// ways lists every way for a run to end, in order of precedence. It has the contents of the documentation's table.
func ways() []way {
	const partial = "the best partial answer"
	const unread = "; nothing that is said of a text before a look at it, then the status is error"
	const atDone = "what the last cell printed, else the reply's prose, else " + partial
	return []way{
		{ByFinal, "FINAL or FINAL_VAR in a cell", Completed, PendingReview, "its argument", "0"},
		{
			BySignal, "the answer map, marked ready, at the end of its cell", Completed, PendingReview, "its content",
			"0",
		},
		{
			BySignal, "finish_response", Completed, "", "its summary, else the reply's prose, else " + partial,
			"0, or 3 without an answer",
		},
		{BySignal, "finish_task", "", PendingReview, "its summary, else the reply's prose, else " + partial +
			"; the finish status is done, partial or blocked", "0, or 3 without an answer"},
		{BySignal, "a tool registered as a completion signal", Completed, PendingReview, "what it recorded", "0"},
		{
			ByFinal, "FINAL in prose that counts (other signals too, as kind signal)", Completed, PendingReview,
			"its argument", "0",
		},
		{byStop, "an outside condition", Stopped, Stopped, partial, "0, or 3 without an answer"},
		{bySequence, "a done sequence", Completed, PendingReview, atDone, "0, or 3 without an answer"},
		{
			bySwitch, "done_if_tool, done_if_response, done_if_no_response", Completed, PendingReview, atDone,
			"0, or 3 without an answer",
		},
		{
			BySignal, "a string signal", Completed, PendingReview,
			"the reply's prose without it; beside cells what the last one printed", "0, or 3 without an answer",
		},
		{bySwitch, "single_round", Completed, PendingReview, atDone, "0, or 3 without an answer"},
		{
			ByProse, "a reply of prose in a conversation", Completed, "",
			"that prose; what is said of a text before a look at it is sent back once, then the end is prose_only",
			"0",
		},
		{
			byGuard, "withheld_reply: a content filter cut or withheld two replies in a row", ContentFilter, ContentFilter,
			partial, "4",
		},
		{
			byGuard, "withheld_reply: the model declines twice in a row", Refused, Refused,
			partial + "; the reply says why", "3",
		},
		{
			byGuard, "empty_reply: replies without any content", EmptyResponseError, EmptyResponseError, partial,
			"0, or 3 without an answer",
		},
		{
			byGuard, "empty_reply: trivial replies", ImplicitCompletion, ImplicitCompletion,
			partial + ", else the trivial reply" + unread, "0, or 3 without an answer",
		},
		{
			byGuard, "prose_only", ImplicitCompletion, ImplicitCompletion,
			"the last of the replies; if that was cut off or says nothing, the status is error" + unread,
			"0, or 3 with the status error",
		},
		{
			byGuard, "prose_only or repeated_reply, by a reply that asks for something", NeedsInput, NeedsInput,
			"none; the reply is the question", "3",
		},
		{
			byGuard, "echoed_observation, repeated_reply, repeated_cell, alternating_loop", ImplicitCompletion,
			ImplicitCompletion,
			partial + "; without one the status is error", "0, or 3 without an answer",
		},
		{
			ByLimit, "the turn limit", MaxIterations, IterationsExceeded,
			"the signal or the prose of the last turn, else " + partial, "0, or 3 without an answer",
		},
		{
			ByLimit, "a budget: token_limit, cost_limit, time_limit, sub_call_limit, depth_limit, error_limit",
			"its own", "its own",
			"the signal or the prose of the last turn, else " + partial, "0, or 3 without an answer",
		},
		{
			ByLimit, "FINAL of a guess after cells that all failed, sent back before", ErrorLimit, ErrorLimit,
			"its argument, as the best partial answer", "3",
		},
		{
			ByFinal, "an answer that is not grounded, where the policy requires that it is", NotGrounded, NotGrounded,
			"as without the condition", "3",
		},
		{
			ByFinal, "an answer without verified evidence, where the policy requires it", EvidenceMissing, EvidenceMissing,
			"as without the condition", "3",
		},
		{ByEndpoint, "the model cannot be reached, or refuses", Failed, Failed, partial, "4"},
		{ByError, "any other failure", Failed, Failed, partial, "1"},
		{ByInterrupt, "an interrupt", Stopped, Stopped, partial, "130"},
	}
}

// waysTable returns ways as Markdown.
func waysTable() string {
	var b strings.Builder
	b.WriteString("| what ends the run | kind | status in response mode | status in task mode | where the answer comes from | exit code |\n|---|---|---|---|---|---|\n")
	status := func(s Status) string {
		if s == "" {
			return "–"
		}
		if strings.Contains(string(s), " ") {
			return string(s)
		}
		return "`" + string(s) + "`"
	}
	for _, w := range ways() {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", w.What, w.Fired, status(w.Response), status(w.Task),
			w.Answer, w.Exit)
	}
	return b.String()
}

func TestThePageShowsEveryWayToStop(t *testing.T) {
	page, err := os.ReadFile("README.md")
	require.NoError(t, err)
	_, rest, ok := strings.Cut(string(page), "by a test -->\n")
	require.True(t, ok)
	table, _, ok := strings.Cut(rest, "<!-- end of ways -->")
	require.True(t, ok)
	require.Equal(t, waysTable(), table)
}

func TestExitCode(t *testing.T) {
	for _, c := range []struct {
		end  End
		want int
	}{
		{End{Status: Completed, Fired: ByFinal, HasAnswer: true}, 0},
		{End{Status: PendingReview, Fired: BySignal, HasAnswer: true}, 0},
		{End{Status: PendingReview, Fired: bySequence}, 3},
		{End{Status: ImplicitCompletion, Fired: byGuard, HasAnswer: true}, 0},
		{End{Status: EmptyResponseError, Fired: byGuard}, 3},
		{End{Status: MaxIterations, Fired: ByLimit}, 3},
		{End{Status: CostLimit, Fired: ByLimit, HasAnswer: true}, 0},
		{End{Status: Failed, Fired: ByEndpoint}, 4},
		{End{Status: Failed, Fired: ByEndpoint, HasAnswer: true}, 4},
		{End{Status: NeedsInput, Fired: byGuard}, 3},
		{End{Status: NotGrounded, Fired: ByFinal, HasAnswer: true}, 3},
		{End{Status: EvidenceMissing, Fired: ByFinal, HasAnswer: true}, 3},
		{End{Status: Completed, Fired: ByFinal, HasAnswer: true, Guess: true}, 0},
		{End{Status: ErrorLimit, Fired: ByLimit, HasAnswer: true, Guess: true}, 3},
		{End{Status: Failed, Fired: ByError}, 1},
		{End{Status: Failed, Fired: ByError, HasAnswer: true}, 1},
		{End{Status: Stopped, Fired: ByInterrupt, HasAnswer: true}, 130},
		{End{Status: Stopped, Fired: byStop}, 3},
	} {
		require.Equal(t, c.want, c.end.ExitCode(), "%+v", c.end)
	}
}
