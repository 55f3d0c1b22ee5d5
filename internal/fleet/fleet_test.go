package fleet_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/fleet"
	"github.com/gorlm/rlm/internal/kit/files"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/host"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
)

// model answers every question with the name of its job, unless before returns an error.
type model struct {
	before func(question string, call int) error
	hangs  func() bool // if it returns true, the call that asks ends only when it is cancelled

	mu    sync.Mutex
	calls map[string]int
}

func (m *model) Name() string { return "model" }

func (m *model) Generate(ctx context.Context, req llm.Request, _ func(llm.Delta)) (llm.Response, error) {
	text := req.Messages[len(req.Messages)-1].Content
	question := "?"
	for _, word := range strings.Fields(text) {
		if strings.HasPrefix(word, "job-") {
			question = word
		}
	}
	m.mu.Lock()
	if m.calls == nil {
		m.calls = map[string]int{}
	}
	m.calls[question]++
	n := m.calls[question]
	m.mu.Unlock()
	if m.before != nil {
		if err := m.before(question, n); err != nil {
			return llm.Response{}, err
		}
	}
	if m.hangs != nil && m.hangs() {
		<-ctx.Done()
	}
	return llm.Response{
		Content: fmt.Sprintf("```go\nFINAL(%q)\n```", "answer to "+question), Model: "model", FinishReason: "stop",
		Attempts: 1,
		Usage:    llm.Usage{Prompt: 100, Completion: 10},
	}, ctx.Err()
}

func (m *model) total() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := 0
	for _, calls := range m.calls {
		n += calls
	}
	return n
}

// dataFolder is a data folder with its queue.
type dataFolder struct {
	dir   string
	queue *fleet.Queue
	slots int
}

// starter is shared by the runs of all nodes, as in rlm node, so that a run can use the spare worker of another.
var starter = sandbox.NewStarter()

func newDataFolder(t *testing.T) dataFolder {
	t.Helper()
	dir := t.TempDir()
	return dataFolder{dir, openQueue(t, dir), 2}
}

func openQueue(t *testing.T, dir string) *fleet.Queue {
	t.Helper()
	q, err := fleet.Open(t.Context(), fleet.Dir(dir), nil)
	require.NoError(t, err)
	q.Hurry(10)
	t.Cleanup(func() { _ = q.Close() }) // some tests have already closed the queue
	return q
}

func (p dataFolder) node(m llm.Model) *fleet.Node {
	return &fleet.Node{
		Queue: p.queue, Batch: "b", Slots: p.slots, Alone: true,
		Backoff: []time.Duration{time.Millisecond, time.Millisecond},
		Setup: func(context.Context, fleet.Job) (llm.Model, []runner.Option, error) {
			return m, []runner.Option{
				runner.WithDataDir(p.dir), runner.WithSandbox(sandbox.Basic, sandbox.Limits{}), host.Starter(starter),
			}, nil
		},
	}
}

func (p dataFolder) submit(t *testing.T, b fleet.Batch, jobs []fleet.Job, how fleet.Submission) fleet.SubmitResult {
	t.Helper()
	b.ID = "b"
	how.RunsDir = trajectory.RunsDir(p.dir)
	did, err := fleet.Submit(t.Context(), p.queue, b, jobs, how)
	require.NoError(t, err)
	return did
}

// work runs the batch to its end and returns the outcomes of the jobs, by id.
func (p dataFolder) work(t *testing.T, m llm.Model) (map[string]string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	var failed error
	for _, err := range p.node(m).Work(ctx, ctx, 0) {
		failed = err
	}
	require.NoError(t, ctx.Err())
	latest, err := fleet.Latest(t.Context(), p.queue, "b")
	require.NoError(t, err)
	got := map[string]string{}
	for _, r := range latest {
		got[r.ID] = string(r.State) + ": " + r.Answer + r.Kind
	}
	return got, failed
}

func jobs(n int) []fleet.Job {
	list := make([]fleet.Job, n)
	for i := range list {
		list[i] = fleet.Job{ID: fmt.Sprint(i), Question: fmt.Sprintf("job-%d", i)}
	}
	return list
}

func TestABatchIsPaidForOnce(t *testing.T) {
	t.Parallel()
	p, m := newDataFolder(t), &model{}
	file := filepath.Join(p.dir, "note.txt")
	require.NoError(t, os.WriteFile(file, []byte("one"), 0o600))
	list := jobs(5)
	list[1].Context = []fleet.Source{{Path: file}}
	require.Equal(t, fleet.SubmitResult{New: 3}, p.submit(t, fleet.Batch{}, list, fleet.Submission{Limit: 3}))
	got, err := p.work(t, m)
	require.NoError(t, err)
	require.Equal(t, map[string]string{
		"0": "done: answer to job-0", "1": "done: answer to job-1", "2": "done: answer to job-2",
	}, got)

	require.Equal(t, fleet.SubmitResult{New: 2, Known: 3}, p.submit(t, fleet.Batch{}, list, fleet.Submission{}))
	got, err = p.work(t, m)
	require.NoError(t, err)
	require.Len(t, got, 5)
	require.Equal(t, 5, m.total())

	// A job whose context file has changed is another job. A job that was removed from the batch has no result.
	require.NoError(t, os.WriteFile(file, []byte("two"), 0o600))
	require.Equal(t, fleet.SubmitResult{New: 1, Known: 3, Changed: 1, Gone: 1},
		p.submit(t, fleet.Batch{}, list[:4], fleet.Submission{}))
	got, err = p.work(t, m)
	require.NoError(t, err)
	require.Len(t, got, 4)
	require.Equal(t, 6, m.total())
	s, err := p.queue.Status(t.Context(), "b")
	require.NoError(t, err)
	require.Equal(t, []int{4, 4, 0, 0}, []int{s.Jobs, s.Done, s.Dead, s.Queued})
	require.EqualValues(t, 6*110, s.Tokens, "what is not counted any more was paid for")

	// The result of a job that is added again comes from the log of its run.
	require.Equal(t, fleet.SubmitResult{New: 1, Known: 4}, p.submit(t, fleet.Batch{}, list, fleet.Submission{}))
	got, err = p.work(t, m)
	require.NoError(t, err)
	require.Equal(t, "done: answer to job-4", got["4"])
	require.Equal(t, 6, m.total())
	s, err = p.queue.Status(t.Context(), "b")
	require.NoError(t, err)
	require.Equal(t, []int{5, 5, 0, 0}, []int{s.Jobs, s.Done, s.Dead, s.Queued})
	require.EqualValues(t, 6*110, s.Tokens)
}

func TestFailuresThatPassAreTriedAgainAndOthersSetAside(t *testing.T) {
	t.Parallel()
	for _, slots := range []int{1, 2} { // one slot is enough: a job that waits for its retry takes none
		t.Run(fmt.Sprint(slots, " slots"), func(t *testing.T) { testFailures(t, slots) })
	}
}

func testFailures(t *testing.T, slots int) {
	down := true
	p, m := newDataFolder(t), &model{}
	p.slots = slots
	m.before = func(question string, call int) error {
		switch {
		case question == "job-1" && call < 3:
			return &llm.Error{Kind: llm.ErrUnavailable, Message: "down"}
		case question == "job-2" && down:
			return &llm.Error{Kind: llm.ErrUnavailable, Message: "down"}
		case question == "job-3" && down:
			return &llm.Error{Kind: llm.ErrAuth, Message: "wrong key"}
		}
		return nil
	}
	p.submit(t, fleet.Batch{}, jobs(5), fleet.Submission{})
	got, err := p.work(t, m)
	require.NoError(t, err)
	require.Equal(t, map[string]string{
		"0": "done: answer to job-0", "1": "done: answer to job-1", "2": "dead: unavailable", "3": "dead: auth",
		"4": "done: answer to job-4",
	}, got)
	require.Equal(t, 3, m.calls["job-2"], "once, and once for each time to wait")
	require.Equal(t, 1, m.calls["job-3"], "a wrong key stays wrong")

	down = false
	require.Equal(t, fleet.SubmitResult{Known: 5}, p.submit(t, fleet.Batch{}, jobs(5), fleet.Submission{}))
	require.Equal(t, fleet.SubmitResult{Known: 5, Retried: 2},
		p.submit(t, fleet.Batch{}, jobs(5), fleet.Submission{Retry: true}))
	s, err := p.queue.Status(t.Context(), "b")
	require.NoError(t, err)
	require.Equal(t, []int{5, 3, 0, 2}, []int{s.Jobs, s.Done, s.Dead, s.Queued})
	got, err = p.work(t, m)
	require.NoError(t, err)
	require.Equal(t, "done: answer to job-2", got["2"])
	require.Equal(t, "done: answer to job-3", got["3"])
	s, err = p.queue.Status(t.Context(), "b")
	require.NoError(t, err)
	require.Equal(t, []int{5, 5, 0, 0}, []int{s.Jobs, s.Done, s.Dead, s.Queued})
}

// TestAPartialAnswerIsNoReasonNotToTryAgain: what a model said before its endpoint failed is not the job's answer.
func TestAPartialAnswerIsNoReasonNotToTryAgain(t *testing.T) {
	t.Parallel()
	p := newDataFolder(t)
	m := llm.ScriptedFunc("model", func(_ context.Context, _ llm.Request, n int) (llm.Response, error) {
		switch n {
		case 0:
			return llm.Response{Content: "It is surely cart."}, nil
		case 1:
			return llm.Response{}, &llm.Error{Kind: llm.ErrUnavailable, Message: "down"}
		}
		return llm.Response{Content: "```go\nFINAL(\"mail\")\n```"}, nil
	})
	p.submit(t, fleet.Batch{}, jobs(1), fleet.Submission{})
	got, err := p.work(t, m)
	require.NoError(t, err)
	require.Equal(t, map[string]string{"0": "done: mail"}, got)
}

func TestAJobThatCannotBeginIsSetAside(t *testing.T) {
	t.Parallel()
	p, m := newDataFolder(t), &model{}
	file := filepath.Join(p.dir, "gone.txt")
	require.NoError(t, os.WriteFile(file, []byte("here"), 0o600))
	list := jobs(2)
	list[0].Context = []fleet.Source{{Path: file}}
	p.submit(t, fleet.Batch{}, list, fleet.Submission{})
	require.NoError(t, os.Remove(file))
	got, err := p.work(t, m)
	require.NoError(t, err)
	require.Equal(t, map[string]string{"0": "dead: ", "1": "done: answer to job-1"}, got)
	latest, err := fleet.Latest(t.Context(), p.queue, "b")
	require.NoError(t, err)
	require.Contains(t, latest[0].Reason, "gone.txt")
}

func TestABudgetHoldsForTheWholeBatch(t *testing.T) {
	t.Parallel()
	p, m := newDataFolder(t), &model{}
	p.submit(t, fleet.Batch{Budget: fleet.Budget{Tokens: 300}}, jobs(20), fleet.Submission{})
	_, err := p.work(t, m)
	var stopped *fleet.StoppedError
	require.ErrorAs(t, err, &stopped)
	require.ErrorContains(t, err, "the budget of the batch is used up")
	require.LessOrEqual(t, m.total(), 3+2, "three calls use it up, and as many as run at once may be in flight")
	s, err := p.queue.Status(t.Context(), "b")
	require.NoError(t, err)
	require.Equal(t, 20, s.Done+s.Queued)
	require.Zero(t, s.Dead)

	p.submit(t, fleet.Batch{Budget: fleet.Budget{Tokens: 1 << 40}}, jobs(20), fleet.Submission{})
	got, err := p.work(t, m)
	require.NoError(t, err)
	require.Len(t, got, 20)
	for id, state := range got {
		require.Equal(t, "done: answer to job-"+id, state)
	}
}

func TestACancelledBatchStopsAndGoesOn(t *testing.T) {
	t.Parallel()
	p, m := newDataFolder(t), &model{}
	first := make(chan struct{})
	var once sync.Once
	m.hangs = func() bool {
		once.Do(func() { close(first) })
		return true
	}
	p.submit(t, fleet.Batch{}, jobs(6), fleet.Submission{})
	ended := make(chan error)
	go func() {
		var failed error
		for _, err := range p.node(m).Work(t.Context(), t.Context(), 0) {
			failed = err
		}
		ended <- failed
	}()
	<-first
	other := openQueue(t, p.dir) // a second process would open it like this
	require.NoError(t, fleet.Cancel(t.Context(), other, "b"))
	require.Eventually(t, func() bool {
		s, err := other.Status(t.Context(), "b")
		return err == nil && s.Cancelled && s.Stopped == "the batch is cancelled"
	}, time.Minute, 10*time.Millisecond)
	var stopped *fleet.StoppedError
	require.ErrorAs(t, <-ended, &stopped)

	m.hangs = nil
	p.submit(t, fleet.Batch{}, jobs(6), fleet.Submission{})
	got, err := p.work(t, m)
	require.NoError(t, err)
	require.Len(t, got, 6)
}

func TestTheQueueOutlivesItsOwner(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), strings.Repeat("long-", 30)) // longer than the maximum for a socket's path
	owner := dataFolder{dir, openQueue(t, dir), 2}
	guest := dataFolder{dir, openQueue(t, dir), 2}
	owner.submit(t, fleet.Batch{}, jobs(3), fleet.Submission{})
	s, err := guest.queue.Status(t.Context(), "b")
	require.NoError(t, err)
	require.Equal(t, 3, s.Queued)
	info, err := os.Stat(filepath.Join(fleet.Dir(dir), "socket"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	require.NoError(t, owner.queue.Close())
	got, err := guest.work(t, &model{})
	require.NoError(t, err)
	require.Len(t, got, 3)
	release, err := guest.queue.Claim("b")
	require.NoError(t, err)
	_, err = guest.queue.Claim("b")
	require.ErrorIs(t, err, fleet.ErrClaimed)
	release()
}

// Who opens the queue while its owner is dying reaches a socket that breaks off at any point, and takes over.
func TestAQueueWhoseOwnerIsDyingIsOpened(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(fleet.Dir(dir), 0o700))
	owner := flock.New(filepath.Join(fleet.Dir(dir), "lock"))
	held, err := owner.TryLock()
	require.NoError(t, err)
	require.True(t, held)
	socket, err := files.ListenSocket(filepath.Join(fleet.Dir(dir), "socket"))
	require.NoError(t, err)
	go func() {
		for _, said := range []string{"", "INFO {}\r\n"} {
			guest, err := socket.Accept()
			if !assert.NoError(t, err) {
				break
			}
			if said != "" {
				_, err = io.WriteString(guest, said)
				assert.NoError(t, err)
				_, err = guest.Read(make([]byte, 1)) // closing with the rest unread resets the connection
				assert.NoError(t, err)
			}
			assert.NoError(t, guest.Close())
		}
		assert.NoError(t, socket.Close())
		assert.NoError(t, owner.Unlock())
	}()
	heir := dataFolder{dir, openQueue(t, dir), 2}
	heir.submit(t, fleet.Batch{}, jobs(3), fleet.Submission{})
	got, err := heir.work(t, &model{})
	require.NoError(t, err)
	require.Len(t, got, 3)
}

func TestDrainingEndsWhatRuns(t *testing.T) {
	t.Parallel()
	p, m := newDataFolder(t), &model{}
	first, hold := make(chan struct{}, 10), make(chan struct{})
	m.before = func(string, int) error { first <- struct{}{}; <-hold; return nil }
	p.submit(t, fleet.Batch{}, jobs(6), fleet.Submission{})
	ctx, cancel := context.WithCancel(t.Context())
	var ids []string
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for r, err := range p.node(m).Work(ctx, t.Context(), 0) {
			if err == nil {
				ids = append(ids, r.ID)
			}
		}
	}()
	<-first
	<-first
	cancel()
	close(hold)
	<-ended
	slices.Sort(ids)
	require.Equal(t, []string{"0", "1"}, ids)
	got, err := p.work(t, m)
	require.NoError(t, err)
	require.Len(t, got, 6)
	require.Equal(t, 6, m.total())
}

func TestReadJobs(t *testing.T) {
	t.Chdir(t.TempDir()) // a test that changes the folder cannot be parallel
	require.NoError(t, os.WriteFile("here.txt", []byte("x"), 0o600))
	good := `{"id": 7, "question": "q", "context": ["here.txt", "https://example.com/a", {"text": "t", "name": "n"}, "two\nlines"], "schema": "name string", "budgets": {"cost": 0.5, "time": "10m", "depth": 0}, "metadata": {"a": 1}}

{"question": "second", "context": "here.txt", "schema": {"type": "object", "properties": {"a": {"type": "string"}}}, "budgets": {"time": 90, "tokens": -1}}`
	list, err := fleet.ReadJobs(strings.NewReader(good), nil)
	require.NoError(t, err)
	require.Len(t, list, 2)
	require.Equal(t, "7", list[0].ID)
	require.Equal(t, []fleet.Source{
		{Path: "here.txt"},
		{URL: "https://example.com/a"},
		{Text: "t", Name: "n"},
		{Text: "two\nlines"},
	}, list[0].Context)
	require.Equal(t, runner.Budgets{Cost: 0.5, Time: 10 * time.Minute, Depth: -1}, list[0].Budgets)
	require.Equal(t, runner.Budgets{Time: 90 * time.Second, Tokens: -1}, list[1].Budgets, "seconds, as in flags")
	require.Equal(t, "3", list[1].ID, "the number of its line")
	require.Equal(t, []string{"name", "a"}, fleet.Columns(list))

	for line, want := range map[string]string{
		`{"question": ""}`:                                        "there is no question",
		`{"question": "q", "contxt": []}`:                         `there is no field "contxt"`,
		`{"question": "q"`:                                        "it ends in the middle",
		`{"question": "q"} {}`:                                    "there is more after the job",
		`["q"]`:                                                   "a job must be a line such as",
		`{"question": 1}`:                                         `"question" has the wrong type: number`,
		`{"id": [1], "question": "q"}`:                            "the id must be text or a number",
		`{"id": "a\u0007", "question": "q"}`:                      "control characters",
		`{"question": "q", "context": ["none.txt"]}`:              `no file or folder "none.txt"`,
		`{"question": "q", "context": ["*.none"]}`:                "no file matches",
		`{"question": "q", "context": [{}]}`:                      "a path, a URL or a text",
		`{"question": "q", "context": [{"path": "a", "url": 1}]}`: "has the wrong type: number",
		`{"question": "q", "context": ["https://a:b@c/"]}`:        "password",
		`{"question": "q", "schema": "name strin"}`:               "schema",
		`{"question": "q", "schema": 3}`:                          "the schema must be an object",
		`{"question": "q", "budgets": {"cost": 0}}`:               "cost 0 leaves nothing to do",
		`{"question": "q", "budgets": {"time": "soon"}}`:          "time must be a duration",
		`{"question": "q", "budgets": {"time": -3}}`:              "time must be a duration",
		`{"question": "q", "budgets": {"tokens": -3}}`:            "above 0, or -1 for no limit, not -3",
		`{"question": "q", "budgets": {"money": 1}}`:              `no field "money"`,
		`{"id": "x", "question": "q"}`:                            `the id "x" is already used in line 1`,
	} {
		_, err := fleet.ReadJobs(strings.NewReader("{\"id\": \"x\", \"question\": \"ok\"}\n"+line+"\n"), nil)
		require.ErrorContains(t, err, "line 2: ", line)
		require.ErrorContains(t, err, want, line)
	}
	_, err = fleet.ReadJobs(strings.NewReader("\n\n"), nil)
	require.ErrorContains(t, err, "there are no jobs")
	_, err = fleet.ReadJobs(strings.NewReader(strings.Repeat("{}\n", 50)), nil)
	require.ErrorContains(t, err, "line 20: ")
	require.ErrorContains(t, err, "and 30 more lines")
	_, err = fleet.ReadJobs(strings.NewReader(good), func(j fleet.Job) error {
		if j.ID == "3" {
			return errors.New("no such model")
		}
		return nil
	})
	require.ErrorContains(t, err, "line 3: no such model")
}
