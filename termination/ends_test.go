package termination

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// waysTable is Ways as Markdown.
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
	for _, w := range Ways() {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", w.What, w.Fired, status(w.Response), status(w.Task), w.Answer, w.Exit)
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
		{End{Status: PendingReview, Fired: BySequence}, 1},
		{End{Status: ImplicitCompletion, Fired: ByGuard, HasAnswer: true}, 0},
		{End{Status: EmptyResponseError, Fired: ByGuard}, 1},
		{End{Status: MaxIterations, Fired: ByLimit}, 3},
		{End{Status: CostLimit, Fired: ByLimit, HasAnswer: true}, 0},
		{End{Status: Failed, Fired: ByEndpoint}, 4},
		{End{Status: Failed, Fired: ByEndpoint, HasAnswer: true}, 4},
		{End{Status: Failed, Fired: ByError, HasAnswer: true}, 1},
		{End{Status: Stopped, Fired: ByInterrupt, HasAnswer: true}, 130},
		{End{Status: Stopped, Fired: ByStop}, 1},
	} {
		require.Equal(t, c.want, ExitCode(c.end), "%+v", c.end)
	}
}
