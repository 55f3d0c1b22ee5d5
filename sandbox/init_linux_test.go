package sandbox_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/gorlm/rlm/sandbox/internal/worker"
)

var updateInits = flag.Bool("update-inits", false, "write what a worker initialises into testdata/inits.txt")

// Bounds on what a worker of rlm initialises before it takes over. The packages are listed in initsFile. Another
// processor, or another release of Go, may need a few more.
const (
	mostInits     = 234
	mostInitBytes = 670_000
	initsFile     = "testdata/inits.txt"
)

// initTask is the initialisation of a package, with the bytes that it allocates on the heap.
type initTask struct {
	path  string
	bytes int
}

// TestAWorkerInitialisesLittle: whatever the whole program initialises before a worker takes over costs time at
// each start of a worker: for a run, for a child, and after a death.
func TestAWorkerInitialisesLittle(t *testing.T) {
	tasks := initsOfWorker(t)
	if *updateInits {
		var list strings.Builder
		for _, task := range tasks {
			fmt.Fprintln(&list, task.path, task.bytes)
		}
		require.NoError(t, os.WriteFile(initsFile, []byte(list.String()), 0o644))
	}
	require.Empty(t, overInitBudget(t, tasks))
}

// The bounds would be useless if they did not detect a new import.
func TestTheBudgetOfInitsSeesAnImport(t *testing.T) {
	long(t)
	tasks := initsOfWorker(t, "text/template") // initialised before Markdown's packages
	over := overInitBudget(t, tasks)
	for _, path := range []string{
		"text/template", "github.com/yuin/goldmark/extension", "github.com/yuin/goldmark/util",
	} {
		require.Contains(t, over, "\n"+path+": ")
	}
}

// overInitBudget describes what exceeds the bounds and what has changed since initsFile was written; "" if nothing
// exceeds them.
func overInitBudget(t *testing.T, tasks []initTask) string {
	text, err := os.ReadFile(initsFile)
	require.NoError(t, err)
	known := map[string]int{}
	for line := range strings.Lines(string(text)) {
		path, n, _ := strings.Cut(strings.TrimSpace(line), " ")
		known[path], err = strconv.Atoi(n)
		require.NoError(t, err)
	}
	total, news := 0, ""
	for _, task := range tasks {
		total += task.bytes
		switch before, ok := known[task.path]; {
		case !ok:
			news += fmt.Sprintf("\n%s: new, %d bytes", task.path, task.bytes)
		case task.bytes > before+1000:
			news += fmt.Sprintf("\n%s: %d bytes, before %d", task.path, task.bytes, before)
		}
	}
	if len(tasks) <= mostInits && total <= mostInitBytes {
		return ""
	}
	return fmt.Sprintf("A worker initialises %d packages, which make %d bytes, until it takes over; the budget is %d and %d.\n"+
		"Some are for other commands: they come first when package sandbox, or what it imports, has a new import that they wait "+
		"for, too. Make what is made at first use (sync.OnceValue, startup.Regexp), or import less. Where a worker needs it, "+
		"raise the budget in this file and run the test with -update-inits.\nSince then:%s", len(tasks), total,
		mostInits, mostInitBytes, news)
}

// initsOfWorker builds rlm and returns what one of its workers initialises before it takes over. The imports are
// added to package sandbox.
func initsOfWorker(t *testing.T, imports ...string) (tasks []initTask) {
	dir := t.TempDir()
	bin := filepath.Join(dir, "rlm")
	args := []string{"build", "-ldflags=-s -w", "-o", bin} // without debug information, linking takes half the time
	if len(imports) > 0 {
		file, err := filepath.Abs("more_imports.go")
		require.NoError(t, err)
		more := filepath.Join(dir, "more.go")
		require.NoError(t, os.WriteFile(
			more, []byte("package sandbox\n\nimport _ \""+strings.Join(imports, "\"\nimport _ \"")+"\"\n"), 0o600))
		overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{file: more}})
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o600))
		args = append(args, "-overlay", filepath.Join(dir, "overlay.json"))
	}
	build := exec.Command("go", append(args, "../cmd/rlm")...)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))

	// The worker is started directly, because a host sets another GODEBUG for its workers.
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	require.NoError(t, err)
	host, child := os.NewFile(uintptr(ends[0]), "host"), os.NewFile(uintptr(ends[1]), "worker")
	require.NoError(t, host.Close()) // the worker ends as soon as it has taken over
	defer child.Close()
	var trace bytes.Buffer
	cmd := exec.Command(bin)
	cmd.Env = []string{
		worker.Env + "=" + worker.Marker(worker.Cells, worker.Plain, os.Getuid(), os.Getgid()),
		"GODEBUG=inittrace=1", "GOMAXPROCS=2",
	}
	cmd.ExtraFiles, cmd.Stderr = []*os.File{child}, &trace
	err = cmd.Run()
	var ended *exec.ExitError
	if err != nil {
		require.ErrorAs(t, err, &ended, trace.String())
	}
	lines := bufio.NewScanner(bytes.NewReader(trace.Bytes()))
	for lines.Scan() { // init PACKAGE @0.1 ms, 0.02 ms clock, 160 bytes, 2 allocs
		f := strings.Fields(lines.Text())
		if len(f) < 8 || f[0] != "init" {
			continue
		}
		n, err := strconv.Atoi(f[7])
		require.NoError(t, err, lines.Text())
		tasks = append(tasks, initTask{strings.ReplaceAll(f[1], "%2e", "."), n})
	}
	require.NotEmpty(t, tasks, trace.String())
	for _, task := range tasks { // not traced in a worker, where its init does not return
		require.NotEqual(t, "github.com/gorlm/rlm/sandbox", task.path,
			"this was no worker: it went on to its main function")
	}
	return tasks
}
