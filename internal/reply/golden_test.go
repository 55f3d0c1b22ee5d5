package reply

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write what is read from the replies of testdata/replies.txt")

// The results of parsing many replies are in testdata/replies.txt, in groups with a heading: each reply on a line,
// quoted, and its contents below. Review the difference that a change makes there before you commit it.
func TestReplies(t *testing.T) {
	const path = "testdata/replies.txt"
	file, err := os.ReadFile(path)
	require.NoError(t, err)
	var out strings.Builder
	for block := range strings.SplitSeq(strings.TrimSuffix(string(file), "\n"), "\n\n") {
		if strings.HasPrefix(block, "# ") {
			out.WriteString(block + "\n\n")
			continue
		}
		head, want, _ := strings.Cut(block, "\n")
		text, err := strconv.Unquote(head)
		require.NoError(t, err, head)
		got := describe(Parse(text, DefaultNames(), false))
		fmt.Fprintf(&out, "%s\n%s\n\n", head, got)
		if !*update {
			assert.Equal(t, want, got, head)
		}
	}
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(strings.TrimSuffix(out.String(), "\n")), 0o600))
	}
}

// describe describes the contents of a reply, one item a line.
func describe(r Reply) string {
	lines := []string{fmt.Sprintf("prose %q", r.Prose)}
	add := func(format string, a ...any) { lines = append(lines, fmt.Sprintf(format, a...)) }
	for _, c := range r.Cells {
		add("cell %d %q untagged=%t %q", c.Line, c.Lang, c.Untagged, c.Source)
	}
	for _, s := range r.Skipped {
		add("skipped %d %q code=%t half=%t %q", s.Line, s.Lang, s.Code, s.Half(), s.Reason)
	}
	for _, s := range r.Signals {
		add("signal %d %s %s var=%t bare=%t %q %q %q", s.Line, s.Name, s.Place, s.Var, s.Bare, s.Content, s.RawMatch,
			s.Malformed)
		for _, a := range s.Arguments {
			add("  argument %q %q %q %s", a.Name, a.Text, a.Source, a.json)
		}
	}
	if len(r.Identifiers) > 0 {
		add("identifiers %q", r.Identifiers)
	}
	if said := WithoutCalls(r, DefaultNames()); said != r.Prose {
		add("without calls %q", said)
	}
	if r.Imitates > 0 || r.OnlyCode {
		add("imitates=%d only_code=%t", r.Imitates, r.OnlyCode)
	}
	return strings.Join(lines, "\n")
}
