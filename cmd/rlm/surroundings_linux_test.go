package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/testing/fakeapi"
	"github.com/gorlm/rlm/runner/trajectory"
)

// shellEnvironment is an environment for commands: a home, and an endpoint that counts lines.
type shellEnvironment struct {
	*testing.T
	bin, dir string
	ctx      context.Context // ends commands that hang
	gate     chan struct{}   // replies wait until it is closed
	endpoint *fakeapi.Server
}

func newShellEnvironment(t *testing.T) *shellEnvironment {
	t.Helper()
	bin, err := exec.LookPath("rlm")
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	t.Cleanup(cancel)
	p := &shellEnvironment{T: t, bin: bin, dir: t.TempDir(), ctx: ctx, gate: make(chan struct{})}
	p.endpoint = fakeapi.StartFunc(func(fakeapi.Request) fakeapi.Reply {
		<-p.gate
		return fakeapi.Reply{Content: goCell(`FINAL(strings.Count(context, "\n"))`)}
	})
	t.Cleanup(func() {
		p.open()
		p.endpoint.Close()
	})
	p.write("data.txt", "alpha\nbeta\ngamma\n")
	return p
}

// open lets the endpoint answer.
func (p *shellEnvironment) open() {
	select {
	case <-p.gate:
	default:
		close(p.gate)
	}
}

func (p *shellEnvironment) path(name string) string { return filepath.Join(p.dir, name) }

func (p *shellEnvironment) write(name, text string) {
	p.Helper()
	require.NoError(p, os.MkdirAll(filepath.Dir(p.path(name)), 0o700))
	require.NoError(p, os.WriteFile(p.path(name), []byte(text), 0o600))
}

func (p *shellEnvironment) read(name string) string {
	p.Helper()
	text, err := os.ReadFile(p.path(name))
	require.NoError(p, err)
	return string(text)
}

// command returns a command in the environment's folder, and its output.
func (p *shellEnvironment) command(name string, args ...string) (*exec.Cmd, *shared) {
	cmd := exec.CommandContext(p.ctx, name, args...)
	cmd.WaitDelay = time.Minute
	cmd.Dir = p.dir
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "XDG_") && !strings.HasPrefix(v, "RLM_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "HOME="+p.dir, "XDG_CONFIG_HOME="+p.path("config"), "RLM_DATA_DIR="+p.path("data"),
		"OPENAI_BASE_URL="+p.endpoint.URL(),
		"OPENAI_API_KEY="+canary, "RLM_MODEL=root", "NO_PROXY=127.0.0.1", "NO_COLOR=1")
	said := &shared{}
	cmd.Stdout, cmd.Stderr = said, said
	return cmd, said
}

// rlm runs a command that must succeed, and returns its output.
func (p *shellEnvironment) rlm(args ...string) string {
	p.Helper()
	cmd, said := p.command(p.bin, args...)
	require.NoError(p, cmd.Run(), said)
	return said.String()
}

// fails runs a command that must exit with a code, and returns its output.
func (p *shellEnvironment) fails(code int, args ...string) string {
	p.Helper()
	cmd, said := p.command(p.bin, args...)
	var exited *exec.ExitError
	require.ErrorAs(p, cmd.Run(), &exited, said)
	require.Equal(p, code, exited.ExitCode(), said)
	return said.String()
}

func (p *shellEnvironment) asked(n int) {
	p.Helper()
	require.Eventually(p, func() bool { return len(p.endpoint.Requests()) >= n }, 2*time.Minute, time.Millisecond)
}

// Under nohup, closing the terminal ends nothing.
func TestNohup(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("nohup"); err != nil {
		t.Skip("SKIPPED: there is no nohup")
	}
	for _, args := range [][]string{{"run", "-q", "How many?", "data.txt"}, {"batch", "jobs.jsonl"}} {
		p := newShellEnvironment(t)
		p.write("jobs.jsonl", `{"question": "How many?", "context": ["data.txt"]}`+"\n")
		cmd, said := p.command("nohup", append([]string{p.bin}, args...)...)
		require.NoError(t, cmd.Start())
		p.asked(1)
		require.NoError(t, cmd.Process.Signal(syscall.SIGHUP))
		p.open()
		require.NoError(t, cmd.Wait(), said)
		require.Contains(t, said.String(), "3")
	}
}

// Concurrent processes that store keys lose none, even if the file is a link.
func TestKeysThatAreStoredAtOnce(t *testing.T) {
	t.Parallel()
	p := newShellEnvironment(t)
	p.write("dotfiles/keys.toml", "groq = 'sk-old'\n")
	require.NoError(t, os.MkdirAll(p.path("config/rlm"), 0o700))
	require.NoError(t, os.Symlink("../../dotfiles/keys.toml", p.path("config/rlm/keys.toml")))
	names := []string{"openai", "anthropic", "gemini", "openrouter"}
	var all []*exec.Cmd
	for _, name := range names {
		cmd, _ := p.command(p.bin, "keys", "set", name)
		cmd.Stdin = strings.NewReader("sk-of-" + name + "\n")
		require.NoError(t, cmd.Start())
		all = append(all, cmd)
	}
	for _, cmd := range all {
		require.NoError(t, cmd.Wait())
	}
	for _, name := range append(names, "") {
		require.Contains(t, p.read("dotfiles/keys.toml"), strings.TrimSuffix("sk-of-"+name, "of-"))
	}
	to, err := os.Readlink(p.path("config/rlm/keys.toml"))
	require.NoError(t, err)
	require.Equal(t, "../../dotfiles/keys.toml", to)
}

// A job runs again if it is asked in another way, or if its files changed, including hidden ones and those behind a
// link. A batch reached by another path is the same batch.
func TestWhatMakesAJobAnother(t *testing.T) {
	t.Parallel()
	p := newShellEnvironment(t)
	p.open()
	p.write("work/folder/.hidden", "x\n")
	p.write("work/jobs.jsonl", `{"id": "a", "question": "How many?", "context": ["link"]}`+"\n")
	require.NoError(t, os.Symlink("folder", p.path("work/link")))
	require.NoError(t, os.Symlink("work", p.path("other")))
	calls := 0
	batch := func(dir string, more int, args ...string) string {
		t.Helper()
		cmd, said := p.command(p.bin, append([]string{"batch", "jobs.jsonl", "-o", "out.jsonl"}, args...)...)
		cmd.Dir = p.path(dir)
		cmd.Env = append(cmd.Env, "PWD="+p.path(dir))
		require.NoError(t, cmd.Run(), said)
		calls += more
		require.Equal(t, calls, len(p.endpoint.Requests()), said)
		return said.String()
	}
	batch("work", 1)
	require.Contains(t, batch("work", 0), "1 known")
	batch("other", 0)
	for _, flags := range [][]string{
		{"--system", "In French."}, {"--temperature", "1.5"}, {"--reasoning-effort", "high"},
	} {
		require.Contains(t, batch("work", 1, flags...), "1 changed and run again")
		batch("work", 0, flags...)
	}
	batch("work", 0) // the first result of these settings is still known
	p.write("work/folder/.hidden", "y\n")
	require.Contains(t, batch("work", 1), "1 changed")
	require.Equal(t, 1, strings.Count(p.read("work/out.jsonl"), "\n"))
	p.write("copy/jobs.jsonl", p.read("work/jobs.jsonl"))
	p.write("copy/out.jsonl", p.read("work/out.jsonl"))
	require.NoError(t, os.Symlink("../work/folder", p.path("copy/link")))
	cmd, said := p.command(p.bin, "batch", "jobs.jsonl", "-o", "out.jsonl")
	cmd.Dir = p.path("copy")
	require.Error(t, cmd.Run())
	require.Contains(t, said.String(), "name another file", "a copy is another batch")
	require.NoError(t, os.Rename(p.path("work"), p.path("moved")))
	require.Contains(t, batch("moved", 0), "1 known", "the same command in a folder that was moved")
}

// If a file changes after its job was checked and before it is read, nothing is asked, because the answer would be
// recorded for the old contents. The same command runs the job later.
func TestAFileThatChangesWhileItsJobWaits(t *testing.T) {
	t.Parallel()
	p := newShellEnvironment(t)
	p.write("b.txt", "one\n")
	p.write("jobs.jsonl", `{"id": "a", "question": "q", "context": ["data.txt"]}`+"\n"+
		`{"id": "b", "question": "q", "context": ["b.txt"]}`+"\n")
	cmd, said := p.command(p.bin, "batch", "jobs.jsonl", "-o", "out.jsonl", "--parallel", "1")
	require.NoError(t, cmd.Start())
	p.asked(1)
	p.write("b.txt", "1\n2\n")
	p.open()
	require.Error(t, cmd.Wait(), said)
	require.Contains(t, said.String(), "b is dead: b.txt changed after the batch was submitted, so nothing was asked")
	require.Equal(t, 1, len(p.endpoint.Requests()))
	p.rlm("batch", "jobs.jsonl", "-o", "out.jsonl")
	require.Contains(t, p.read("out.jsonl"), `"id":"b","status":"done","answer":"2"`)
}

// --limit always means the first jobs, however often the command runs.
func TestTheFirstJobs(t *testing.T) {
	t.Parallel()
	p := newShellEnvironment(t)
	p.open()
	var jobs strings.Builder
	for i := range 6 {
		fmt.Fprintf(&jobs, "{\"question\": \"q%d\"}\n", i)
	}
	p.write("jobs.jsonl", jobs.String())
	for range 3 {
		p.rlm("batch", "jobs.jsonl", "-o", "out.jsonl", "--limit", "2")
		require.Equal(t, 2, len(p.endpoint.Requests()))
	}
	p.rlm("batch", "jobs.jsonl", "-o", "out.jsonl")
	require.Equal(t, 6, len(p.endpoint.Requests()))

	p.rlm("run", "-q", "How many?", "data.txt")
	list := p.rlm("ls")
	require.Regexp(t, `out-[0-9a-f]+ +batch .* completed +6 +\? +6 jobs: q`, list)
	require.Equal(t, 3, strings.Count(list, "\n"), list)
	require.Equal(t, 7, strings.Count(p.rlm("ls", "--kind", "job"), "\n"))
}

// An output that cannot be written leaves no batch.
func TestAnOutputThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	p := newShellEnvironment(t)
	p.write("jobs.jsonl", `{"question": "q"}`+"\n")
	p.write("mine.txt", "not yours\n")
	for _, output := range []string{"none/out.jsonl", "mine.txt"} {
		p.fails(1, "batch", "jobs.jsonl", "-o", output)
	}
	require.Equal(t, 1, strings.Count(p.rlm("batch", "ls"), "\n"), "the head of an empty list")
	require.Equal(t, "not yours\n", p.read("mine.txt"))
	p.open()
	require.Contains(t, p.rlm("batch", "jobs.jsonl", "-o", "-"), `"answer":"0"`)
	require.NoFileExists(t, p.path("-"))
}

// On a completely full disk, runs can be deleted.
func TestRunsOfAFullDiskCanBeDeleted(t *testing.T) {
	// Not parallel: it mounts a disk.
	disk, fill := smallDisk(t, "3m")
	p := newShellEnvironment(t)
	p.open()
	require.NoError(t, os.Symlink(disk, p.path("data")))
	p.rlm("run", "-q", "How many?", "data.txt")
	runs := trajectory.RunsDir(disk)
	list, err := trajectory.List(runs)
	require.NoError(t, err)
	require.NoError(t, os.Remove(filepath.Join(list[0].Dir, "lock")), "as in a copy")
	fill()
	p.rlm("rm", "last", "--yes")
	list, err = trajectory.List(runs)
	require.NoError(t, err)
	require.Empty(t, list)
}

// A pipe on stdin that nobody closes is mentioned.
func TestAnOpenPipeIsMentioned(t *testing.T) {
	t.Parallel()
	p := newShellEnvironment(t)
	p.open()
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	for _, args := range [][]string{
		{"run", "-q", "How many?"}, {"exec", "-"}, {"batch", "-"}, {"keys", "set", "openai"},
	} {
		cmd, said := p.command(p.bin, args...)
		cmd.Stdin = r
		require.NoError(t, cmd.Start())
		require.Eventually(t, func() bool {
			return strings.Contains(
				said.String(), "waiting for the end of standard input")
		}, 2*time.Minute, 5*time.Millisecond, args)
		require.NoError(t, cmd.Process.Kill())
		require.Error(t, cmd.Wait())
	}
	require.NoError(t, w.Close())
}

// The error about a file system without locks or fsync gives advice.
func TestAFileSystemThatLacksWhatIsNeeded(t *testing.T) {
	t.Parallel()
	p := newShellEnvironment(t)
	p.open()
	p.needsStrace()
	for inject, says := range map[string]string{
		"flock:error=ENOLCK":                "does not support locks (no locks available): set RLM_DATA_DIR to a folder on a local disk",
		"flock:error=EOPNOTSUPP":            "does not support locks (operation not supported): set RLM_DATA_DIR",
		"fsync,fdatasync:error=EINVAL":      "cannot make files durable (",
		"mkdir,mkdirat:error=EROFS:when=1":  "read-only file system: set RLM_DATA_DIR to a writable folder",
		"mkdir,mkdirat:error=EACCES:when=1": "permission denied: set RLM_DATA_DIR",
	} {
		cmd, said := p.command("strace", "-f", "-qq", "-o", os.DevNull, "-e", "inject="+inject, p.bin, "run", "-q",
			"How many?", "data.txt")
		cmd.Env = append(cmd.Env, "RLM_DATA_DIR="+p.path("new/data"))
		var exited *exec.ExitError
		require.True(t, errors.As(cmd.Run(), &exited), said)
		require.Contains(t, said.String(), says, inject)
		require.Equal(t, 1, strings.Count(said.String(), "\n"), said)
		require.NoError(t, os.RemoveAll(p.path("new")))
	}
}

// needsStrace skips a test if system calls cannot be made to fail.
func (p *shellEnvironment) needsStrace() {
	p.Helper()
	tried := exec.Command("strace", "-qq", "-o", os.DevNull, "-e", "inject=flock:error=EIO", "true")
	if err := tried.Run(); err != nil {
		p.Skipf("SKIPPED: no system call can be made to fail here (is strace installed?): %v", err)
	}
}

// Values in a configuration file are parsed like flags.
func TestSettingsAreReadAsFlagsAre(t *testing.T) {
	t.Parallel()
	p := newShellEnvironment(t)
	for _, tt := range []struct{ text, says string }{
		{"max_time = 3600", "max_time = '1h0m0s'"},
		{"max_time = 90.5", "max_time = '1m30.5s'"},
		{"max_time = 3_600", "max_time = '1h0m0s'"},
		{"max_time = \"2m\"", "max_time = '2m0s'"},
		{"max_time = -1", "max_time = '-1s'"},
		{"cell_memory = 4096", "cell_memory = '4KiB'"},
		{"convert_cache = 0", "convert_cache = '0'"},
		{"[prices.m]\ninput = 1\noutput = 2", "output = 2.0"},
	} {
		p.write("config/rlm/config.toml", tt.text+"\n")
		require.Contains(t, p.rlm("config"), tt.says)
	}
	for _, tt := range []struct{ text, says string }{
		{"model = \"m\"\nmax_time = -5", "line 2, column 12: \"-5\" is not a duration"},
		{"max_time = nan", "is not a duration"},
		{"max_time = true", "is not a duration"},
		{"cell_memory = -4", "is not a size"},
		{"concurrency = 0", "line 1: concurrency must be 1 or more, not 0"},
		{"model = 'm'\nwindow = -1", "line 2: window must be 0 or more, not -1"},
		{"prices = {m = {input = -1, output = 1}}", "line 1: prices.m: input is -1"},
		{"model = 'm'\nengine = 'fast'", "line 2: engine must be auto, yaegi or exact, not \"fast\""},
		{"max_cost = nan", "config.toml: line 1: max_cost must be a number above 0, or -1 for no limit, not NaN"},
		{"max_cost = inf", "max_cost must be a number above 0"},
		{"max_iterations = -7", "line 1: max_iterations must be a number above 0, or -1 for no limit, not -7"},
		{"model = 'm'\n\nMax_Depth = -2", "line 3: max_depth must be 0 or more, or -1 for no limit, not -2"},
		{"temperature = 5", "line 1: temperature must be a number from 0 to 2"},
		{"[prices.m]\ninput = -1\noutput = 1", "line 1: prices.m: input is -1"},
		{"[prices.m]\ninput = 1\noutput = nan", "prices.m: output is NaN"},
		{"[prices.m]\ninput = 1", "prices.m: input and output must both have a price, or neither"},
		{"[models.fast]\nmodel = \"m\"\nwindow = -3", "line 1: models.fast: the numbers of a profile must not be negative"},
	} {
		p.write("config/rlm/config.toml", tt.text+"\n")
		require.Contains(t, p.fails(2, "config"), tt.says)
	}
	p.write("config/rlm/config.toml", "")
	require.Contains(t, p.fails(2, "run", "--max-cost", "nan", "q", "data.txt"), "--max-cost must be a number above 0")
}

// A configuration path that is not a regular file is refused before it is opened: opening a pipe would block.
func TestAConfigurationThatIsNoFile(t *testing.T) {
	t.Parallel()
	p := newShellEnvironment(t)
	p.write("config/rlm/other.toml", "")
	file := p.path("config/rlm/config.toml")
	require.NoError(t, syscall.Mkfifo(file, 0o600))
	require.Contains(t, p.fails(2, "config"), "config.toml is not a regular file: remove it")
	require.NoError(t, os.Remove(file))
	require.NoError(t, os.Symlink(os.DevNull, file))
	require.Contains(t, p.rlm("config"), "max_cost")
}

// Prices also apply under the name of a profile, and a budget that cannot be enforced is reported before the
// first call.
func TestBudgetsThatCannotHold(t *testing.T) {
	t.Parallel()
	p := newShellEnvironment(t)
	p.open()
	p.write("jobs.jsonl", `{"question": "q"}`+"\n")
	p.write("config/rlm/config.toml", "[models.fast]\nmodel = \"openai/ok\"\nbase_url = \""+p.endpoint.URL()+
		"\"\n[prices.\"openai/ok\"]\ninput = 1\noutput = 2\n")
	require.NotContains(t, p.rlm("batch", "--dry-run", "-m", "fast", "jobs.jsonl"), "no price")
	require.Contains(t, p.rlm("batch", "--dry-run", "--batch-cost", "3", "jobs.jsonl"),
		"the batch's budget of $3.00 cannot be enforced")
	elsewhere := "http://model.invalid/v1"
	said := p.fails(4, "run", "--tries", "1", "--base-url", elsewhere, "--max-cost", "3", "How many?", "data.txt")
	require.Contains(t, said, "the price of root is unknown, so the budget of $3.00 cannot be enforced")
	require.NotContains(t, p.fails(4, "run", "--tries", "1", "--base-url", elsewhere, "How many?", "data.txt"),
		"cannot be enforced")
}

// In variables, ~ is the home folder even if no shell expands it. An endpoint without models is reported.
func TestVariablesAndEmptyLists(t *testing.T) {
	t.Parallel()
	p := newShellEnvironment(t)
	p.open()
	cmd, said := p.command(p.bin, "run", "-q", "How many?", "data.txt")
	cmd.Env = append(cmd.Env, "RLM_DATA_DIR=~/kept")
	require.NoError(t, cmd.Run(), said)
	require.DirExists(t, p.path("kept/rlm/runs"))
	require.NoDirExists(t, p.path("~"))

	empty := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"object": "list", "data": []}`))
	}))
	defer empty.Close()
	cmd, said = p.command(p.bin, "models")
	cmd.Env = append(cmd.Env, "OPENAI_BASE_URL="+empty.URL+"/v1")
	require.Error(t, cmd.Run())
	require.Contains(t, said.String(), "it lists no models")
}

// A data folder that cannot be made is reported once, with advice.
func TestADataFolderThatCannotBeMade(t *testing.T) {
	t.Parallel()
	p := newShellEnvironment(t)
	p.open()
	p.write("jobs.jsonl", `{"question": "q"}`+"\n")
	require.NoError(t, os.Symlink("/nowhere/at/all", p.path("dangling")))
	for folder, says := range map[string]string{
		p.path("dangling"): "file exists",
		p.path("data.txt"): "not a directory", "/proc/x": "no such file or directory",
	} {
		for _, args := range [][]string{
			{"run", "-q", "q", "data.txt"}, {"batch", "-q", "jobs.jsonl"}, {"eval", "s-niah", "--n", "1"},
		} {
			cmd, said := p.command(p.bin, args...)
			cmd.Env = append(cmd.Env, "RLM_DATA_DIR="+folder)
			require.Error(t, cmd.Run())
			require.Contains(t, said.String(), says+": set RLM_DATA_DIR to a writable folder\n")
			require.Equal(t, 1, strings.Count(said.String(), "RLM_DATA_DIR"))
		}
	}
}

// With few file handles a batch reports that, and does not set jobs aside.
func TestFewFileHandles(t *testing.T) {
	t.Parallel()
	p := newShellEnvironment(t)
	p.open()
	const limit = "exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-; ulimit -n %d; " // inherited handles would count
	p.write("jobs.jsonl", `{"id": "a", "question": "q", "context": ["data.txt"]}`+"\n")
	for handles := 12; handles <= 40; handles += 4 { // with enough handles it succeeds
		cmd, said := p.command("sh", "-c", fmt.Sprintf(limit+`exec "$0" batch jobs.jsonl -o out.jsonl`, handles), p.bin)
		if cmd.Run() != nil {
			require.NotContains(t, said.String(), "dead", "with %d handles", handles)
		}
	}
	p.rlm("batch", "jobs.jsonl", "-o", "out.jsonl")
	require.Contains(t, p.read("out.jsonl"), `"answer":"3"`)
	runs := func() []string {
		all, err := filepath.Glob(filepath.Join(p.dir, "data", "rlm", "runs", "*"))
		require.NoError(t, err)
		return all
	}
	before := runs()
	require.NotEmpty(t, before)
	for handles := 8; ; handles++ {
		cmd, said := p.command("sh", "-c",
			fmt.Sprintf(limit+`exec "$0" run -q "How many?" data.txt`, handles), p.bin)
		if cmd.Run() == nil {
			break
		}
		require.Contains(t, said.String(), "too many open files (ulimit -n raises the limit)")
		require.Equal(t, before, runs(), "with %d handles nothing stays behind", handles)
	}
	for handles := 8; ; handles++ { // with fewer, the Go runtime cannot start
		cmd, said := p.command("sh", "-c", fmt.Sprintf(limit+`echo 1 | exec "$0" exec`, handles), p.bin)
		if cmd.Run() == nil {
			break
		}
		require.Regexp(t, `\Arlm: .*too many open files \(ulimit -n raises the limit\)\n\z`, said.String())
	}
}
