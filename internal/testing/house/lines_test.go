package house

import (
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// TestLinesFit keeps lines of Go within 120 columns, a tab being 4. A line with a long literal, which cannot be
// broken, may be longer.
func TestLinesFit(t *testing.T) {
	const most, text = 120, 40
	eachFile(t, func(file string, _ []string) {
		source, err := os.ReadFile(filepath.Join(root(t), file))
		require.NoError(t, err)
		if strings.Contains(string(source[:min(len(source), 300)]), "DO NOT EDIT") {
			return
		}
		free := unbreakable(source, text)
		for i, line := range strings.Split(string(source), "\n") {
			if n := utf8.RuneCountInString(line) + 3*strings.Count(line, "\t"); n > most && !free[i+1] {
				t.Errorf("%s:%d has %d columns; at most %d", file, i+1, n, most)
			}
		}
	})
}

// TestLinesOfThePageFit keeps lines of TypeScript and of the page's tests within 120 columns. A line with a long
// literal may be longer.
func TestLinesOfThePageFit(t *testing.T) {
	const most = 120
	literal := regexp.MustCompile("\"[^\"]{40,}\"|'[^']{40,}'|`[^`]{40,}`")
	dir := filepath.Join(root(t), "internal/front/web")
	files := 0
	for _, pattern := range []string{"*.mjs", "src/*.ts", "src/*.tsx", "test/*.mjs"} {
		names, err := filepath.Glob(filepath.Join(dir, pattern))
		require.NoError(t, err)
		files += len(names)
		for _, name := range names {
			source, err := os.ReadFile(name)
			require.NoError(t, err)
			for i, line := range strings.Split(string(source), "\n") {
				if n := utf8.RuneCountInString(line); n > most && !literal.MatchString(line) {
					t.Errorf("%s:%d has %d columns; at most %d", name, i+1, n, most)
				}
			}
		}
	}
	require.Greater(t, files, 50)
}

// unbreakable returns the lines that hold a literal of at least n columns, a part of one, or a directive.
func unbreakable(source []byte, n int) map[int]bool {
	lines := map[int]bool{}
	file := token.NewFileSet().AddFile("", -1, len(source))
	var s scanner.Scanner
	s.Init(file, source, nil, scanner.ScanComments)
	for {
		pos, tok, lit := s.Scan()
		switch {
		case tok == token.EOF:
			return lines
		case tok == token.STRING && (utf8.RuneCountInString(lit) >= n || strings.Contains(lit, "\n")),
			tok == token.COMMENT && (lit[1] == '*' || strings.HasPrefix(lit, "//go:") || strings.Contains(lit, "://")):
			for i := range strings.Count(lit, "\n") + 1 {
				lines[file.Line(pos)+i] = true
			}
		}
	}
}
