package house

import (
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// TestLinksLead checks that relative links on all pages point to existing files, and to headings in them.
func TestLinksLead(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	for _, page := range pages(t) {
		for _, m := range link.FindAllStringSubmatch(prose(page.text), -1) {
			to, err := url.Parse(m[1])
			require.NoError(t, err, "%s: %s", page.path, m[1])
			if to.IsAbs() {
				continue
			}
			target := page.path
			if to.Path != "" {
				target = path.Join(path.Dir(page.path), to.Path)
			}
			if _, err := os.Stat(filepath.Join(root(t), target)); err != nil {
				t.Errorf("%s: %s leads nowhere", page.path, m[1])
				continue
			}
			if to.Fragment == "" {
				continue
			}
			text, err := os.ReadFile(filepath.Join(root(t), target))
			require.NoError(t, err)
			if !anchors(string(text))[to.Fragment] {
				t.Errorf("%s: %s: %s has no such heading", page.path, m[1], target)
			}
		}
	}
}

// TestPagesAreNarrow checks that lines end before column 120, also in code and on generated pages. Tables and
// unbreakable links may be longer.
func TestPagesAreNarrow(t *testing.T) {
	for _, page := range pages(t) {
		for line := range strings.Lines(page.text) {
			line = strings.TrimRight(line, "\n")
			if utf8.RuneCountInString(line) > 120 && !strings.HasPrefix(line, "|") && !strings.Contains(line, "](") {
				t.Errorf("%s: a line of %d columns: %s", page.path, utf8.RuneCountInString(line), line)
			}
		}
	}
}

// TestPagesEnd keeps the two pages short that everybody opens.
func TestPagesEnd(t *testing.T) {
	for _, page := range pages(t) {
		switch page.path {
		case "README.md":
			require.LessOrEqual(t, strings.Count(page.text, "\n"), 150, "lines of README; the rest belongs into docs")
		case "RATIONALE.md":
			require.LessOrEqual(t, len(strings.Fields(page.text)), 6000, "words of RATIONALE")
		}
	}
}

// TestAnchors checks anchors against GitHub's naming of headings.
func TestAnchors(t *testing.T) {
	got := anchors("# What it *is*\n## `rlm` alone, 2×\n```\n# none\n```\n## Twice\n## Twice\n### A [link](x.md)\n")
	for _, want := range []string{"what-it-is", "rlm-alone-2", "twice", "twice-1", "a-link"} {
		require.True(t, got[want], "%s in %v", want, got)
	}
	require.Len(t, got, 5)
}

type page struct{ path, text string }

// pages returns the Markdown files of the repository that are not test data.
func pages(t *testing.T) (list []page) {
	t.Helper()
	out, err := exec.Command(
		"git", "-C", root(t), "ls-files", "--cached", "--others", "--exclude-standard", "*.md").Output()
	if err != nil {
		t.Skipf("SKIP %s: not a git checkout: %v", t.Name(), err)
	}
	for name := range strings.Lines(string(out)) {
		name = strings.TrimSpace(name)
		// the introduction in eventdoc is part of a page elsewhere
		if strings.Contains(name, "testdata/") || strings.Contains(name, "eventdoc/") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root(t), name))
		require.NoError(t, err)
		list = append(list, page{name, string(text)})
	}
	require.NotEmpty(t, list)
	return list
}

// prose returns a page without its fenced blocks.
func prose(text string) string {
	var b strings.Builder
	fenced := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
			continue
		}
		if !fenced {
			b.WriteString(line)
		}
	}
	return b.String()
}

// anchors returns the anchors of a page's headings.
func anchors(text string) map[string]bool {
	all, times := map[string]bool{}, map[string]int{}
	for line := range strings.Lines(prose(text)) {
		level := strings.IndexFunc(line, func(r rune) bool { return r != '#' })
		if level < 1 || level > 6 || line[level] != ' ' {
			continue
		}
		heading := regexp.MustCompile(`\[([^]]*)\]\([^)]*\)`).ReplaceAllString(strings.TrimSpace(line[level:]), "$1")
		name := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
				return unicode.ToLower(r)
			}
			return -1
		}, heading)
		if n := times[name]; n > 0 {
			all[name+"-"+string(rune('0'+n))] = true
		} else {
			all[name] = true
		}
		times[name]++
	}
	return all
}
