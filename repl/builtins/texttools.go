package builtins

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"unsafe"

	"github.com/gorlm/rlm/internal/quantity"
	"github.com/gorlm/rlm/internal/tokens"
	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/repl/builtins/internal/text"
	"github.com/gorlm/rlm/repl/builtins/internal/typed"
)

func textEntries() []entry {
	return []entry{
		{ImplGrep, `{{self}}(pattern string, options ...any) []Hit
Lines that match a regular expression: Hit{Offset, Line int; Text, Match, Around, Where string}. Offset is where the match begins, Line counts in the text that is searched, Where says "contract.pdf, page 12". Options: a number of lines to add on each side in Around; a text to look in instead of context. (?i) ignores case.`, (*maker).grep},
		{"search", `{{self}}(query string, options ...any) []Passage
The passages that fit a query best (BM25 over paragraphs): Passage{Offset, Line int; Score float64; Text, Where string}. Options: how many (10); a text to look in instead of context.`, (*maker).bestPassages},
		{"similar", `{{self}}(text string, options ...any) []Match
Places that read almost like the given text, misspelt names for instance: Match{Offset, Line, Distance int; Text, Where string}, the closest first. Options: how many (10); a text to look in instead of context.`, (*maker).similar},
		{ImplChunks, `{{self}}(text string, size int, overlap ...int) []string
Cuts a text into pieces of at most size bytes, at paragraph or line borders where possible; without overlap the pieces joined are the text.`, (*maker).chunks},
		{ImplCite, `{{self}}(part any) string
A short mark for a slice of context, a Hit (its line), a Passage, a Match, a Doc or a Part. Put it behind what it supports in the answer: the user gets the document, the page, the line and the words. A copy is looked for word for word, and panics if it is not there.`, (*maker).cite},
		{"lines", `{{self}}(text string, from, to int) string
Lines from to to of a text, counted from 1, both included.`, option(func(string) any { return text.Lines })},
		{"head", `{{self}}(text string, n ...int) string
The first n lines (10).`, option(edge(text.Head))},
		{"tail", `{{self}}(text string, n ...int) string
The last n lines (10).`, option(edge(text.Tail))},
		{"count_tokens", `{{self}}(text string) int
Estimates how many tokens a model makes of a text.`, option(func(string) any { return tokens.Estimate })},
		{"parse_json", `{{self}}(text string) any
Reads JSON, also out of a fenced block or between prose, or one value a line; numbers are float64.`, option(parseJSON)},
		{"parse_csv", `{{self}}(text string, separator ...string) []map[string]string
Reads a table with a header line, one map a row; the separator is found if it is not given. Lines that do not fit the header are left out and named.`, (*maker).parseCSV},
		{"table", `{{self}}(rows any, header ...string) string
Aligned columns from a slice of structs, maps or slices, or from a map.`, (*maker).table},
		{implShow, `{{self}}(values ...any)
Prints values readably, a slice of structs or maps as a table.`, (*maker).show},
		{"bars", `{{self}}(rows any)
Prints a bar chart of a map of numbers, or of rows with a name and a number.`, (*maker).bars},
		{"plot", `{{self}}(xs any, ys ...any)
Prints a line chart of lists of numbers over xs, which may be times.`, (*maker).plot},
		{"hist", `{{self}}(values any, bins ...int)
Prints a histogram of numbers.`, (*maker).hist},
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

func parseJSON(name string) any {
	return func(in string) any {
		v, err := typed.Parse(in)
		if err != nil {
			panic(failed(name, "%w", err))
		}
		return v
	}
}

func (m *maker) parseCSV(name string) any {
	return func(site *repl.Site, in string, separator ...string) []map[string]string {
		given := ""
		if len(separator) > 0 {
			given = separator[0]
		}
		rows, bad, err := text.ParseCSV(in, given)
		if err != nil {
			panic(failed(name, "%w", err))
		}
		if len(bad) > 0 {
			site.Note(fmt.Sprintf("%s: %s read, %s", name, quantity.Of(len(rows), "row"), leftOut(bad)))
		}
		return rows
	}
}

// leftOut names the first lines that are missing from a table.
func leftOut(bad []text.BadLine) string {
	const most = 5
	var b strings.Builder
	b.WriteString(quantity.Of(len(bad), "line") + " left out: ")
	for i, line := range bad[:min(len(bad), most)] {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(line.String())
	}
	if len(bad) > most {
		fmt.Fprintf(&b, "; and %d more", len(bad)-most)
	}
	return b.String()
}

func (m *maker) grep(name string) any {
	return func(site *repl.Site, pattern string, options ...any) []text.Hit {
		around, in, err := textOptions(site, options, 0)
		if err == nil {
			err = checkQuery(site, pattern, "pattern")
		}
		if err != nil {
			panic(failed(name, "%w", err))
		}
		hits, err := text.Grep(in, pattern, around)
		if err != nil {
			panic(failed(name, "%w", err))
		}
		where := m.marks.naming(in)
		for i, h := range hits {
			hits[i].Where = where(h.Offset)
		}
		return hits
	}
}

func (m *maker) bestPassages(name string) any {
	return func(site *repl.Site, query string, options ...any) []text.Passage {
		k, in, err := textOptions(site, options, 10)
		if err == nil {
			err = checkQuery(site, query, "query")
		}
		if err != nil {
			panic(failed(name, "%w", err))
		}
		found := m.search.of(in).Search(query, k)
		where := m.marks.naming(in)
		for i, p := range found {
			found[i].Where = where(p.Offset)
		}
		return found
	}
}

func (m *maker) similar(name string) any {
	return func(site *repl.Site, wanted string, options ...any) []text.Match {
		k, in, err := textOptions(site, options, 10)
		if err == nil {
			err = checkQuery(site, wanted, "text to find")
		}
		if err != nil {
			panic(failed(name, "%w", err))
		}
		found, err := text.Similar(in, wanted, k)
		if err != nil {
			panic(failed(name, "%w", err))
		}
		where := m.marks.naming(in)
		for i, p := range found {
			found[i].Where = where(p.Offset)
		}
		return found
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

// longestQuery bounds what is looked for, in bytes; more is a text that was given in the wrong place.
const longestQuery = 10_000

// checkQuery refuses a text in the place of what is looked for: too long, or the context itself.
func checkQuery(site *repl.Site, query, what string) error {
	context, _ := contextOf(site)
	isContext := len(query) > 1 && len(query) == len(context) && unsafe.StringData(query) == unsafe.StringData(context)
	if len(query) > longestQuery || isContext {
		return fmt.Errorf("the %s has %d bytes; it comes first, and the text to look in after it", what, len(query))
	}
	return nil
}

// textOptions reads the options of a text tool: a number, and a text or document to look in instead of context.
func textOptions(site *repl.Site, options []any, standard int) (n int, in string, err error) {
	n = standard
	given := false
	for _, o := range options {
		switch o := o.(type) {
		case int:
			n = o
		case string:
			in, given = o, true
		case repl.Doc:
			in, given = o.Text, true
		case repl.Part:
			in, given = o.Text, true
		default:
			return 0, "", fmt.Errorf("the options are a number and a text to look in, not a value of type %T", o)
		}
	}
	if given {
		return n, in, nil
	}
	in, ok := contextOf(site)
	if !ok {
		return 0, "", errors.New("the variable context is no text here; give the text to look in as an option")
	}
	return n, in, nil
}

// contextOf is the text of the session.
func contextOf(site *repl.Site) (string, bool) {
	value, _, _ := site.Lookup("context")
	text, ok := value.(string)
	return text, ok
}

// searchIndex keeps the index of the text that was searched last, which is nearly always the context.
type searchIndex struct {
	mu    sync.Mutex
	text  string
	index *text.Index
}

// of returns the index of a text. It is built once for as long as the same text is searched; the same means the same memory.
func (s *searchIndex) of(in string) *text.Index {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.index == nil || len(s.text) != len(in) || unsafe.StringData(s.text) != unsafe.StringData(in) {
		s.text, s.index = in, text.NewIndex(in)
	}
	return s.index
}
