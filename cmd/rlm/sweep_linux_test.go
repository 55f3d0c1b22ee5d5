package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/fleet"
	"github.com/gorlm/rlm/runner/trajectory"
)

// faults are the system calls of each kind, and the error that they return.
var faults = []struct{ kind, calls, err string }{
	{"fsync", "fsync,fdatasync", "EIO"},
	{"write", "write,pwrite64", "EIO"},
	{"rename", "rename,renameat,renameat2", "EIO"},
	{"openat", "openat", "EMFILE"},
	{"mkdir", "mkdir,mkdirat", "EIO"},
	{"ftruncate", "ftruncate", "EIO"},
	{"flock", "flock", "EIO"},
	{"unlink", "unlink,unlinkat", "EIO"},
	{"clone", "clone,clone3", "EAGAIN"},
}

// sweptJobs is the number of jobs of the batch under test; their answers are 1, 2, ….
const sweptJobs = 4

// TestEverySystemCallMayFail makes the k-th system call of a kind fail, once in each thread, for every k, in a
// run, a batch, a session and a server. Each must succeed or report an error; after a second try the answers
// are right, and no recorded reply was requested again.
func TestEverySystemCallMayFail(t *testing.T) {
	most := 0
	switch {
	case os.Getenv("RLM_SOAK") != "":
		most = 1000
	case os.Getenv("RLM_LONG") != "":
		most = 2
	default:
		t.Skip("SKIPPED: RLM_LONG=1 for the first two calls of each kind, RLM_SOAK=1 for all")
	}
	newShellEnvironment(t).needsStrace()
	for _, f := range faults {
		for what, sweep := range map[string]func(*shellEnvironment, string) (hit bool){
			"run": sweepRun, "batch": sweepBatch, "session": sweepSession, "server": sweepServer,
		} {
			t.Run(f.kind+" of a "+what, func(t *testing.T) {
				tried := 0
				for hit := true; hit && tried < most; tried++ {
					p := newShellEnvironment(t)
					p.open()
					hit = sweep(p, fmt.Sprintf("inject=%s:error=%s:when=%d", f.calls, f.err, tried+1))
				}
				t.Logf("%d calls", tried)
			})
		}
	}
}

// failing runs a command with typed as its input and some failing system calls. hit reports whether one did
// fail.
func (p *shellEnvironment) failing(inject, typed string, args ...string) (stdout, stderr string, code int, hit bool) {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.Context(), 5*time.Minute)
	defer cancel()
	cmd := p.injected(ctx, inject, args...)
	var out, said bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(typed), &out, &said
	_ = cmd.Run() // the exit code is checked below
	require.NoError(p, ctx.Err(), "it hangs: %s\n%s", inject, said.String())
	// with failing writes there may be no message
	if code = cmd.ProcessState.ExitCode(); code != 0 && !strings.Contains(inject, "=write") {
		require.NotEmpty(p, said.String(), inject)
	}
	return out.String(), said.String(), code, p.hit()
}

// injected returns a command some of whose system calls will fail. The process is the command itself, not
// strace.
func (p *shellEnvironment) injected(ctx context.Context, inject string, args ...string) *exec.Cmd {
	calls, _, _ := strings.Cut(strings.TrimPrefix(inject, "inject="), ":")
	made, _ := p.command("strace",
		append([]string{"-D", "-f", "-qq", "-o", "trace", "-e", "trace=" + calls, "-e", inject, p.bin}, args...)...)
	cmd := exec.CommandContext(ctx, made.Path, made.Args[1:]...)
	cmd.Dir, cmd.Env = made.Dir, made.Env
	return cmd
}

// hit reports whether a system call failed.
func (p *shellEnvironment) hit() bool {
	p.Helper()
	return strings.Contains(p.read("trace"), "(INJECTED)")
}

func sweepRun(p *shellEnvironment, inject string) bool {
	stdout, stderr, code, hit := p.failing(inject, "", "run", "-q", "How many?", "data.txt")
	again := []string{"run", "-q", "How many?", "data.txt"}
	if _, id, ok := strings.Cut(stderr, "rlm resume "); ok && code != 0 {
		id, _, _ = strings.Cut(id, ")")
		again = []string{"resume", "-q", strings.TrimSpace(id)}
	}
	if code != 0 {
		stdout = p.rlm(again...)
	}
	require.Equal(p, "3", strings.TrimSpace(stdout), "%s: exit %d: %s", inject, code, stderr)
	if code != 0 && again[0] == "resume" {
		p.checkPaid(inject, 1)
	}
	return hit
}

func sweepBatch(p *shellEnvironment, inject string) bool {
	var jobs strings.Builder
	for i := range sweptJobs {
		fmt.Fprintf(&jobs, "{\"id\": \"%d\", \"question\": \"q\", \"context\": [{\"text\": %q}]}\n", i+1,
			strings.Repeat("x\n", i+1))
	}
	p.write("jobs.jsonl", jobs.String())
	_, stderr, _, hit := p.failing(inject, "", "batch", "jobs.jsonl", "-o", "out.jsonl")
	if out, err := os.ReadFile(p.path("out.jsonl")); err == nil && strings.Contains(string(out), `"dead"`) {
		p.Logf("%s\n%s", inject, out) // the output says why a job was set aside
	}
	again := p.rlm("batch", "jobs.jsonl", "-o", "out.jsonl")
	seen := map[string]any{}
	for line := range strings.Lines(p.read("out.jsonl")) {
		var l fleet.Line
		require.NoError(p, json.Unmarshal([]byte(line), &l), line)
		require.NotContains(p, seen, l.ID)
		seen[l.ID] = l.Answer
	}
	require.Equal(p, map[string]any{"1": "1", "2": "2", "3": "3", "4": "4"}, seen, "%s\n%s\n%s", inject, stderr, again)
	p.checkPaid(inject, sweptJobs)
	return hit
}

// checkPaid asserts that each reply is recorded once, and that at most underway calls were in progress at a
// failure.
func (p *shellEnvironment) checkPaid(inject string, underway int) {
	p.Helper()
	list, err := trajectory.List(trajectory.RunsDir(p.path("data"))) // a run that did not start is not listed
	require.NoError(p, err)
	recorded := 0
	for _, run := range list {
		for ev, err := range trajectory.Read(run.Dir) {
			require.NoError(p, err, inject)
			if _, ok := ev.Data.(trajectory.ReplyReceived); ok {
				recorded++
			}
		}
	}
	require.LessOrEqual(p, len(p.endpoint.Requests())-recorded, underway, inject)
	require.LessOrEqual(p, recorded, max(underway, 1), "a recorded reply was asked for again: %s", inject)
}
