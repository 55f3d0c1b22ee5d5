package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"html"
	"os"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/gorlm/rlm/internal/testing/likeness"
)

// gold is what people found on a page: strings of its main text (with) and of what surrounds that (without).
type gold struct{ with, without []string }

// readGold reads the strings of pages, by file name, from go-trafilatura's scripts/comparison/data.go: literals
// with the fields File, With and Without.
func readGold(path string) (map[string]gold, error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("read the strings that pages contain: %w", err)
	}
	all := map[string]gold{}
	ast.Inspect(file, func(n ast.Node) bool {
		literal, ok := n.(*ast.CompositeLit)
		if !ok {
			return true
		}
		fields := map[string][]string{}
		for _, e := range literal.Elts {
			if field, ok := e.(*ast.KeyValueExpr); ok {
				if name, ok := field.Key.(*ast.Ident); ok {
					fields[name.Name] = stringsIn(field.Value)
				}
			}
		}
		if name := fields["File"]; len(name) == 1 {
			all[name[0]] = gold{fields["With"], fields["Without"]}
		}
		return true
	})
	return all, nil
}

func stringsIn(n ast.Node) (all []string) {
	ast.Inspect(n, func(n ast.Node) bool {
		if literal, ok := n.(*ast.BasicLit); ok {
			if s, err := strconv.Unquote(literal.Value); err == nil {
				all = append(all, s)
			}
		}
		return true
	})
	return all
}

// compareGold looks for the strings of a page in its text and beside it, with and without the addresses of links.
// Some strings come from another version of the page and are missing from the file itself.
func (f *File) compareGold(of gold, r reading) error {
	data, err := os.ReadFile(f.Path)
	if err != nil {
		return fmt.Errorf("look for the strings of a page: %w", err)
	}
	source := html.UnescapeString(string(data))
	source = bare(tag.ReplaceAllString(source, "")) + "\n" + bare(source)
	shown := bare(strings.Join(likeness.Words(r.text), ""))
	text := shown + "\n" + bare(r.text)
	beside := bare(strings.Join(likeness.Words(r.beside), "")) + "\n" + bare(r.beside)
	for _, s := range of.with {
		wanted := bare(s)
		f.Wanted++
		switch {
		case strings.Contains(text, wanted):
			f.Held++
		case strings.Contains(beside, wanted):
			f.Held++
			f.Beside = name(f.Beside, s)
		case !strings.Contains(source, wanted):
			f.Wanted--
			f.Absent++
		default:
			f.Lost = name(f.Lost, s)
		}
	}
	for _, s := range of.without {
		f.Unwanted++
		if strings.Contains(shown, bare(s)) {
			f.Kept = name(f.Kept, s)
		} else {
			f.Apart++
		}
	}
	return nil
}

var tag = regexp.MustCompile(`<[^>]*>`)

// bare is the letters and digits of a text, so that Markdown, spaces and case are ignored.
func bare(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, norm.NFKC.String(text))
}
