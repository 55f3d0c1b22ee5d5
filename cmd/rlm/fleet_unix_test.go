//go:build unix

package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/fleet"
)

// machine is a machine of a fleet: a folder, and the processes started in it.
type machine struct {
	b   *bulk
	dir string
	key string // key for models, if different from the usual one
	// silence is how long nodes on this machine may be silent; empty: the default.
	silence string
}

func (b *bulk) machine(t *testing.T) machine {
	t.Helper()
	return machine{b: b, dir: t.TempDir(), silence: "1s"}
}

// command returns a command on this machine. Only nodes have a key.
func (m machine) command(key bool, args ...string) (*exec.Cmd, *shared) {
	cmd := exec.Command(m.b.bin, args...)
	cmd.Dir = m.dir
	cmd.Env = append(os.Environ(), "HOME="+m.dir, "XDG_CONFIG_HOME="+m.dir,
		"RLM_DATA_DIR="+filepath.Join(m.dir, "data"), "NO_PROXY=127.0.0.1")
	if key {
		cmd.Env = append(cmd.Env, silenceVariable+"="+m.silence, "OPENAI_BASE_URL="+m.b.endpoint.URL(),
			"OPENAI_API_KEY="+cmp.Or(m.key, canary), "RLM_MODEL=root")
	}
	said := &shared{}
	cmd.Stdout, cmd.Stderr = said, said
	return cmd, said
}

// started starts a command that is killed at the end of the test.
func started(t *testing.T, cmd *exec.Cmd) *exec.Cmd {
	t.Helper()
	require.NoError(t, cmd.Start())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // the test checks its effects
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // the process may have ended
		<-ended
	})
	return cmd
}

// hub starts a hub and returns the address for nodes.
func (m machine) hub(t *testing.T) string {
	t.Helper()
	cmd, said := m.command(false, "hub", "--listen", "127.0.0.1:0")
	started(t, cmd)
	return addressIn(t, said)
}

func addressIn(t *testing.T, said *shared) string {
	t.Helper()
	var address string
	require.Eventually(t, func() bool {
		line, _, whole := strings.Cut(said.String(), "\n")
		address = strings.TrimPrefix(line, "rlm node ")
		return whole && strings.Contains(said.String(), "the hub is ready")
	}, time.Minute, 10*time.Millisecond, "%s", said)
	return address
}

// node starts a node and waits until it is ready.
func (m machine) node(t *testing.T, address string, args ...string) (*exec.Cmd, *shared) {
	t.Helper()
	cmd, said := m.command(true, append([]string{"node", address}, args...)...)
	started(t, cmd)
	require.Eventually(t, func() bool {
		return strings.Contains(said.String(), "ready for jobs")
	}, time.Minute, 10*time.Millisecond, "%s", said)
	return cmd, said
}

// results reads the results in a file by job id; each job must have exactly one.
func (m machine) results(t *testing.T, name string) map[string]fleet.Line {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(m.dir, name))
	require.NoError(t, err)
	seen := map[string]fleet.Line{}
	for line := range strings.Lines(string(data)) {
		var l fleet.Line
		require.NoError(t, json.Unmarshal([]byte(line), &l), line)
		require.NotContains(t, seen, l.ID, "a job has two results")
		seen[l.ID] = l
	}
	return seen
}

// checkFleet asserts that each job has the result of an undisturbed run, and returns the number of additional
// calls.
func (m machine) checkFleet(t *testing.T) (more int) {
	t.Helper()
	seen := m.results(t, "out.jsonl")
	require.Len(t, seen, m.b.jobs)
	for id, l := range seen {
		require.Equal(t, []any{fleet.Done, 2, 1, "known of job-" + id}, []any{l.Status, l.Turns, l.SubCalls, l.Answer},
			"%+v", l)
	}
	return len(m.b.endpoint.Requests()) - m.b.jobs*bulkCalls
}

// takenOver counts the runs that nodes took over from others, according to their logs, including runs of nodes that
// were only slow.
func takenOver(logs ...*shared) (n int) {
	for _, log := range logs {
		n += strings.Count(log.String(), "takes a run over")
	}
	return n
}

func (b *bulk) submitter(t *testing.T) machine {
	t.Helper()
	m := b.machine(t)
	jobs, err := os.ReadFile(filepath.Join(b.dir, "jobs.jsonl"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(m.dir, "jobs.jsonl"), jobs, 0o600))
	return m
}

// A batch is submitted on one machine, without a key, and runs on others.
func TestAFleetRunsABatch(t *testing.T) {
	t.Parallel()
	b := newBulk(t, t.TempDir(), 12, 0)
	close(b.gate)
	address := b.machine(t).hub(t)
	_, first := b.machine(t).node(t, address, "--slots", "2")
	_, second := b.machine(t).node(t, address, "--slots", "2")
	m := b.submitter(t)
	cmd, said := m.command(false, "batch", "jobs.jsonl", "-o", "out.jsonl", "--nats", address)
	require.NoError(t, cmd.Run(), said)
	require.LessOrEqual(t, m.checkFleet(t), takenOver(first, second))
	cmd, said = b.machine(t).command(false, "batch", "ls", "--json", "--nats", address)
	require.NoError(t, cmd.Run(), said)
	require.Contains(t, said.String(), "batch jobs.jsonl")
	token := strings.Split(strings.TrimPrefix(address, "nats://"), "@")[0]
	require.NotContains(t, said.String(), strings.TrimPrefix(token, "node:"),
		"others may see the command, and not the token")
	cmd, said = b.machine(t).command(
		false, "batch", "ls", "--nats", strings.Replace(address, "127.0.0.1:", "127.0.0.1:9x", 1))
	require.Error(t, cmd.Run())
	require.NotContains(t, said.String(), strings.TrimPrefix(token, "node:"))
}

// Another node takes over the runs of a killed node; only calls that were in flight are repeated.
// What answers must have is decided where a batch is submitted, and holds on every node; with other requirements the
// jobs run again. Settings that nodes decide are refused.
func TestAFleetRequiresWhatItsBatchRequires(t *testing.T) {
	t.Parallel()
	b := newBulk(t, t.TempDir(), 2, 0)
	close(b.gate)
	address := b.machine(t).hub(t)
	b.machine(t).node(t, address)
	m := b.submitter(t)
	batch := func(args ...string) (string, int) {
		cmd, said := m.command(false, append([]string{
			"batch", "jobs.jsonl", "-o", "out.jsonl", "--nats", address,
		}, args...)...)
		err := cmd.Run()
		require.True(t, cmd.ProcessState != nil && cmd.ProcessState.Exited(), "%v: %s", err, said)
		return said.String(), cmd.ProcessState.ExitCode()
	}
	said, code := batch("--single-round")
	require.Equal(t, 2, code, said)
	require.Contains(t, said, "--single-round: fleet nodes have settings of their own")

	for flag, status := range map[string]string{
		"--require-evidence": "evidence_missing", "--require-grounded": "not_grounded",
	} {
		said, code = batch(flag)
		require.Equal(t, 1, code, said)
		require.Len(t, m.results(t, "out.jsonl"), 2)
		for id, l := range m.results(t, "out.jsonl") {
			require.Equal(t, []any{fleet.Dead, status}, []any{l.Status, l.RunStatus}, "%s: %s", id, said)
		}
	}
	said, code = batch()
	require.Zero(t, code, said)
	m.checkFleet(t)
}

func TestANodeThatIsKilledIsReplaced(t *testing.T) {
	t.Parallel()
	b := newBulk(t, t.TempDir(), 6, 0)
	address := b.machine(t).hub(t)
	first, told := b.machine(t).node(t, address, "--slots", "3")
	m := b.submitter(t)
	cmd, said := m.command(false, "batch", "jobs.jsonl", "-o", "out.jsonl", "--nats", address)
	require.NoError(t, cmd.Start())
	require.Eventually(t, func() bool { return len(b.endpoint.Requests()) == 3 }, time.Minute, time.Millisecond)
	require.NoError(t, first.Process.Kill())
	_, second := b.machine(t).node(t, address, "--slots", "3")
	close(b.gate)
	require.NoError(t, cmd.Wait(), said)
	more := m.checkFleet(t)
	require.GreaterOrEqual(t, more, 3, "one call of each job was in flight")
	require.LessOrEqual(t, more, takenOver(told, second))
}

// If a node was frozen while another one took over its runs, it records nothing more and makes no calls.
func TestAFrozenNodeIsRefused(t *testing.T) {
	t.Parallel()
	b := newBulk(t, t.TempDir(), 3, 0)
	address := b.machine(t).hub(t)
	first, told := b.machine(t).node(t, address, "--slots", "3")
	m := b.submitter(t)
	cmd, said := m.command(false, "batch", "jobs.jsonl", "-o", "out.jsonl", "--nats", address)
	require.NoError(t, cmd.Start())
	require.Eventually(t, func() bool { return len(b.endpoint.Requests()) == 3 }, time.Minute, time.Millisecond)
	resume := suspend(t, first)
	_, second := b.machine(t).node(t, address, "--slots", "3")
	require.Eventually(t, func() bool {
		return len(b.endpoint.Requests()) >= 6
	}, time.Minute, time.Millisecond, "the other node makes the calls again")
	resume()
	close(b.gate)
	require.NoError(t, cmd.Wait(), said)
	require.Eventually(t, func() bool {
		return strings.Count(told.String(), "a run was lost") >= 3
	}, time.Minute, 10*time.Millisecond, "%s", told)
	require.LessOrEqual(t, m.checkFleet(t), takenOver(told, second), "it calls nobody")
}

// SIGTERM hands runs over immediately, without waiting for the node's silence.
func TestANodeThatIsStoppedHandsOver(t *testing.T) {
	t.Parallel()
	b := newBulk(t, t.TempDir(), 4, 0)
	address := b.machine(t).hub(t)
	first, told := b.machine(t).node(t, address, "--slots", "4")
	m := b.submitter(t)
	cmd, said := m.command(false, "batch", "jobs.jsonl", "-o", "out.jsonl", "--nats", address)
	require.NoError(t, cmd.Start())
	require.Eventually(t, func() bool { return len(b.endpoint.Requests()) == 4 }, time.Minute, time.Millisecond)
	require.NoError(t, first.Process.Signal(syscall.SIGTERM))
	_, second := b.machine(t).node(t, address, "--slots", "4")
	require.Eventually(t, func() bool {
		return len(b.endpoint.Requests()) >= 8
	}, time.Minute, time.Millisecond, "%s", told)
	close(b.gate)
	require.NoError(t, cmd.Wait(), said)
	require.LessOrEqual(t, m.checkFleet(t), takenOver(told, second))
}

// All nodes together respect the requests per minute of a model.
func TestAFleetKeepsToTheRateOfAModel(t *testing.T) {
	t.Parallel()
	b := newBulk(t, t.TempDir(), 14, 0)
	close(b.gate)
	address := b.machine(t).hub(t)
	var logs []*shared
	for range 2 {
		_, said := b.machine(t).node(t, address, "--slots", "4", "--requests-per-minute", "1200")
		logs = append(logs, said)
	}
	m := b.submitter(t)
	start := time.Now()
	cmd, said := m.command(false, "batch", "jobs.jsonl", "-o", "out.jsonl", "--nats", address)
	require.NoError(t, cmd.Run(), said)
	require.LessOrEqual(t, m.checkFleet(t), takenOver(logs...))
	require.GreaterOrEqual(t, time.Since(start), time.Second, "42 requests, twenty at once and twenty a second")
}

// The files of a job are sent through the queue, under their names on the submitting machine.
func TestContextsTravel(t *testing.T) {
	t.Parallel()
	b := newBulk(t, t.TempDir(), 0, 0)
	close(b.gate)
	address := b.machine(t).hub(t)
	b.machine(t).node(t, address)
	m := b.machine(t)
	require.NoError(t, os.MkdirAll(filepath.Join(m.dir, "in", "deep"), 0o700))
	for i := range 3 {
		require.NoError(t, os.WriteFile(
			filepath.Join(m.dir, "in", fmt.Sprintf("%d.txt", i)), []byte(fmt.Sprintf("the text of job-%d", i)), 0o600))
	}
	require.NoError(t, os.WriteFile(
		filepath.Join(m.dir, "in", "deep", "3.txt"), []byte(strings.Repeat("much text\n", 200_000)), 0o600))
	cmd, said := m.command(false, "batch", "What of job-7?", "--each", "in/*.txt", "in/deep", "-o", "out.jsonl",
		"--nats", address)
	require.NoError(t, cmd.Run(), said)
	require.Len(t, m.results(t, "out.jsonl"), 3)
	whole := ""
	for _, r := range b.endpoint.Requests() {
		for _, msg := range r.Messages {
			whole += msg.Content
		}
	}
	for _, name := range []string{"in/0.txt", "in/1.txt", "in/2.txt", "in/deep/3.txt"} {
		require.Contains(t, whole, name)
	}
}

// A run of a fleet can be shown, exported and forked like any other, as a copy.
func TestARunOfAFleetIsShownElsewhere(t *testing.T) {
	t.Parallel()
	b := newBulk(t, t.TempDir(), 0, 0)
	close(b.gate)
	address := b.machine(t).hub(t)
	b.machine(t).node(t, address)
	m := b.machine(t)
	require.NoError(t, os.WriteFile(filepath.Join(m.dir, "a.txt"), []byte("the text of job-7"), 0o600))
	cmd, said := m.command(false, "batch", "What of job-7?", "--each", "a.txt", "-o", "out.jsonl", "--nats", address)
	require.NoError(t, cmd.Run(), said)
	run := m.results(t, "out.jsonl")["a.txt"].Run
	elsewhere := b.machine(t)
	for range 2 {
		cmd, said = elsewhere.command(false, "show", run, "--nats", address)
		require.NoError(t, cmd.Run(), said)
		require.Contains(t, said.String(), "known of job-7")
	}
	cmd, said = elsewhere.command(false, "export", run, "--nats", address, "--format", "html", "-o", "run.html")
	require.NoError(t, cmd.Run(), said)
	calls := len(b.endpoint.Requests())
	cmd, said = elsewhere.command(true, "fork", run, "--nats", address, "--turn", "1")
	require.NoError(t, cmd.Run(), said)
	require.Len(t, b.endpoint.Requests(), calls+1, "the first turn stays")
	cmd, said = elsewhere.command(false, "show", "0000000000", "--nats", address)
	require.Error(t, cmd.Run())
	require.Contains(t, said.String(), "there is no run")
}
