package main

import (
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"github.com/stretchr/testify/require"
)

// What README shows works: the program compiles, the configuration is one, and its commands and builtins exist.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	readme := string(text)

	t.Run("program", func(t *testing.T) {
		program := block(t, readme, "go")
		_, err := parser.ParseFile(token.NewFileSet(), "main.go", program, 0)
		require.NoError(t, err)
		dir, err := os.MkdirTemp(".", "testdata-readme-") // inside of the module, so that it finds it
		require.NoError(t, err)
		defer os.RemoveAll(dir)
		require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(program), 0o600))
		out, err := exec.Command("go", "vet", "./"+dir).CombinedOutput()
		require.NoError(t, err, "%s", out)
	})

	t.Run("configuration", func(t *testing.T) {
		s := defaultSettings()
		dec := toml.NewDecoder(strings.NewReader(block(t, readme, "toml")))
		dec.DisallowUnknownFields()
		require.NoError(t, dec.Decode(&s))
		require.NoError(t, s.check())
	})

	t.Run("commands", func(t *testing.T) {
		a := &app{set: defaultSettings()}
		root := a.root()
		for _, m := range regexp.MustCompile("`(?:… \\\\\\| )?rlm ([a-z]+)").FindAllStringSubmatch(readme, -1) {
			cmd, _, err := root.Find([]string{m[1]})
			require.NoError(t, err, m[0])
			require.NotEqual(t, root, cmd, m[0])
		}
	})
}

// block is the first fenced block of a language.
func block(t *testing.T, markdown, lang string) string {
	t.Helper()
	_, rest, ok := strings.Cut(markdown, "```"+lang+"\n")
	require.True(t, ok, "README has no %s block", lang)
	text, _, _ := strings.Cut(rest, "```")
	return text
}
