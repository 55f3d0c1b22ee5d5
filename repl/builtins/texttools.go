package builtins

import (
	"fmt"

	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/repl/builtins/text"
)

type searchIndex struct{}

func textEntries() []entry {
	return []entry{
		{"grep", `{{self}}(pattern string, options ...any) []Hit
Lines that match a regular expression, as Hit{Offset, Line int; Text, Match, Around string}. Options: a number of lines to add around each hit, and a text to look in instead of context.`, (*maker).grep},
		{"chunks", `{{self}}(text string, size int, overlap ...int) []string
Cuts a text into pieces of at most size bytes, at paragraph or line borders where possible; joined they are the text.`, (*maker).chunks},
		{"lines", `{{self}}(text string, from, to int) string
Lines from to to of a text, counted from 1, both included.`, option(func(string) any { return text.Lines })},
		{"head", `{{self}}(text string, n ...int) string
The first n lines (10).`, option(edge(text.Head))},
		{"tail", `{{self}}(text string, n ...int) string
The last n lines (10).`, option(edge(text.Tail))},
		{"count_tokens", `{{self}}(text string) int
Estimates the tokens of a text.`, option(func(string) any { return text.CountTokens })},
		{"show", `{{self}}(values ...any)
Prints values readably.`, (*maker).show},
	}
}

func edge(f func(string, int) string) func(string) any {
	return func(string) any {
		return func(text string, n ...int) string {
			if len(n) == 0 {
				return f(text, 10)
			}
			return f(text, n[0])
		}
	}
}

func (m *maker) grep(name string) any {
	return func(site *repl.Site, pattern string, options ...any) []text.Hit {
		around, in, err := searchOptions(site, options)
		if err != nil {
			panic(failed(name, "%w", err))
		}
		hits, err := text.Grep(in, pattern, around)
		if err != nil {
			panic(failed(name, "%w", err))
		}
		return hits
	}
}

func (m *maker) chunks(name string) any {
	return func(in string, size int, overlap ...int) []string {
		over := 0
		if len(overlap) > 0 {
			over = overlap[0]
		}
		out, err := text.Chunks(in, size, over)
		if err != nil {
			panic(failed(name, "%w", err))
		}
		return out
	}
}

func (m *maker) show(string) any {
	return func(site *repl.Site, values ...any) {
		for i, v := range values {
			site.Print(site.Format(v, typeOf(site, i)) + "\n")
		}
	}
}

// searchOptions reads the options of a text tool: a number, and a text or document to look in instead of context.
func searchOptions(site *repl.Site, options []any) (n int, in string, err error) {
	given := false
	for _, o := range options {
		switch o := o.(type) {
		case int:
			n = o
		case string:
			in, given = o, true
		case repl.Doc:
			in, given = o.Text, true
		default:
			return 0, "", fmt.Errorf("the options are a number and a text to look in, not a %T", o)
		}
	}
	if given {
		return n, in, nil
	}
	value, _, ok := site.Lookup("context")
	in, isText := value.(string)
	if !ok || !isText {
		return 0, "", fmt.Errorf("the variable context is no text here; give the text to look in")
	}
	return n, in, nil
}

func align(rows [][]string) string { return text.Align(rows) }
