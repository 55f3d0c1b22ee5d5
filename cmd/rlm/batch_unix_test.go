//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/fleet"
	"github.com/gorlm/rlm/internal/testing/fakeapi"
	"github.com/gorlm/rlm/runner/trajectory"
)

// bulk is a batch of jobs with two turns and a sub-call each, and an endpoint whose replies depend on the
// question.
type bulk struct {
	dir      string
	bin      string
	jobs     int
	endpoint *fakeapi.Server
	gate     chan struct{} // replies wait until it is closed
}

const (
	bulkSlots = 4
	bulkCalls = 3 // calls of each job
)

var bulkJob = regexp.MustCompile(`job-\d+`)

func newBulk(t *testing.T, dir string, jobs int, delay time.Duration) *bulk {
	t.Helper()
	bin, err := exec.LookPath("rlm")
	require.NoError(t, err)
	b := &bulk{dir: dir, bin: bin, jobs: jobs, gate: make(chan struct{})}
	b.endpoint = fakeapi.StartFunc(func(r fakeapi.Request) fakeapi.Reply {
		<-b.gate
		last := r.Last()
		whole := ""
		for _, m := range r.Messages {
			whole += m.Content
		}
		job := bulkJob.FindString(whole)
		switch {
		case strings.HasPrefix(last, "sub "):
			return fakeapi.Reply{Content: "known of " + job, Delay: delay}
		case strings.Contains(last, "SAID"):
			return fakeapi.Reply{Content: "```go\nFINAL(said)\n```", Delay: delay}
		}
		return fakeapi.Reply{Content: "```go\nsaid := llm_query(\"sub " + job +
			" \" + context[:min(len(context), 5000)])\nfmt.Println(\"SAID\", said)\n```", Delay: delay}
	})
	t.Cleanup(func() {
		select {
		case <-b.gate:
		default:
			close(b.gate)
		}
		b.endpoint.Close()
	})
	var text strings.Builder
	for i := range jobs {
		fmt.Fprintf(&text, "{\"id\": \"%d\", \"question\": \"job-%d\"}\n", i, i)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "jobs.jsonl"), []byte(text.String()), 0o600))
	return b
}

// command returns the command that runs the batch, or another command.
func (b *bulk) command(args ...string) (*exec.Cmd, *shared) {
	if len(args) == 0 {
		args = []string{"batch", "jobs.jsonl", "-o", "out.jsonl", "--parallel", fmt.Sprint(bulkSlots)}
	}
	cmd := exec.Command(b.bin, args...)
	cmd.Dir = b.dir
	cmd.Env = append(os.Environ(), "HOME="+b.dir, "XDG_CONFIG_HOME="+b.dir,
		"RLM_DATA_DIR="+filepath.Join(b.dir, "data"), "OPENAI_BASE_URL="+b.endpoint.URL(),
		"OPENAI_API_KEY="+canary, "RLM_MODEL=root", "NO_PROXY=127.0.0.1")
	said := &shared{}
	cmd.Stdout, cmd.Stderr = said, said
	return cmd, said
}

// check asserts that each job has exactly one result, that of an undisturbed run, and that no reply was
// recorded twice. It returns the number of calls that were not recorded.
func (b *bulk) check(t *testing.T) (lost int) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(b.dir, "out.jsonl"))
	require.NoError(t, err)
	seen := map[string]bool{}
	for line := range strings.Lines(string(data)) {
		var l fleet.Line
		require.NoError(t, json.Unmarshal([]byte(line), &l), line)
		require.False(t, seen[l.ID], "job %s has two results", l.ID)
		seen[l.ID] = true
		require.Equal(t, "known of job-"+l.ID, l.Answer)
		require.Equal(t, []any{fleet.Done, 2, 1}, []any{l.Status, l.Turns, l.SubCalls})
	}
	require.Len(t, seen, b.jobs)
	recorded := 0
	runs := trajectory.RunsDir(filepath.Join(b.dir, "data"))
	list, err := os.ReadDir(runs)
	require.NoError(t, err)
	for _, run := range list {
		for ev, err := range trajectory.Read(filepath.Join(runs, run.Name())) {
			require.NoError(t, err)
			switch ev.Data.(type) {
			case trajectory.ReplyReceived, trajectory.SubCallEnded:
				recorded++
			}
		}
	}
	require.Equal(t, b.jobs*bulkCalls, recorded, "each reply is recorded once")
	return len(b.endpoint.Requests()) - recorded
}

// A batch is killed repeatedly, while it starts, submits, runs and writes. Only calls that were in flight are
// repeated.
func TestABatchThatIsKilledGoesOn(t *testing.T) {
	t.Parallel()
	kills, jobs := 10, 24
	if os.Getenv("RLM_LONG") != "" {
		kills, jobs = 100, 150
	} else {
		t.Log("10 kills only; RLM_LONG=1 for 100")
	}
	b := newBulk(t, t.TempDir(), jobs, 5*time.Millisecond)
	close(b.gate)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for n := range kills {
		cmd, _ := b.command()
		before := len(b.endpoint.Requests())
		require.NoError(t, cmd.Start())
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		if n%2 == 0 { // kill at a random moment
			time.Sleep(time.Duration(random.IntN(400)) * time.Millisecond)
		} else { // kill in the middle of its calls
			for want := before + 1 + random.IntN(6); len(b.endpoint.Requests()) < want && len(ended) == 0; {
				time.Sleep(time.Millisecond)
			}
		}
		if err := cmd.Process.Kill(); !errors.Is(err, os.ErrProcessDone) { // all jobs may already be done
			require.NoError(t, err)
		}
		<-ended
	}
	cmd, said := b.command()
	require.NoError(t, cmd.Run(), said)
	require.LessOrEqual(t, b.check(t), kills*bulkSlots, "a job has one call in flight at most")

	calls := len(b.endpoint.Requests())
	cmd, said = b.command()
	require.NoError(t, cmd.Run(), said)
	b.check(t)
	require.Len(t, b.endpoint.Requests(), calls, "all is done")
}

// The first Ctrl-C lets running jobs finish; nothing is paid for twice when the command continues.
func TestCtrlCDrainsABatch(t *testing.T) {
	t.Parallel()
	jobs := 20
	if os.Getenv("RLM_LONG") != "" {
		jobs = 60
	}
	b := newBulk(t, t.TempDir(), jobs, 0)
	cmd, said := b.command()
	require.NoError(t, cmd.Start())
	require.Eventually(t, func() bool {
		return len(b.endpoint.Requests()) == bulkSlots
	}, 2*time.Minute, time.Millisecond)
	require.NoError(t, cmd.Process.Signal(syscall.SIGINT))
	close(b.gate)
	var exited *exec.ExitError
	require.ErrorAs(t, cmd.Wait(), &exited)
	require.Equal(t, 130, exited.ExitCode(), said)
	require.Contains(t, said.String(), "run the same command again to continue")

	cmd, said = b.command("batch", "status", "out.jsonl")
	require.NoError(t, cmd.Run(), said)
	require.Contains(t, said.String(), "to continue in "+b.dir+": ")
	cmd, said = b.command()
	require.NoError(t, cmd.Run(), said)
	require.Zero(t, b.check(t), "no call was broken off")
}

// A second Ctrl-C says how far the batch came before it ends.
func TestASecondCtrlCSaysWhatIsLeft(t *testing.T) {
	t.Parallel()
	b := newBulk(t, t.TempDir(), 20, 0)
	cmd, said := b.command()
	require.NoError(t, cmd.Start())
	require.Eventually(t, func() bool {
		return len(b.endpoint.Requests()) == bulkSlots
	}, 2*time.Minute, time.Millisecond)
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	require.Eventually(t, func() bool {
		return strings.Contains(said.String(), "Ctrl-C again stops now")
	}, 2*time.Minute, time.Millisecond)
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	var exited *exec.ExitError
	require.ErrorAs(t, cmd.Wait(), &exited)
	require.Equal(t, 130, exited.ExitCode(), said)
	broken := ", [1-9] broken off"
	if !strings.Contains(said.String(), "running job") { // they asked their model before the batch heard that they run
		broken = "(" + broken + ")?"
	}
	require.Regexp(t, "rlm: stopped; 0 of 20 done"+broken+"; run the same command again to continue\n$", said.String())
	close(b.gate)
	cmd, said = b.command()
	require.NoError(t, cmd.Run(), said)
	b.check(t)
}

// Other commands reach the process that runs a batch, and a second process for the same batch is refused.
func TestABatchIsSeenByOtherCommands(t *testing.T) {
	t.Parallel()
	b := newBulk(t, t.TempDir(), 8, 0)
	cmd, said := b.command()
	require.NoError(t, cmd.Start())
	require.Eventually(t, func() bool { return len(b.endpoint.Requests()) > 0 }, 2*time.Minute, time.Millisecond)
	require.Eventually(t, func() bool { // on a busy machine the batch may not answer in time
		status, told := b.command("batch", "status", "--json", "out.jsonl")
		var s fleet.Status
		return status.Run() == nil && json.Unmarshal([]byte(told.String()), &s) == nil && s.Jobs == 8 && s.Nodes == 1 &&
			len(s.Running) > 0
	}, 2*time.Minute, time.Millisecond)
	second, refused := b.command()
	require.Error(t, second.Run())
	require.Contains(t, refused.String(), "another process is running this batch")
	cancel, told := b.command("batch", "cancel", "out.jsonl")
	require.NoError(t, cancel.Run(), told)
	var exited *exec.ExitError
	require.ErrorAs(t, cmd.Wait(), &exited, said)
	require.Contains(t, said.String(), "the batch is cancelled")
	close(b.gate)
	cmd, said = b.command()
	require.NoError(t, cmd.Run(), said)
	b.check(t)
}
