// Package clients runs clients that nobody here wrote and tells in a table what they can do with a server.
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

// Folder is where a program runs that uses clients: node, of which the folder has scripts and the packages that they use, or one of its own.
type Folder struct {
	Path    string
	program string
}

// New copies the scripts of testdata/clients to a folder with their packages. An environment variable names the folder into which those were installed, as
// a stage of .ci/run does: without it, the test is skipped.
func New(t testing.TB, variable, stage string) Folder {
	t.Helper()
	packages := os.Getenv(variable)
	node, err := exec.LookPath("node")
	switch {
	case packages == "":
		t.Skipf("SKIP %s: %s names no folder with the packages of testdata/clients installed (.ci/run %s)", t.Name(), variable, stage)
	case err != nil:
		t.Skipf("SKIP %s: there is no node", t.Name())
	}
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "clients"))))
	require.NoError(t, os.Symlink(filepath.Join(packages, "node_modules"), filepath.Join(dir, "node_modules")))
	return Folder{dir, node}
}

// Built is a new folder for the program that an environment variable names, as a stage of .ci/run does: without it, the test is skipped.
func Built(t testing.TB, variable, stage string) Folder {
	t.Helper()
	program := os.Getenv(variable)
	if program == "" {
		t.Skipf("SKIP %s: %s names no program that was built (.ci/run %s)", t.Name(), variable, stage)
	}
	return Folder{t.TempDir(), program}
}

// Output is what the program prints.
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

// Columns are what is asked of clients.
var Columns = []string{"chat", "stream", "second turn", "schema", "files", "abort", "long silence"}

// Table has a row for each client: of each column "+", or why the client has no such thing.
type Table struct {
	mu   sync.Mutex
	rows map[string]map[string]string
}

// Add adds what was seen of a client, and fails the test if a cell is not as it must be. missing says of columns what the client lacks.
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
