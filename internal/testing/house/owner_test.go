package house

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// ownerParts are the libraries that the project's owner chose. Each is used in normal operation: if its entry
// panics, the command that needs it fails with that panic. The sentinel of FINAL, which is our own, has similar
// tests in repl.
var ownerParts = []struct {
	name    string
	room    string // room whose production code calls the library
	module  string
	file    string   // path of a file in the module
	entry   string   // line of the file after which the stub panics
	when    string   // condition under which the stub panics; "" for always
	command []string // command of rlm that needs the library
}{
	{
		name: "goldmark", room: "internal/reply", module: "github.com/yuin/goldmark", file: "parser/parser.go",
		entry:   "func (p *parser) Parse(reader text.Reader, opts ...ParseOption) ast.Node {",
		when:    `stubos.Getenv("RLM_STUB") == "goldmark"`, // the commands of the other parts read replies, too
		command: []string{"demo", "--engine", "exact"},
	},
	{
		name: "go-openai", room: "runner/llm", module: "github.com/sashabaranov/go-openai", file: "chat_stream.go",
		entry:   ") (stream *ChatCompletionStream, err error) {",
		command: []string{"run", "--engine", "exact", "--model", "gpt-5", "What is asked?"},
	},
	{
		name: "yaegi", room: "repl/internal/engine/yaegi", module: "github.com/traefik/yaegi", file: "interp/interp.go",
		entry:   "func New(options Options) *Interpreter {",
		command: []string{"demo"},
	},
}

// TestOwnerPartsAreUsed checks that the production code of each room imports the library that the owner chose for
// it.
func TestOwnerPartsAreUsed(t *testing.T) {
	for _, part := range ownerParts {
		files, err := filepath.Glob(filepath.Join(root(t), part.room, "*.go"))
		require.NoError(t, err)
		require.True(t, slices.ContainsFunc(files, func(file string) bool {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			return !strings.HasSuffix(file, "_test.go") && strings.Contains(string(text), `"`+part.module)
		}), "no production code of %s imports %s", part.room, part.module)
	}
}

// TestNothingGoesAroundTheOwnerParts builds rlm with each part replaced by one that panics. It needs RLM_LONG=1,
// as it compiles much.
func TestNothingGoesAroundTheOwnerParts(t *testing.T) {
	if os.Getenv("RLM_LONG") == "" {
		t.Skip("SKIP TestNothingGoesAroundTheOwnerParts: it builds rlm with other modules; RLM_LONG=1 runs it")
	}
	bin := stubbed(t)
	for _, part := range ownerParts {
		t.Run(part.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, bin, part.command...)
			cmd.Env = append(os.Environ(), "RLM_STUB="+part.name,
				"RLM_DATA_DIR="+t.TempDir(), "OPENAI_API_KEY=key", "OPENAI_BASE_URL=http://127.0.0.1:9/v1")
			out, err := cmd.CombinedOutput()
			require.Error(t, err)
			require.Contains(t, string(out), "stub of "+part.name)
		})
	}
}

// stubbed builds rlm with the stubs of all parts.
func stubbed(t *testing.T) string {
	dir := t.TempDir()
	mod, err := os.ReadFile(filepath.Join(root(t), "go.mod"))
	require.NoError(t, err)
	sum, err := os.ReadFile(filepath.Join(root(t), "go.sum"))
	require.NoError(t, err)
	for _, part := range ownerParts {
		copied := filepath.Join(dir, filepath.Base(part.module))
		require.NoError(t, os.CopyFS(copied, os.DirFS(moduleDir(t, part.module))))
		file := filepath.Join(copied, part.file)
		require.NoError(t, os.Chmod(file, 0o600))
		panicking(t, file, part.entry, part.when, part.name)
		mod = append(mod, "\nreplace "+part.module+" => "+copied+"\n"...)
	}
	for name, text := range map[string][]byte{"go.mod": mod, "go.sum": sum} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o600))
	}
	bin := filepath.Join(dir, "rlm")
	build := exec.Command("go", "build", "-mod=mod", "-modfile", filepath.Join(dir, "go.mod"), "-o", bin, "./cmd/rlm")
	build.Dir = root(t)
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return bin
}

// panicking changes a file so that its entry panics.
func panicking(t *testing.T, file, entry, when, name string) {
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(text), entry+"\n"), "%s has no line %q any more", file, entry)
	changed, stub := string(text), `panic("stub of `+name+`")`
	if when != "" {
		stub = "if " + when + " { " + stub + " }"
		changed = strings.Replace(changed, "\nimport (", "\nimport stubos \"os\"\n\nimport (", 1)
	}
	changed = strings.Replace(changed, entry+"\n", entry+"\n"+stub+"\n", 1)
	require.NoError(t, os.WriteFile(file, []byte(changed), 0o600))
}

func moduleDir(t *testing.T, module string) string {
	list := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module)
	list.Dir = root(t)
	out, err := list.Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(out))
}
