package eval_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/eval"
	"github.com/gorlm/rlm/internal/eval/suite"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/host"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/sandbox"
)

// starter is shared by all runners, so that a runner can use the spare worker of an earlier one.
var starter = sandbox.NewStarter()

func items(t testing.TB, name string, n, length int) eval.Items {
	t.Helper()
	s, err := suite.Named(name)
	require.NoError(t, err)
	return eval.Items{Len: n, At: func(i int) (suite.Item, error) { return s.Item(1, length, i), nil }}
}

// scripted returns a model whose replies are computed from the request.
func scripted(name string, reply func(context.Context, llm.Request) (string, error)) llm.Model {
	return llm.ScriptedFunc(name, func(ctx context.Context, req llm.Request, _ int) (llm.Response, error) {
		text, err := reply(ctx, req)
		return llm.Response{Content: text}, err
	})
}

var needle = regexp.MustCompile(`for ([\w-]+) is: ([\w-]+)\.`)

// skilled returns a model that finds the needles with probability p. Its name and the prompt decide whether it
// does, so the same prompt always gets the same reply.
func skilled(name string, p float64, calls *atomic.Int64) llm.Model {
	return scripted(name, func(_ context.Context, req llm.Request) (string, error) {
		calls.Add(1)
		prompt := req.Messages[len(req.Messages)-1].Content
		h := fnv.New64a()
		h.Write([]byte(name + prompt))
		if rand.New(rand.NewPCG(h.Sum64(), 1)).Float64() >= p {
			return "I cannot find it.", nil
		}
		_, question, _ := strings.Cut(prompt, "Question: ")
		var found []string
		for _, m := range needle.FindAllStringSubmatch(prompt, -1) {
			if strings.Contains(question, m[1]) {
				found = append(found, m[2])
			}
		}
		return strings.Join(found, ", "), nil
	})
}

func plain(m llm.Model, window int) eval.PlainModel { return eval.PlainModel{Model: m, Window: window} }

// TestAModelOfKnownSkill checks that the score is close to the skill, within its interval, that all arms have the
// same items, and that the price is counted.
func TestAModelOfKnownSkill(t *testing.T) {
	var calls atomic.Int64
	good, poor := plain(skilled("good", 0.9, &calls), 100_000), plain(skilled("poor", 0.5, &calls), 100_000)
	good.Prices = llm.Prices{"good": {Input: 1, Output: 1}}
	a, b := eval.Direct(good), eval.Direct(poor)
	b.Name = "poor"
	results, err := eval.Evaluation{Items: items(t, "s-niah", 200, 1000), Arms: []eval.Arm{a, b}, Parallel: 4}.Run(
		t.Context())
	require.NoError(t, err)
	require.Equal(t, 400, len(results), "results of %d calls", calls.Load())
	require.EqualValues(t, 400, calls.Load(), "calls")
	for i := 0; i < len(results); i += 2 {
		require.Equal(t, results[i].Item, results[i+1].Item, "the items of results %d and %d", i, i+1)
		require.Equal(t, []string{"direct", "poor"}, []string{results[i].Arm, results[i+1].Arm},
			"the arms of results %d and %d", i, i+1)
	}
	rep := eval.NewReport(results, 1)
	for i, p := range []float64{0.9, 0.5} {
		s := rep.All[i].Score
		assert.LessOrEqual(t, s.Low, p, "the score of the model that is right in %v: %+v", p, s)
		assert.GreaterOrEqual(t, s.High, p, "the score of the model that is right in %v: %+v", p, s)
		assert.InDelta(t, p, s.Mean, 0.1, "the score of the model that is right in %v: %+v", p, s)
	}
	d := rep.All[1].Against
	require.NotNil(t, d)
	assert.False(t, d.Noise(), "the difference is %+v", d)
	assert.InDelta(t, -0.4, d.Mean, 0.1, "the difference is %+v", d)
	require.NotNil(t, rep.All[0].Cost)
	assert.Positive(t, *rep.All[0].Cost)
	assert.Nil(t, rep.All[1].Cost)
}

// TestTheNotebookArm runs models that succeed, loop, only talk, or guess without looking at the text.
func TestTheNotebookArm(t *testing.T) {
	works := "```go\nm := regexp.MustCompile(`is: (\\S+)\\.`).FindStringSubmatch(context)\nFINAL(m[1])\n```"
	for _, c := range []struct {
		name, reply   string
		length        int // of the text, in tokens
		score         float64
		turns, wasted int
		completed     bool
	}{
		{"works", works, 1000, 1, 1, 0, true},
		{"loops", "```go\nfmt.Println(len(context))\n```", 1000, 0, 3, 0, false},
		{"talks", "Let me think about the text.", 1000, 0, 3, 3, false},
		{"invents", "```go\nFINAL(\"1234567\")\n```", 1000, 0, 1, 0, true},
		{"guesses", "```go\nFINAL(\"1234567\")\n```", 30_000, 0, 2, 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := scripted(c.name, func(context.Context, llm.Request) (string, error) { return c.reply, nil })
			b := runner.DefaultBudgets()
			b.Iterations = 3
			r, err := runner.New(m, runner.WithDataDir(t.TempDir()), runner.WithBudgets(b), host.Starter(starter))
			require.NoError(t, err)
			only := items(t, "s-niah", 9, c.length)
			one := eval.Items{Len: 2, At: func(i int) (suite.Item, error) { return only.At(8 * i) }} // single numbers
			results, err := eval.Evaluation{Items: one, Arms: []eval.Arm{eval.RLM("rlm", "", r, nil)}}.Run(t.Context())
			require.NoError(t, err)
			for _, res := range results {
				done := res.Status == "completed"
				assert.Equal(t, c.score, res.Score.Value, "the score of %q", res.Answer)
				assert.Equal(t, c.completed, done, "the status is %s", res.Status)
				assert.NotEmpty(t, res.Run, "the run")
				assert.Equal(t, res.Answer != "", res.Grounding != "", "what the answer rests on")
				assert.GreaterOrEqual(t, res.Turns, c.turns, "turns")
				assert.GreaterOrEqual(t, res.Wasted, c.wasted, "calls wasted")
				if done {
					assert.Equal(t, []int{c.turns, c.turns, c.turns}, []int{res.Turns, res.Cells, res.CellsOK},
						"turns, cells, cells right at first try")
				}
			}
			marks := map[string]string{"invents": "", "guesses": ", a guess"}
			if mark, made := marks[c.name]; made { // the report says so for each answer
				var page bytes.Buffer
				require.NoError(t, eval.NewReport(results, 1).WriteHTML(&page, "t", nil))
				assert.Equal(t, 2, strings.Count(page.String(), "<td>completed</td><td>not"+mark+"</td>"))
				assert.Contains(t, page.String(), ": 0.000, completed, not grounded"+mark+",")
				assert.Equal(t, "completed, not grounded"+mark, results[0].Ended())
				assert.Equal(t, mark != "", strings.Contains(page.String(), "guesses: 2"))
			}
		})
	}
}

// TestATextThatDoesNotFit checks that the direct arm cuts the middle of the text, and reports that; the other arms
// read all of it.
func TestATextThatDoesNotFit(t *testing.T) {
	var longest atomic.Int64
	m := scripted("small", func(_ context.Context, req llm.Request) (string, error) {
		n := int64(0)
		for _, msg := range req.Messages {
			n += int64(len(msg.Content))
		}
		for {
			old := longest.Load()
			if n <= old || longest.CompareAndSwap(old, n) {
				break
			}
		}
		var found []string
		for _, m := range needle.FindAllStringSubmatch(req.Messages[1].Content, -1) {
			found = append(found, m[0])
		}
		return strings.Join(found, " "), nil
	})
	p := plain(m, 4000)
	one := items(t, "s-niah", 1, 20_000)
	results, err := eval.Evaluation{Items: one, Arms: []eval.Arm{eval.Direct(p), eval.RAG(p), eval.Summary(p)}}.Run(
		t.Context())
	require.NoError(t, err)
	assert.LessOrEqual(t, longest.Load(), int64(4000*5), "the bytes of a prompt for a model of 4000 tokens")
	assert.Contains(t, results[0].Note, "was cut", "the note of the direct arm")
	for _, r := range results[1:] {
		assert.EqualValues(t, 1, r.Score.Value, "%s does not find the needle: %q (%s)", r.Arm, r.Answer, r.Note)
	}
	assert.GreaterOrEqual(t, results[2].Calls, 5, "the calls of 4000 tokens in which the summary arm read 20 000")
	assert.Equal(t, 1, eval.NewReport(results, 1).All[0].Cut, "the items that were cut")
}

// TestFailuresCountAsNothingAndAreListed checks that a failure scores 0 and is reported with its error.
func TestFailuresCountAsNothingAndAreListed(t *testing.T) {
	n := 0
	m := scripted("breaks", func(_ context.Context, req llm.Request) (string, error) {
		if n++; n%2 == 0 {
			return "", errors.New("out of order")
		}
		return needle.FindStringSubmatch(req.Messages[1].Content)[2], nil
	})
	all := items(t, "s-niah", 80, 1000)
	single := eval.Items{Len: 10, At: func(i int) (suite.Item, error) { return all.At(8 * i) }}
	results, err := eval.Evaluation{Items: single, Arms: []eval.Arm{eval.Direct(plain(m, 100_000))}}.Run(t.Context())
	require.NoError(t, err)
	rep := eval.NewReport(results, 1)
	assert.Equal(t, 0.5, rep.All[0].Score.Mean)
	require.Len(t, rep.Failures, 5)
	assert.Contains(t, rep.Failures[0].Error, "out of order")
	assert.Equal(t, 5, rep.All[0].Wasted, "calls wasted")
	var text, page bytes.Buffer
	require.NoError(t, rep.Write(&text))
	require.NoError(t, rep.WriteHTML(&page, "a <title>", func(run string) string { return "file:///runs/" + run }))
	for _, want := range []string{"0.500", "failed 5", "5 items without an answer, counted as 0"} {
		assert.Contains(t, text.String(), want)
	}
	for _, want := range []string{"<svg", "out of order", "a &lt;title&gt;"} {
		assert.Contains(t, page.String(), want)
	}
}

// steady returns an evaluation that always gives the same answers and runs long enough to be killed midway. Each
// call writes a line to a file.
func steady(t testing.TB, dir, results string) eval.Evaluation {
	calls, err := os.OpenFile(filepath.Join(dir, "calls"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	require.NoError(t, err)
	arm := func(name string, every int) eval.Arm {
		return eval.Arm{Name: name, Answer: func(_ context.Context, item suite.Item, _ *eval.Attempt) eval.Reply {
			fmt.Fprintln(calls, name, item.ID)
			time.Sleep(time.Millisecond) // a model takes time, too
			h := fnv.New32a()
			h.Write([]byte(name + item.ID))
			cost := 0.001
			r := eval.Reply{Answer: "wrong", Status: "completed", Cost: &cost, Calls: 1, Wall: time.Second}
			if int(h.Sum32())%every != 0 {
				r.Answer = needle.FindStringSubmatch(item.Documents[0].Text)[2]
			}
			return r
		}}
	}
	all := items(t, "s-niah", 8*500, 1000)
	single := eval.Items{Len: 500, At: func(i int) (suite.Item, error) { return all.At(8 * i) }}
	return eval.Evaluation{Items: single, Arms: []eval.Arm{arm("a", 4), arm("b", 3)}, Results: results, Parallel: 4}
}

// TestKilled repeatedly kills an evaluation of 500 items: the table is the same, and stored answers are not
// requested again.
func TestKilled(t *testing.T) {
	if dir := os.Getenv("RLM_EVAL_TEST_DIR"); dir != "" {
		_, err := steady(t, dir, filepath.Join(dir, "results.jsonl")).Run(t.Context())
		require.NoError(t, err)
		return
	}
	dir := t.TempDir()
	kills := 0
	for done := false; !done; {
		child := exec.Command(os.Args[0], "-test.run=^TestKilled$")
		child.Env = append(os.Environ(), "RLM_EVAL_TEST_DIR="+dir)
		require.NoError(t, child.Start())
		if kills < 10 {
			waitForLines(t, filepath.Join(dir, "results.jsonl"), (kills+1)*80)
			_ = child.Process.Kill() // the process may have ended
			kills++
		}
		done = child.Wait() == nil
	}
	results, err := eval.ReadResults(filepath.Join(dir, "results.jsonl"))
	require.NoError(t, err)
	calls, err := os.ReadFile(filepath.Join(dir, "calls"))
	require.NoError(t, err)
	n := bytes.Count(calls, []byte("\n"))
	assert.Equal(t, 1000, len(results), "results of %d calls after %d kills", n, kills)
	assert.LessOrEqual(t, n, 1000+4*kills, "calls after %d kills with four in flight", kills)
	again, err := steady(t, t.TempDir(), filepath.Join(dir, "results.jsonl")).Run(t.Context())
	require.NoError(t, err)
	undisturbed, err := steady(t, t.TempDir(), "").Run(t.Context())
	require.NoError(t, err)
	assert.Equal(t, table(t, undisturbed), table(t, again), "the table after kills")
}

func table(t *testing.T, results []eval.Result) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, eval.NewReport(results, 1).Write(&b))
	return b.String()
}

func waitForLines(t *testing.T, path string, n int) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if data, err := os.ReadFile(path); err == nil && bytes.Count(data, []byte("\n")) >= n {
			return
		}
	}
	require.Fail(t, "too few lines", "%s did not get %d lines", path, n)
}

func TestCompare(t *testing.T) {
	var calls atomic.Int64
	run := func(p float64) []eval.Result {
		r, err := eval.Evaluation{
			Items: items(t, "s-niah", 100, 1000),
			Arms:  []eval.Arm{eval.Direct(plain(skilled(fmt.Sprint("m", p), p, &calls), 100_000))},
		}.Run(t.Context())
		require.NoError(t, err)
		return r
	}
	half := run(0.5)
	for _, c := range []struct {
		b     []eval.Result
		noise bool
	}{{run(0.9), false}, {half, true}} {
		got, err := eval.Compare(half, c.b, 1)
		require.NoError(t, err)
		assert.Equal(t, c.noise, got.Arms[0].Difference.Noise(), "the comparison is %+v", got.Arms[0])
		assert.Equal(t, 100, got.Arms[0].N)
	}
	_, err := eval.Compare(half, nil, 1)
	assert.Error(t, err, "nothing in common can be compared")
}
