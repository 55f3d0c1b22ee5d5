package main

import (
	"encoding/json"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
)

// The examples in README and docs work: programs compile, configurations are valid, and commands and builtins
// exist.
func TestReadme(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	readme := ""
	for _, page := range append(pages, "../../README.md") {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		readme += string(text)
	}

	t.Run("program", func(t *testing.T) {
		program := block(t, readme, "go")
		_, err := parser.ParseFile(token.NewFileSet(), "main.go", program, 0)
		require.NoError(t, err)
		compileAsPackage(t, program)
	})

	t.Run("configuration", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "config.toml")
		require.NoError(t, os.WriteFile(path, []byte(block(t, readme, "toml")), 0o600))
		s := defaultSettings()
		require.NoError(t, s.readFile(path))
		require.NoError(t, s.check())
	})

	t.Run("commands", func(t *testing.T) {
		set := defaultSettings()
		l := &launcher{modelSet: &modelSet{set: &set}}
		root := l.root(0)
		for _, m := range regexp.MustCompile("`(?:… \\\\\\| )?rlm ([a-z]+)").FindAllStringSubmatch(readme, -1) {
			cmd, _, err := root.Find([]string{m[1]})
			require.NoError(t, err, m[0])
			require.NotEqual(t, root, cmd, m[0])
		}
	})

	t.Run("flags", func(t *testing.T) {
		set := defaultSettings()
		l := &launcher{modelSet: &modelSet{set: &set}}
		known := map[string]bool{}
		var look func(*cobra.Command)
		look = func(cmd *cobra.Command) {
			cmd.Flags().VisitAll(func(f *pflag.Flag) { known[f.Name] = true })
			for _, c := range cmd.Commands() {
				look(c)
			}
		}
		look(l.root(0))
		// without those of other programs
		own := regexp.MustCompile(`(?m)^(claude|npx) (.*\\\n)*.*$`).ReplaceAllString(readme, "")
		for _, m := range regexp.MustCompile(`[\s\x60(]--([a-z][a-z-]+)`).FindAllStringSubmatch(own, -1) {
			require.True(t, known[m[1]], "--%s", m[1])
		}
	})

	t.Run("exit codes", func(t *testing.T) {
		for _, m := range regexp.MustCompile(`(?m)^\| (\d+) \|`).FindAllStringSubmatch(readme, -1) {
			require.Regexp(t, `(?m)^  `+m[1]+`  `, runHelp)
		}
	})
}

// compileAsPackage compiles a program as if its file were in the module, so that it finds the module's
// packages. The file is an overlay of the build, so that concurrent tests of other packages do not see it.
func compileAsPackage(t *testing.T, program string) {
	t.Helper()
	dir := t.TempDir()
	file, overlay := filepath.Join(dir, "main.go"), filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(file, []byte(program), 0o600))
	here, err := os.Getwd()
	require.NoError(t, err)
	replace, err := json.Marshal(
		map[string]any{"Replace": map[string]string{filepath.Join(here, "readme", "main.go"): file}})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(overlay, replace, 0o600))
	out, err := exec.Command("go", "list", "-export", "-overlay", overlay, "./readme").CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// block returns the first fenced block of a language.
func block(t *testing.T, markdown, lang string) string {
	t.Helper()
	_, rest, ok := strings.Cut(markdown, "```"+lang+"\n")
	require.True(t, ok, "no page has a %s block", lang)
	text, _, _ := strings.Cut(rest, "```")
	return text
}
