package runner_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
)

// inFolder creates files in a new folder and makes it the working directory, so a test that uses it is not
// parallel.
func inFolder(t *testing.T, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
}

// asked runs one question over files and returns the session's id. The cell keeps the first line and asks a model
// about it.
func asked(t *testing.T, r *runner.Runner, inputs ...runner.Input) string {
	t.Helper()
	s, err := r.NewSession(timeout(t), inputs...)
	require.NoError(t, err)
	res, err := s.Answer(timeout(t), "what is the first line?")
	require.NoError(t, err)
	require.True(t, res.HasAnswer, res.Reason)
	require.NoError(t, s.Close())
	return s.ID()
}

const keepLine = `first := strings.SplitN(context, "\n", 2)[0]
said := llm_query("about " + first)
size := len(context)
FINAL(said)`

func overFiles(t *testing.T, kept int64) (r *runner.Runner, model *llm.ScriptedModel) {
	t.Helper()
	model = root([]string{fence(keepLine), fence("fmt.Println(said, size)\nFINAL(first)"), "done"},
		func(p string) (string, error) { return "re:" + p, nil })
	return newRunner(t, model, runner.WithKeptContext(kept)), model
}

func states(s *runner.Session) string {
	var out []string
	for _, d := range s.Documents() {
		out = append(out, strings.TrimSuffix(d.Name+" "+string(d.State), " "))
	}
	return strings.Join(out, ", ")
}

func TestOpenFromAnyFolder(t *testing.T) {
	for _, kept := range []int64{0, 1 << 20} {
		inFolder(t, map[string]string{"logs/a.log": "one\n", "logs/b.log": "two\n"})
		r, _ := overFiles(t, kept)
		id := asked(t, r, runner.Path("logs"))
		t.Chdir(t.TempDir())
		s, err := r.OpenSession(timeout(t), id)
		require.NoError(t, err)
		require.Equal(t, "logs/a.log, logs/b.log", states(s), "names are as they were given")
		res, err := s.Answer(timeout(t), "and now?")
		require.NoError(t, err)
		require.Equal(t, "=== document 1: logs/a.log ===", res.Answer)
		require.NoError(t, s.Close())
	}
}

func TestAFileThatGrewIsOpenedAsItWas(t *testing.T) {
	for name, kept := range map[string]int64{"from the file": 0, "from the copy": 1 << 20} {
		t.Run(name, func(t *testing.T) {
			inFolder(t, map[string]string{"a.log": "one\ntwo\n"})
			r, model := overFiles(t, kept)
			id := asked(t, r, runner.Path("a.log"))
			f, err := os.OpenFile("a.log", os.O_APPEND|os.O_WRONLY, 0)
			require.NoError(t, err)
			_, err = f.WriteString("three\n")
			require.NoError(t, err)
			require.NoError(t, f.Close())

			s, err := r.OpenSession(timeout(t), id)
			require.NoError(t, err)
			defer s.Close()
			require.Equal(t, "a.log grown", states(s))
			res, err := s.Answer(timeout(t), "and now?")
			require.NoError(t, err)
			require.Equal(t, "one", res.Answer)
			require.Contains(t, res.Cells[0].Output, "re:about one 8")
			require.Empty(t, warnings(eventsOf(t, r, id), "notebook"))

			require.NoError(t, s.Reread(timeout(t)))
			require.Equal(t, "a.log", states(s))
			_, err = s.Answer(timeout(t), "and after reading it again?")
			require.NoError(t, err)
			requests := model.Requests()
			require.True(t, told(requests[len(requests)-1], "The context has changed"))
			require.True(t, told(requests[len(requests)-1], "14"), "its new size")
		})
	}
}

func TestASessionOverFilesThatChangedOpens(t *testing.T) {
	inFolder(t, map[string]string{"a.log": "one\n", "b.log": "two\n"})
	r, model := overFiles(t, 0)
	id := asked(t, r, runner.Path("a.log"), runner.Path("b.log"))
	require.NoError(t, os.WriteFile("a.log", []byte("something else\n"), 0o600))
	require.NoError(t, os.Remove("b.log"))

	s, err := r.OpenSession(timeout(t), id)
	require.NoError(t, err)
	require.Equal(t, "a.log, b.log gone", states(s))
	calls := len(model.Requests())
	_, err = s.Answer(timeout(t), "and now?")
	require.NoError(t, err)
	request := model.Requests()[calls]
	require.True(t, told(request, "files were changed or removed: a.log, b.log"),
		request.Messages[len(request.Messages)-1].Content)
	require.True(t, told(request, "recorded_calls(n)"))
	require.True(t, told(request, "first"), "the variables are named")
	require.True(t, told(request, "The context has changed"))
	require.Contains(t, warnings(eventsOf(t, r, id), "context"), "a.log, b.log")
	require.Contains(t, warnings(eventsOf(t, r, id), "notebook"), "first")
	require.NoError(t, s.Close())
	for _, req := range model.Requests()[calls:] {
		require.Zero(t, req.Key.Cell, "no sub-call is asked again")
	}

	// The next time, the session opens with the current context, and nothing more is reported.
	before := len(dataOf[trajectory.ContextAdded](eventsOf(t, r, id)))
	s, err = r.OpenSession(timeout(t), id)
	require.NoError(t, err)
	require.NoError(t, s.Close())
	require.Len(t, dataOf[trajectory.ContextAdded](eventsOf(t, r, id)), before)
}

func TestASmallContextIsKept(t *testing.T) {
	inFolder(t, map[string]string{"a.log": "one\n"})
	r, _ := overFiles(t, 16<<20)
	id := asked(t, r, runner.Path("a.log"))
	require.NoError(t, os.WriteFile("a.log", []byte("1\n"), 0o600))
	s, err := r.OpenSession(timeout(t), id)
	require.NoError(t, err)
	defer s.Close()
	require.Equal(t, "a.log changed", states(s))
	res, err := s.Answer(timeout(t), "and now?")
	require.NoError(t, err)
	require.Equal(t, "one", res.Answer, "the session goes on over what it was made of")
}

func TestAnInterruptedRunResumesOverChangedFiles(t *testing.T) {
	inFolder(t, map[string]string{"a.log": "one\n"})
	script := []string{fence(`x := llm_query("about " + context)`), fence(`FINAL(recorded_calls(1)[0].Reply)`)}
	r := newRunner(t, root(script, func(p string) (string, error) { return "re:" + p, nil }), runner.WithKeptContext(0))
	res, err := r.Answer(timeout(t), "q", runner.Path("a.log"))
	require.NoError(t, err)
	dir := killedAfter(t, r, res.RunID, func(ev trajectory.Event) bool { return ev.Turn == 1 && isMessage(ev) })
	require.NoError(t, os.Remove("a.log"))
	model := root(script, nil) // the model panics at a sub-call
	var told []string
	var again runner.Result
	for ev, err := range newRunner(t, model, runner.WithDataDir(dir)).Resume(timeout(t), res.RunID) {
		require.NoError(t, err)
		again.Add(ev)
		if d, ok := ev.Data.(trajectory.Warned); ok && d.About == "context" {
			told = append(told, d.Text)
		}
	}
	require.Equal(t, "re:about one\n", again.Answer, again.Reason)
	require.Len(t, told, 1)
	require.Contains(t, told[0], "files were changed or removed: a.log")
}

func TestOpenGoesOnWithTheBudgetsOfTheSession(t *testing.T) {
	t.Parallel()
	r := newRunner(t, root([]string{fence("FINAL(1)")}, nil), runner.WithBudgets(runner.Budgets{Cost: 3}),
		runner.WithMode("task"))
	id := asked(t, r)
	other := newRunner(t, llm.NewScripted("m"), runner.WithDataDir(dataDir(r)))
	s, err := other.OpenSession(timeout(t), id, runner.WithConcurrency(3))
	require.NoError(t, err)
	defer s.Close()
	require.InDelta(t, 3, s.Budgets().Cost, 0)
	require.EqualValues(t, "task", s.Mode())
}
