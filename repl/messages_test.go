package repl_test

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/internal/builtins"
	"github.com/gorlm/rlm/repl"
)

// The messages that a model gets with the builtins of a run. The files have the format of testdata/errors.
func TestMessagesOfRealBuiltins(t *testing.T) {
	files, err := filepath.Glob("testdata/messages/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	made, err := builtins.Make(builtins.Standard(answer.Response), jsonHost{}, builtins.NewMarks())
	require.NoError(t, err)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			var got []string
			for _, group := range strings.Split(string(data), "\n===\n") {
				cells, _, _ := strings.Cut(strings.TrimSuffix(group, "\n"), "\n---\n")
				message := ""
				for _, engine := range []repl.Engine{repl.Yaegi, repl.Exact} {
					nb, err := repl.New(repl.Config{
						Engine: engine, Context: "alpha one\nbeta two\n", Builtins: made, Stdout: &bytes.Buffer{},
					})
					require.NoError(t, err)
					inexact := false
					if message, inexact = lastMessage(nb, strings.Split(cells, "\n%\n")); !inexact {
						break
					}
				}
				got = append(got, cells+"\n---\n"+message)
			}
			text := strings.Join(got, "\n===\n") + "\n"
			if flag.Lookup("update").Value.String() == "true" {
				require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
			}
			require.Equal(t, string(data), text)
		})
	}
}

// lastMessage runs cells and returns the error message of the last. inexact means that only the exact engine has
// the full message.
func lastMessage(nb *repl.Notebook, cells []string) (message string, inexact bool) {
	var res repl.Result
	for i, cell := range cells {
		res = nb.Run(context.Background(), cell, repl.RunOptions{Cell: i + 1})
		inexact = inexact || res.Inexact
	}
	lines := append([]string{"(no error)"}, res.Notes...)
	if res.Error != nil {
		lines[0] = string(res.Error.Kind) + "\n" + res.Error.Message
	}
	return strings.Join(lines, "\nnote: "), inexact
}
