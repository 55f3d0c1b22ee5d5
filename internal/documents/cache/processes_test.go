//go:build unix

package cache

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/documents"
)

// another runs this test again in another process, with a role.
func another(t *testing.T, role, dir string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), exe, "-test.run=^"+t.Name()+"$", "-test.count=1")
	cmd.Env = append(os.Environ(), "RLM_TEST_ROLE="+role, "RLM_TEST_DIR="+dir, "TMPDIR="+t.TempDir())
	return cmd
}

func role() (role, dir string) { return os.Getenv("RLM_TEST_ROLE"), os.Getenv("RLM_TEST_DIR") }

// Several processes write, read, list, clear and evict at the same time. Each reads only complete and correct
// texts.
func TestSeveralProcessesShareTheCache(t *testing.T) {
	if role, dir := role(); role != "" {
		v, _ := newFake(t, dir, 64<<10, upper)
		for i := range 300 {
			name := fmt.Sprintf("doc%d", i%40)
			sum := sha256.Sum256([]byte(name))
			text := strings.Repeat(hex.EncodeToString(sum[:]), 40+i%40)
			require.Equal(t, strings.ToUpper(text), convert(t, v, "x/1", name, text)[0].text)
			switch i % 50 {
			case 17:
				_, err := List(dir)
				require.NoError(t, err)
			case 33:
				if role == "clears" {
					_, _, err := Clear(dir)
					require.NoError(t, err)
				}
			}
		}
		return
	}
	dir := t.TempDir()
	var all []*exec.Cmd
	for _, role := range []string{"converts", "converts", "clears"} {
		cmd := another(t, role, dir)
		var said strings.Builder
		cmd.Stdout, cmd.Stderr = &said, &said
		require.NoError(t, cmd.Start())
		all = append(all, cmd)
	}
	for _, cmd := range all {
		require.NoError(t, cmd.Wait(), "%s", cmd.Stdout)
	}
	left, err := results(dir)
	require.NoError(t, err)
	var size int64
	for _, s := range left {
		require.True(t, s.ours, "%s was left behind", s.path)
		size += s.size
	}
	require.LessOrEqual(t, size, int64(64<<10)*5/4)
}

// A process killed while writing leaves no result, and its temporary file is removed later.
func TestKilledWhileItWrites(t *testing.T) {
	long := strings.Repeat("text ", 1<<20)
	if role, dir := role(); role != "" {
		v, _ := newFake(t, dir, DefaultBound, func(job documents.Job, yield func(documents.Document) error) error {
			err := yield(document(job.Name, "upper", long))
			fmt.Println("\nwritten")
			_, _ = io.Copy(io.Discard, os.Stdin) // blocks until the process is killed
			return err
		})
		convert(t, v, "x/1", "doc", "text")
		return
	}
	dir := t.TempDir()
	cmd := another(t, "writes", dir)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	for lines := bufio.NewScanner(out); lines.Scan() && lines.Text() != "written"; {
	}
	require.NoError(t, cmd.Process.Kill())
	require.Error(t, cmd.Wait())
	_ = in.Close()

	left, err := results(dir)
	require.NoError(t, err)
	require.Len(t, left, 1)
	require.False(t, left[0].ours)
	list, err := List(dir)
	require.NoError(t, err)
	require.Empty(t, list)
	v, f := newFake(t, dir, DefaultBound, upper)
	require.Equal(t, "TEXT", convert(t, v, "x/1", "doc", "text")[0].text)
	require.EqualValues(t, 1, f.calls.Load())
	before := time.Now().Add(-staleAfter - time.Minute)
	require.NoError(t, os.Chtimes(left[0].path, before, before))
	v.Close()
	require.NoFileExists(t, left[0].path)
	require.Equal(t, "TEXT", convert(t, v, "x/1", "doc", "text")[0].text)
	require.EqualValues(t, 1, f.calls.Load())
}

// A full disk loses only the new result: not the conversion, and not older results.
func TestAFullDiskCostsTheResultOnly(t *testing.T) {
	long := func(job documents.Job, yield func(documents.Document) error) error {
		return yield(document(job.Name, "long", strings.Repeat(job.Name+"\n", 2*inMemory/len(job.Name))))
	}
	if role, dir := role(); role != "" {
		signal.Ignore(syscall.SIGXFSZ)
		limit := syscall.Rlimit{Cur: 64 << 10, Max: 64 << 10}
		require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit))
		require.ErrorIs(t, os.WriteFile(filepath.Join(os.TempDir(), "big"), make([]byte, 128<<10), 0o600),
			syscall.EFBIG)
		v, f := newFake(t, dir, DefaultBound, long)
		require.Len(t, convert(t, v, "x/1", "kept", "kept")[0].text, 2*inMemory/4*5,
			"kept, but there is no room to read it")
		require.EqualValues(t, 1, f.calls.Load())
		f.make = func(job documents.Job, yield func(documents.Document) error) error {
			var text strings.Builder
			for i := range 4 << 10 {
				sum := sha256.Sum256(fmt.Append(nil, i))
				text.WriteString(hex.EncodeToString(sum[:]))
			}
			return yield(document(job.Name, "long", text.String()))
		}
		for range 2 {
			require.Len(t, convert(t, v, "x/1", "fresh", "fresh")[0].text, 256<<10)
		}
		require.EqualValues(t, 3, f.calls.Load())
		return
	}
	dir := t.TempDir()
	v, f := newFake(t, dir, DefaultBound, long)
	want := convert(t, v, "x/1", "kept", "kept")
	cmd := another(t, "writes", dir)
	said, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		require.NoError(t, err, "%s", said)
	}
	require.NoError(t, err)
	left, err := results(dir)
	require.NoError(t, err)
	require.Len(t, left, 1)
	require.Equal(t, want, convert(t, v, "x/1", "kept", "kept"))
	require.EqualValues(t, 1, f.calls.Load())
}
