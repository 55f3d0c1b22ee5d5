package runner_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/trajectory"
)

func TestSessionHelpsWithACell(t *testing.T) {
	t.Parallel()
	r := newRunner(t, root(nil, nil), runner.WithDataDir(t.TempDir()))
	s, err := r.NewSession(timeout(t), runner.Text("a.txt", "first\nsecond line\n"),
		runner.Text("b.txt", "third line\n"))
	require.NoError(t, err)
	defer s.Close()
	_, err = s.Exec(timeout(t), "total := 1")
	require.NoError(t, err)

	done, err := s.Complete(timeout(t), "x := to")
	require.NoError(t, err)
	require.Equal(t, "to", done.Prefix)
	require.Equal(t, "total", done.Items[0].Name)
	done, err = s.Complete(timeout(t), "gre")
	require.NoError(t, err)
	require.Contains(t, done.Items[0].Detail, "grep(pattern string")
	require.NotEmpty(t, done.Items[0].Doc)

	sig, err := s.Signature(timeout(t), "grep(\"a\", ")
	require.NoError(t, err)
	require.Equal(t, 1, sig.Active)
	wrong, err := s.Check(timeout(t), "total = \"x\"")
	require.NoError(t, err)
	require.Equal(t, 1, wrong.Line)
	wrong, err = s.Check(timeout(t), "total++")
	require.NoError(t, err)
	require.Nil(t, wrong)

	whole, err := io.ReadAll(s.Context())
	require.NoError(t, err)
	found, more, _, err := s.Find(timeout(t), runner.Search{Query: "LINE", How: "regular"})
	require.NoError(t, err)
	require.Empty(t, found)
	require.False(t, more)
	found, more, _, err = s.Find(timeout(t), runner.Search{Query: "line", How: "literal"})
	require.NoError(t, err)
	require.False(t, more)
	require.Len(t, found, 2)
	for _, f := range found {
		require.Equal(t, "line", string(whole[f.Offset:f.Offset+f.Length]))
	}
	_, _, _, err = s.Find(timeout(t), runner.Search{Query: "(", How: "regular"})
	require.ErrorContains(t, err, "(")

	var names []string
	for _, b := range s.Builtins() {
		names = append(names, b.Name)
		require.True(t, strings.HasPrefix(b.Signature, b.Name) || strings.HasPrefix(b.Signature, "var"), b.Signature)
	}
	require.Contains(t, names, "llm_query")
	require.Contains(t, names, "FINAL")
}

func TestEditSaysWhichCellItStandsFor(t *testing.T) {
	t.Parallel()
	r := newRunner(t, root(nil, nil), runner.WithDataDir(t.TempDir()))
	s, err := r.NewSession(timeout(t))
	require.NoError(t, err)
	defer s.Close()
	_, err = s.Exec(timeout(t), "n := 1")
	require.NoError(t, err)
	res, err := s.Edit(timeout(t), 1, "n = n + 5")
	require.NoError(t, err)
	require.Nil(t, res.Error)
	_, err = s.Edit(timeout(t), 9, "n = 0")
	require.ErrorContains(t, err, "no cell 9")
	require.Contains(t, variables(t, s), "n=6")
	var replaced []int
	for ev, err := range trajectory.Read(s.Dir()) {
		require.NoError(t, err)
		if d, ok := ev.Data.(trajectory.CellStarted); ok {
			replaced = append(replaced, d.Replaces)
		}
	}
	require.Equal(t, []int{0, 1}, replaced)
}

// A fork can begin at any turn of any question, and leaves its source session unchanged.
func TestForkAtATurnOfAnEarlierQuestion(t *testing.T) {
	t.Parallel()
	model := root([]string{
		fence("a := 1"), fence("b := a + 1"), fence("FINAL(b)"), // the first question
		fence("FINAL(a + b)"), // the second question
	}, nil)
	r := newRunner(t, model, runner.WithDataDir(t.TempDir()))
	s, err := r.NewSession(timeout(t))
	require.NoError(t, err)
	defer s.Close()
	require.Equal(t, "2", ask(t, s, "first").Answer)
	require.Equal(t, "3", ask(t, s, "second").Answer)

	other := root([]string{"", fence("b := a + 10"), fence("FINAL(b)")}, nil)
	fork, err := r.ForkAt(timeout(t), s.ID(), 1, 1, runner.WithModel(other))
	require.NoError(t, err)
	defer fork.Close()
	require.NotEqual(t, s.ID(), fork.ID())
	require.True(t, fork.Pending())
	res, err := runner.Collect(fork.Resume(timeout(t)))
	require.NoError(t, err)
	require.Equal(t, "first", res.Question)
	require.Equal(t, "11", res.Answer)
	require.Equal(t, []string{"a=1", "b=2"}, variables(t, s))

	for _, c := range []struct{ run, turn int }{{3, 0}, {1, 3}, {-1, 0}, {1, -1}} {
		_, err := r.ForkAt(timeout(t), s.ID(), c.run, c.turn)
		require.Error(t, err, "%+v", c)
	}
}

// Cells run between the steps of a long search.
func TestCellsRunBetweenTheStepsOfASearch(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("nothing of interest stands in this line of the ledger\n", 600_000) +
		"the valve is corroded\n"
	s, err := newRunner(t, root(nil, nil), runner.WithDataDir(t.TempDir())).NewSession(
		timeout(t), runner.Text("ledger.txt", text))
	require.NoError(t, err)
	defer s.Close()
	search := runner.Search{Query: "corroded valve", How: "ranked", Most: 3}
	var found []runner.SearchHit
	steps := 0
	for more, next := true, int64(0); more; steps++ {
		found, more, next, err = s.FindSome(timeout(t), search)
		require.NoError(t, err)
		require.Equal(t, more, next > 0)
		require.Equal(t, more, len(found) == 0)
		_, err = s.Exec(timeout(t), fmt.Sprintf("n := %d", steps))
		require.NoError(t, err)
		search = search.Next(next)
	}
	require.Greater(t, steps, 3)
	whole, err := io.ReadAll(s.Context())
	require.NoError(t, err)
	require.Contains(t, string(whole[found[0].Offset:found[0].Offset+found[0].Length]), "corroded")
	atOnce, more, _, err := s.Find(timeout(t), search)
	require.NoError(t, err)
	require.False(t, more)
	require.Equal(t, found, atOnce)
}
