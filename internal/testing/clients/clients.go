// Package clients runs third-party clients against a server, and records in a table what they can do.
package clients

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Folder is where a client program runs: node, with the folder's scripts and the packages they use, or another
// program.
type Folder struct {
	Path    string
	program string
}

// New copies the scripts of testdata/clients to a folder with their packages. An environment variable, set by a
// stage of .ci/run, names the folder with the installed packages; without it, the test is skipped.
func New(t testing.TB, variable, stage string) Folder {
	t.Helper()
	packages := os.Getenv(variable)
	node, err := exec.LookPath("node")
	switch {
	case packages == "":
		t.Skipf("SKIP %s: %s names no folder with the packages of testdata/clients installed (.ci/run %s)", t.Name(),
			variable, stage)
	case err != nil:
		t.Skipf("SKIP %s: there is no node", t.Name())
	}
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "clients"))))
	require.NoError(t, os.Symlink(filepath.Join(packages, "node_modules"), filepath.Join(dir, "node_modules")))
	return Folder{dir, node}
}

// Built returns a new folder for a program that an environment variable names, set by a stage of .ci/run; without
// it, the test is skipped.
func Built(t testing.TB, variable, stage string) Folder {
	t.Helper()
	program := os.Getenv(variable)
	if program == "" {
		t.Skipf("SKIP %s: %s names no program that was built (.ci/run %s)", t.Name(), variable, stage)
	}
	return Folder{t.TempDir(), program}
}

// Output runs the program and returns its output.
func (f Folder) Output(t testing.TB, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), f.program, args...)
	cmd.Dir = f.Path
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + f.Path}
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	require.NoError(t, err, "%s\n%s", said.String(), out)
	return out
}

// Columns are the abilities that clients are tested for.
var Columns = []string{"chat", "stream", "second turn", "schema", "files", "abort", "long silence"}

// Table has a row for each client: in each column "+", or why the client lacks the ability.
type Table struct {
	mu   sync.Mutex
	rows map[string]map[string]string
}

// Add adds the results of a client, and fails the test if one is not as expected. missing gives reasons for the
// columns that the client lacks.
func (c *Table) Add(t testing.TB, client string, saw, missing map[string]string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.rows == nil {
		c.rows = map[string]map[string]string{}
	}
	c.rows[client] = saw
	for _, column := range Columns {
		if want := missing[column]; want != "" {
			assert.Equal(t, want, saw[column], "%s: %s", client, column)
		} else {
			assert.Equal(t, "+", saw[column], "%s: %s", client, column)
		}
	}
}

// String is the table with its reasons below.
func (c *Table) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var b, reasons strings.Builder
	fmt.Fprintf(&b, "| client | %s |\n|%s\n", strings.Join(Columns, " | "), strings.Repeat(" --- |", len(Columns)+1))
	for _, client := range slices.Sorted(maps.Keys(c.rows)) {
		fmt.Fprintf(&b, "| %s |", client)
		for _, column := range Columns {
			cell := c.rows[client][column]
			if cell != "+" {
				fmt.Fprintf(&reasons, "%s, %s: %s\n", client, column, cell)
				cell = "-"
			}
			fmt.Fprintf(&b, " %s |", cell)
		}
		b.WriteByte('\n')
	}
	return b.String() + reasons.String()
}
