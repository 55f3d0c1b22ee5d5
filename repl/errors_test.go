package repl

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the golden files (read them before you commit them)")

// Every file in testdata/errors holds cells, each followed by "---" and the whole message that the one who wrote the last
// cell gets. Cells before the last of a group (separated by "%") prepare the session. Groups are separated by "===".
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
				s := newSession(t, Config{Context: scriptContext, Builtins: scriptBuiltins()})
				message := "(no error)"
				for _, cell := range strings.Split(cells, "\n%\n") {
					res, _ := s.run(cell)
					if res.Error != nil {
						message = string(res.Error.Kind) + "\n" + res.Error.Message
					}
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
