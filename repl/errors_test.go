package repl

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/cellerror"
)

var update = flag.Bool("update", false, "rewrite the golden files (read them before you commit them)")

// Every file in testdata/errors holds cells, each followed by "---" and the whole error message. Cells before
// the last one of a group (separated by "%") prepare the session. Groups are separated by "===".
func TestErrorMessages(t *testing.T) {
	files, err := filepath.Glob("testdata/errors/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			var got []string
			for _, group := range strings.Split(string(data), "\n===\n") {
				cells, _, _ := strings.Cut(strings.TrimSuffix(group, "\n"), "\n---\n")
				message, inexact := messageIn(t, Yaegi, cells)
				left := strings.HasPrefix(message, string(cellerror.Refused)+"\n") &&
					filepath.Base(file) != "refused.txt"
				if inexact || left { // yaegi leaves the cell to the exact engine
					message, _ = messageIn(t, Exact, cells)
				}
				got = append(got, cells+"\n---\n"+message)
			}
			text := strings.Join(got, "\n===\n") + "\n"
			if *update {
				require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
			}
			require.Equal(t, string(data), text)
		})
	}
}

// messageIn runs cells in an engine and returns the last error. inexact means that only the exact engine has the
// full message.
func messageIn(t *testing.T, engine Engine, cells string) (message string, inexact bool) {
	s := newSession(t, Config{Engine: engine, Context: scriptContext, Builtins: scriptBuiltins()})
	message = "(no error)"
	for _, cell := range strings.Split(cells, "\n%\n") {
		res, _ := s.run(cell)
		inexact = inexact || res.Inexact ||
			engine == Yaegi && message != "(no error)" && strings.HasPrefix(message, string(cellerror.Refused))
		if res.Error != nil {
			message = string(res.Error.Kind) + "\n" + res.Error.Message
		}
	}
	return message, inexact
}
