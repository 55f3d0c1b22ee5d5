package runner_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/sandbox"
)

// billed is the environment variable that makes this binary a process with one paid run. Other variables contain
// the URL of the endpoint and its prices.
const billed = "RLM_TEST_BILLED"

// runBilled begins or resumes a run, and writes its result. An interrupt stops it.
func runBilled(dir string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	model, err := llm.New(llm.Config{
		Model: "billed", BaseURL: os.Getenv(billed + "_URL"), Tries: 3, BackoffMin: time.Millisecond,
		BackoffMax:    2 * time.Millisecond,
		HeaderTimeout: time.Second, Stall: time.Second,
	})
	if err != nil {
		return err
	}
	opts := []runner.Option{
		runner.WithDataDir(dir), runner.WithSandbox(sandbox.Basic, sandbox.Limits{}),
		runner.WithConcurrency(4),
	}
	if os.Getenv(billed+"_TABLE") != "" {
		opts = append(opts, runner.WithPrices(llm.Prices{"billed": {Input: billInput, Output: billOutput}}))
	}
	r, err := runner.New(model, opts...)
	if err != nil {
		return err
	}
	defer r.Close()
	var res runner.Result
	if runs, _ := filepath.Glob(filepath.Join(dir, "rlm", "runs", "*", "trajectory.jsonl")); len(runs) > 0 {
		res, err = runner.Collect(r.Resume(ctx, filepath.Base(filepath.Dir(runs[0]))))
	} else {
		res, err = r.Answer(ctx, "begin", runner.Text("t", "some text"))
	}
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(res)
}

// US dollars per million tokens.
const (
	billInput  = 3.0
	billOutput = 12.0
)

// till is an endpoint that fails in every way. It charges for the prompt and for the part of the reply that it
// sent. Its faults depend on the request and on how often it was made.
type till struct {
	calls int  // sub-calls of the run
	told  bool // whether it also reports the cost
	at    func(requests int)

	mu       sync.Mutex
	requests int
	asked    map[string]int
	dollars  float64
	faults   map[string]int
}

// faults are the ways in which till replies, in turn; "whole" is frequent enough for a run to end.
var faults = []string{
	"whole", "rate limit", "whole", "half and cut", "whole", "no usage", "whole", "error behind half", "whole",
	"thoughts only", "in one piece",
	"dropped", "whole", "abort", "server error", "whole", "filtered", "silent", "whole", "stands still",
	"cut at its limit", "whole", "slow",
}

// tokens returns the endpoint's count, which differs from the estimate here.
func tokens(text string) int { return (len(text)*2 + 6) / 7 }

func (b *till) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var req struct {
		Stream   bool
		Messages []struct{ Content string }
	}
	if json.NewDecoder(r.Body).Decode(&req) != nil {
		return
	}
	prompt := 0
	for _, m := range req.Messages {
		prompt += tokens(m.Content)
	}
	last := req.Messages[len(req.Messages)-1].Content
	b.mu.Lock()
	b.requests++
	n := b.requests
	b.asked[last]++
	hash := fnv.New32a()
	fmt.Fprint(hash, last, b.asked[last])
	fault := faults[int(hash.Sum32()>>3)%len(faults)]
	text := "word " + strings.Repeat(fmt.Sprint("word ", hash.Sum32()%1000, " "), 40+int(hash.Sum32()%57))
	if len(req.Messages) > 1 { // a turn of the run, not a sub-call
		fault, text = "whole", b.cell(len(req.Messages)/2)
	}
	b.faults[fault]++
	b.mu.Unlock()
	b.at(n)
	switch fault {
	case "rate limit":
		http.Error(w, `{"error":{"message":"slow down","code":"rate_limit_exceeded"}}`, http.StatusTooManyRequests)
		return
	case "server error":
		http.Error(w, `{"error":{"message":"oops"}}`, http.StatusInternalServerError)
		return
	case "dropped":
		panic(http.ErrAbortHandler)
	}
	pieces := strings.SplitAfter(text, " ")
	sent := 0
	usage := func() string {
		cost := ""
		if b.told {
			cost = fmt.Sprintf(`,"cost":%.9f`, price(prompt, sent))
		}
		return fmt.Sprintf(`"usage":{"prompt_tokens":%d,"completion_tokens":%d%s}`, prompt, sent, cost)
	}
	defer func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.dollars += price(prompt, sent)
	}()
	say := func(format string, args ...any) {
		fmt.Fprintf(w, "data: "+format+"\n\n", args...)
		w.(http.Flusher).Flush()
	}
	finish := func(why string, told bool) {
		say(`{"choices":[{"index":0,"delta":{},"finish_reason":%q}]}`, why)
		if told {
			say(`{"choices":[],%s}`, usage())
		}
		say("[DONE]")
	}
	field := "content"
	switch fault {
	case "in one piece":
		sent = tokens(text)
		fmt.Fprintf(w, `{"choices":[{"index":0,"message":{"content":%q},"finish_reason":"stop"}],%s}`, text, usage())
		return
	case "silent":
		<-r.Context().Done()
		return
	case "half and cut", "error behind half", "abort", "stands still", "filtered":
		pieces = pieces[:len(pieces)/2+1]
	case "thoughts only":
		field = "reasoning_content"
	}
	came := ""
	for i, piece := range pieces {
		if r.Context().Err() != nil {
			return
		}
		if fault == "slow" && i%8 == 0 {
			time.Sleep(time.Millisecond)
		}
		say(`{"choices":[{"index":0,"delta":{%q:%q},"finish_reason":null}]}`, field, piece)
		came += piece
		sent = tokens(came)
	}
	switch fault {
	case "half and cut":
		panic(http.ErrAbortHandler)
	case "error behind half":
		say(`{"error":{"message":"overloaded","code":503},%s}`, usage())
	case "abort":
		finish("abort", true)
	case "stands still":
		<-r.Context().Done()
	case "filtered":
		finish("content_filter", true)
	case "cut at its limit":
		finish("length", true)
	case "no usage":
		finish("stop", false)
	default:
		finish("stop", true)
	}
}

// cell returns the cell that the model sends in a turn of the run.
func (b *till) cell(turn int) string {
	const batch = 50
	if turn*batch > b.calls {
		return fence(`FINAL(len("done"))`)
	}
	return fence(fmt.Sprintf(`prompts := make([]string, %d)
for i := range prompts {
	prompts[i] = fmt.Sprint("question ", %d + i, strings.Repeat(" and more", i %% 41))
}
for _, p := range prompts[:5] {
	func() {
		defer func() { recover() }()
		llm_query(p)
	}()
}
fmt.Println(len(llm_query_batched(prompts[5:])))`, batch, turn*batch))
}

func price(prompt, reply int) float64 {
	return (float64(prompt)*billInput + float64(reply)*billOutput) / 1e6
}

// The counted cost is close to what the endpoint charged: when calls fail, when a person stops the run, and when
// its process is killed.
func TestTheBill(t *testing.T) {
	t.Parallel()
	// With few calls, a large share is in flight at each interruption, and their cost can only be estimated.
	calls, ends, off := 100, 2, 0.15
	if os.Getenv("RLM_SOAK") != "" {
		calls, ends, off = 1000, 12, 0.01
	}
	for _, told := range []bool{true, false} {
		t.Run(fmt.Sprint("the endpoint tells costs: ", told), func(t *testing.T) {
			t.Parallel()
			reached := make(chan int, 10*calls)
			b := &till{calls: calls, told: told, asked: map[string]int{}, faults: map[string]int{}, at: func(n int) {
				reached <- n
			}}
			srv := httptest.NewServer(b)
			defer srv.Close()
			dir := t.TempDir()
			var res runner.Result
			killed, stopped := 0, 0
			for res.RunID == "" {
				cmd := exec.Command(os.Args[0])
				cmd.Env = append(os.Environ(), billed+"="+dir, billed+"_URL="+srv.URL+"/v1")
				if !told {
					cmd.Env = append(cmd.Env, billed+"_TABLE=yes")
				}
				var out bytes.Buffer
				cmd.Stdout, cmd.Stderr = &out, os.Stderr
				require.NoError(t, cmd.Start())
				over := make(chan error, 1)
				go func() { over <- cmd.Wait() }()
				next := (killed + stopped + 1) * calls / (ends + 1)
				for running := true; running; {
					select {
					case n := <-reached:
						if n != next || killed+stopped == ends {
							continue
						}
						if killed > 2*stopped {
							stopped++
							require.NoError(t, cmd.Process.Signal(os.Interrupt))
						} else {
							killed++
							require.NoError(t, cmd.Process.Kill())
						}
					case err := <-over:
						running = false
						if out.Len() > 0 {
							require.NoError(t, err)
							require.NoError(t, json.Unmarshal(out.Bytes(), &res))
						}
					}
				}
				require.Less(t, killed+stopped, ends+1)
			}
			srv.Close() // calls in flight are charged when the server closes
			require.Equal(t, "4", res.Answer, res.Reason)
			require.NotNil(t, res.Cost)
			t.Logf("%d requests, %d kills, %d stops, charged $%.6f, counted $%.6f (%+.2f %%), %v", b.requests, killed,
				stopped, b.dollars, *res.Cost, 100*(*res.Cost/b.dollars-1), b.faults)
			require.InEpsilon(t, b.dollars, *res.Cost, off)
			require.Equal(t, ends, killed+stopped)
			require.True(t, res.Usage["billed"].Estimated)
		})
	}
}
