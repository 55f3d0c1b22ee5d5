package builtins

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"unsafe"

	"github.com/gorlm/rlm/internal/builtins/internal/typed"
	"github.com/gorlm/rlm/internal/kit/search"
	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/repl"
)

func textEntries() []entry {
	return []entry{
		{ImplGrep, key, `{{self}}(pattern string, options ...any) []Hit
Lines that match a regular expression: Hit{Offset, Line int; Text, Match, Around, Where string}; Where says "contract.pdf, page 12". Options: how many lines to add on each side in Around; a text to look in instead of context.
Offset is where the match begins, Line counts in the text that is searched, Where leaves out the folder that all names begin with. (?i) ignores case.`, (*factory).grep},
		{"search", key, `{{self}}(query string, options ...any) []Passage
The paragraphs that fit a query best (BM25): Passage{Offset, Line int; Score float64; Text, Where string}. Options: how many (10); a text.
The text is what is searched instead of context.`, (*factory).bestPassages},
		{"similar", spare, `{{self}}(text string, options ...any) []Match
Places that read almost like the given text, misspelt names for instance: Match{Offset, Line, Distance int; Text, Where string}, the closest first. Options: how many (10); a text to look in instead of context.`, (*factory).similar},
		{ImplChunks, key, `{{self}}(text string, size int, overlap ...int) []string
Pieces of at most size bytes, cut at paragraphs or lines where possible.
Without overlap the pieces joined are the text.`, (*factory).chunks},
		{ImplCite, key, `{{self}}(part any) string
A mark for a slice of context, a Hit, a Passage, a Doc or a Part, to put behind what it supports in the answer.
The user gets the document, the page, the line and the words. A Match has one, too; the mark of a Hit is that of its line, of a long one around the match. A copy is looked for word for word, and panics if it is not there.`, (*factory).cite},
		{"lines", spare, `{{self}}(text string, from, to int) string
Lines from to to of a text, counted from 1, both included.`, option(func(string) any { return search.Lines })},
		{"head", spare, `{{self}}(text string, n ...int) string
The first n lines (10).`, option(edge(search.Head))},
		{"tail", spare, `{{self}}(text string, n ...int) string
The last n lines (10).`, option(edge(search.Tail))},
		{"count_tokens", spare, `{{self}}(text string) int
Estimates how many tokens a model makes of a text.`, option(func(string) any { return text.EstimateTokens })},
		{"parse_json", usual, `{{self}}(text string) any
Reads JSON, also between prose or one value a line; numbers are float64.`, option(parseJSON)},
		{"parse_csv", key, `{{self}}(text string, separator ...string) []map[string]string
Reads a table with a header line, one map a row.
Lines that do not fit the header are left out and named. The separator is found if it is not given.`, (*factory).parseCSV},
		{"table", spare, `{{self}}(rows any, header ...string) string
Aligned columns from a slice of structs, maps or slices, or from a map.`, (*factory).table},
		{implShow, spare, `{{self}}(values ...any) string
Prints values readably, a slice of structs or maps as a table; returns the text where it is used.`, (*factory).show},
		{"bars", spare, `{{self}}(rows any) string
Prints a bar chart of a map of numbers, or of rows with a name and a number.`, (*factory).bars},
		{"plot", spare, `{{self}}(xs any, ys ...any) string
Prints a line chart of lists of numbers over xs, which may be times.`, (*factory).plot},
		{"hist", spare, `{{self}}(values any, bins ...int) string
Prints a histogram of numbers.`, (*factory).hist},
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

func (m *factory) parseCSV(name string) any {
	return func(site *repl.Site, in string, separator ...string) []map[string]string {
		given := ""
		if len(separator) > 0 {
			given = separator[0]
		}
		rows, bad, err := search.ParseCSV(in, given)
		if err != nil {
			panic(failed(name, "%w", err))
		}
		if len(bad) > 0 {
			site.Note(fmt.Sprintf("%s: %s read, %s", name, units.Of(len(rows), "row"), leftOut(bad)))
		}
		return rows
	}
}

// leftOut describes the first lines that are missing from a table.
func leftOut(bad []search.BadLine) string {
	const most = 5
	var b strings.Builder
	b.WriteString(units.Of(len(bad), "line") + " left out: ")
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

func (m *factory) grep(name string) any {
	find := func(site *repl.Site, in, pattern string, around int) ([]search.Hit, error) {
		form := m.forms.of(in)
		hits, otherwise, err := form.Grep(in, pattern, around)
		switch {
		case otherwise:
			site.Note(fmt.Sprintf("%s: the text has %s; some hits are spelled that way, where == and strings.Contains "+
				"miss what you typed", name, form))
		case err == nil && len(hits) == 0 && form.Hides(pattern):
			site.Note(fmt.Sprintf("%s: the text has %s, which can hide matches of a pattern; search finds words in "+
				"every form", name, form))
		}
		return hits, err
	}
	return searching(m, name, "pattern", 0, find, func(h *search.Hit) (int, *string) { return h.Offset, &h.Where })
}

func (m *factory) bestPassages(name string) any {
	find := func(_ *repl.Site, in, query string, k int) ([]search.Passage, error) {
		return m.search.of(in).Search(query, k), nil
	}
	return searching(m, name, "query", 10, find, func(p *search.Passage) (int, *string) { return p.Offset, &p.Where })
}

func (m *factory) similar(name string) any {
	find := func(_ *repl.Site, in, wanted string, k int) ([]search.Match, error) {
		return search.Similar(in, wanted, k)
	}
	return searching(m, name, "text to find", 10, find, func(p *search.Match) (int, *string) {
		return p.Offset, &p.Where
	})
}

// searching makes a builtin that finds places in a text. n is the default number of results; at returns a place's
// offset and a pointer to its name.
func searching[T any](
	m *factory, name, what string, n int,
	find func(site *repl.Site, in, wanted string, n int) ([]T, error), at func(*T) (int, *string),
) any {
	return func(site *repl.Site, wanted string, options ...any) []T {
		n, in, err := textOptions(site, options, n)
		if err == nil {
			err = checkQuery(site, wanted, what)
		}
		var found []T
		if err == nil {
			found, err = find(site, in, wanted, n)
		}
		if err != nil {
			panic(failed(name, "%w", err))
		}
		named := m.marks.naming(in)
		for i := range found {
			offset, where := at(&found[i])
			*where = named(offset)
		}
		return found
	}
}

func (m *factory) chunks(name string) any {
	return func(in string, size int, overlap ...int) []string {
		over := 0
		if len(overlap) > 0 {
			over = overlap[0]
		}
		out, err := search.Chunks(in, size, over)
		if err != nil {
			panic(failed(name, "%w", err))
		}
		return out
	}
}

// longestQuery bounds a query, in bytes; anything longer is a text in the wrong argument.
const longestQuery = 10_000

// checkQuery rejects a text in place of the query: too long, or the context itself.
func checkQuery(site *repl.Site, query, what string) error {
	context, _ := contextOf(site)
	isContext := len(query) > 1 && sameText(query, context)
	if len(query) > longestQuery || isContext {
		return fmt.Errorf("the %s has %d bytes; it comes first, and the text to look in after it", what, len(query))
	}
	return nil
}

// textOptions reads the options of a text tool: a number, and a text or document to search instead of context.
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

// contextOf returns the text of the session.
func contextOf(site *repl.Site) (string, bool) {
	value, _, _ := site.Lookup("context")
	text, ok := value.(string)
	return text, ok
}

// textForm caches the form of the text that was searched last.
type textForm struct {
	mu   sync.Mutex
	text string
	form search.Form
}

func (t *textForm) of(in string) search.Form {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !sameText(t.text, in) {
		t.text, t.form = in, search.FormOf(in)
	}
	return t.form
}

// sameText reports whether two texts share the same memory.
func sameText(a, b string) bool {
	return len(a) == len(b) && unsafe.StringData(a) == unsafe.StringData(b)
}

// searchIndex keeps the index of the text that was searched last, which is nearly always the context.
type searchIndex struct {
	mu       sync.Mutex
	text     string
	indexing *search.IndexBuilder
	index    *search.Index // nil until it is complete
}

// of returns the index of a text. It builds an index only if the text differs from the last one.
func (s *searchIndex) of(in string) *search.Index {
	for {
		if index, _ := s.step(in, len(in)); index != nil {
			return index
		}
	}
}

// step extends the index of a text by some bytes; a text in the same memory is the same text. Until the index is
// complete, step returns how far it has read.
func (s *searchIndex) step(in string, bytes int) (index *search.Index, read int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.indexing == nil || !sameText(s.text, in) {
		s.text, s.indexing, s.index = in, search.NewIndexBuilder(in), nil
	}
	if s.index == nil {
		s.index = s.indexing.Step(bytes)
	}
	return s.index, s.indexing.Read()
}
