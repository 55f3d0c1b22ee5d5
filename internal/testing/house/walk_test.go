package house

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// insertion inserts a line before a text that occurs once in a file.
type insertion struct{ file, before, line string }

// walkThrough applies the steps of a walk-through in CONTRIBUTING to the files of a room, without writing to them,
// and runs the room's tests.
func walkThrough(t *testing.T, room, tests string, steps []insertion, added map[string]string) {
	t.Helper()
	files := map[string]string{}
	for _, s := range steps {
		if _, edited := files[s.file]; !edited {
			text, err := os.ReadFile(filepath.Join(root(t), s.file))
			require.NoError(t, err)
			files[s.file] = string(text)
		}
		require.Equal(t, 1, strings.Count(files[s.file], s.before), "%s in %s", s.before, s.file)
		files[s.file] = strings.Replace(files[s.file], s.before, s.line+"\n"+s.before, 1)
	}
	for file, text := range added {
		require.NoFileExists(t, filepath.Join(root(t), file))
		files[file] = text
	}
	dir := t.TempDir()
	replace := map[string]string{}
	for file, text := range files {
		here := filepath.Join(dir, strings.ReplaceAll(file, "/", "-"))
		require.NoError(t, os.WriteFile(here, []byte(text), 0o600))
		replace[filepath.Join(root(t), file)] = here
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	require.NoError(t, err)
	list := filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(list, overlay, 0o600))
	cmd := exec.CommandContext(t.Context(), "go", "test", "-vet=off", "-v", "-overlay", list, "-run", tests, "./"+room)
	cmd.Dir = root(t)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "--- PASS: TestWalk")
}

// TestAddABuiltin follows "Add a builtin" in CONTRIBUTING.md: the entry, and a cell that calls it.
func TestAddABuiltin(t *testing.T) {
	walkThrough(t, "internal/builtins", "TestWalk|TestEveryBuiltinDocumentsItself", []insertion{{
		file:   "internal/builtins/texttools.go",
		before: `		{"count_tokens", `,
		line: "\t\t{\"count_vowels\", spare, `{{self}}(text string) int\n" +
			"The number of vowels in a text.`, option(func(string) any {\n" +
			"\t\t\treturn func(text string) int { return len(text) - len(strings.NewReplacer(\n" +
			"\t\t\t\t\"a\", \"\", \"e\", \"\", \"i\", \"\", \"o\", \"\", \"u\", \"\").Replace(text)) }\n" +
			"\t\t})},",
	}}, map[string]string{"internal/builtins/walk_test.go": `package builtins_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/internal/builtins"
)

func TestWalk(t *testing.T) {
	s := newSession(t, builtins.Standard(answer.Task), &host{}, "education")
	require.Equal(t, "5\n", s.ok("fmt.Println(count_vowels(context))"))
}
`})
}

// TestAddADocumentFormat follows "Add a document format" in CONTRIBUTING.md: the converter, how it is recognised,
// its line in the registry, and a conversion in a worker.
func TestAddADocumentFormat(t *testing.T) {
	walkThrough(t, "internal/documents", "TestWalk", []insertion{
		{"internal/documents/format/recognise.go", `	RTF      Form = "rtf"`, `	Postcard Form = "postcard"`},
		{
			"internal/documents/format/recognise.go", "	case bytes.HasPrefix(text, []byte(`{\\rtf`)):",
			"	case bytes.HasPrefix(text, []byte(\"POSTCARD 1\\n\")):\n\t\treturn Postcard, \"\"",
		},
		{
			"internal/documents/registry.go", "	format.RTF: ",
			"	format.Postcard: {convert: postcard.Convert, version: 1, plain: true},",
		},
		{
			"internal/documents/registry.go", `	"github.com/gorlm/rlm/internal/documents/internal/rtf"`,
			`	"github.com/gorlm/rlm/internal/documents/internal/postcard"`,
		},
	}, map[string]string{
		"internal/documents/internal/postcard/postcard.go": `package postcard

import (
	"context"
	"io"

	"github.com/gorlm/rlm/internal/documents/format"
)

func Convert(_ context.Context, src format.Source, out format.Output) error {
	if err := out.Kind("postcard"); err != nil {
		return err
	}
	text := io.NewSectionReader(src.Bytes, int64(len("POSTCARD 1\n")), src.Size)
	_, err := io.Copy(out, text)
	return err
}
`,
		"internal/documents/walk_test.go": `package documents

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWalk(t *testing.T) {
	p := NewPool(Options{})
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	all := convertAll(t, p, "greetings.card", []byte("POSTCARD 1\nwish you were here\n"))
	require.Len(t, all, 1)
	require.Equal(t, "postcard", all[0].Kind)
	require.Equal(t, "wish you were here\n", all[0].text)
}
`,
	})
}
