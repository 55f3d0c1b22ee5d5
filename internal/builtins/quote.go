package builtins

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/gorlm/rlm/internal/builtins/internal/typed"
	"github.com/gorlm/rlm/internal/kit/search"
	"github.com/gorlm/rlm/internal/kit/text"
)

// quotes are the verbatim quotes in the replies to some prompts: the fields tagged cite:"true". Each is checked
// when its reply arrives, and replaced by a slice of the context when all replies are there, so that the context
// is searched once.
type quotes struct {
	marks   *Marks
	prompts []string
	parts   [][]string // for each prompt, the parts that it was made from
	wanted  []quoteRequest
	known   map[quoteRequest]int
	found   []string // for each element of wanted, the slice of context, or the text itself
}

// quoteRequest is a quote in the reply to a prompt.
type quoteRequest struct {
	prompt int
	text   string
}

// quotes prepares the quotes for the prompts of one call. If a Source option has as many parts as there are
// prompts, each part belongs to one prompt; otherwise every part belongs to every prompt.
func (m *factory) quotes(prompts []string, opts []Option) *quotes {
	q := &quotes{marks: m.marks, prompts: prompts, parts: make([][]string, len(prompts)), known: map[quoteRequest]int{}}
	for _, o := range opts {
		for i := range prompts {
			if len(o.parts) == len(prompts) {
				q.parts[i] = append(q.parts[i], o.parts[i])
			} else {
				q.parts[i] = append(q.parts[i], o.parts...)
			}
		}
	}
	return q
}

// check rejects quotes that are not in the prompt.
func (q *quotes) check(prompt int) typed.Quote {
	return func(_, quote string) (string, error) {
		w := quoteRequest{prompt, quote}
		if _, seen := q.known[w]; seen || strings.TrimSpace(quote) == "" {
			return quote, nil
		}
		if locate(q.prompts[prompt], []string{quote})[0].Count == 0 {
			return "", fmt.Errorf("%q is not in the text that was given, so it is no verbatim quote; copy the words exactly as they stand there", text.Line(quote, 300))
		}
		q.known[w] = len(q.wanted)
		q.wanted = append(q.wanted, w)
		return quote, nil
	}
}

// place finds the quotes in the context. It returns false if there are none.
func (q *quotes) place() bool {
	q.found = make([]string, len(q.wanted))
	var copies []string
	var of []int
	for i, w := range q.wanted {
		q.found[i] = w.text
		if part, ok := q.inParts(w); ok {
			q.found[i] = part
			continue
		}
		copies, of = append(copies, w.text), append(of, i)
	}
	for i, text := range q.marks.place(copies) {
		q.found[of[i]] = text
	}
	return len(q.wanted) > 0
}

// inParts looks for a quote in the slices of context from which its prompt was made.
func (q *quotes) inParts(w quoteRequest) (string, bool) {
	for _, part := range q.parts[w.prompt] {
		if _, ok := q.marks.slice(part); !ok {
			continue
		}
		if at := locate(part, []string{w.text})[0]; at.Count > 0 {
			return part[at.Offset : at.Offset+at.Length], true
		}
	}
	return "", false
}

// placed replaces quotes by slices of the context.
func (q *quotes) placed(prompt int) typed.Quote {
	return func(_, text string) (string, error) {
		if i, ok := q.known[quoteRequest{prompt, text}]; ok {
			return q.found[i], nil
		}
		return text, nil
	}
}

// place replaces copies by slices of the context, as far as it finds them. If there are several places it takes
// the first, and remembers their number.
func (m *Marks) place(copies []string) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.views) == 0 || len(copies) == 0 {
		return copies
	}
	now := m.views[len(m.views)-1]
	places := []search.Quotation{}
	if now.text != "" {
		places = locate(now.text, copies)
	}
	for i, p := range places {
		if p.Count == 0 {
			continue
		}
		copies[i] = now.text[p.Offset : p.Offset+p.Length]
		if p.Count > 1 {
			m.ambiguous[sliceAt{now.version, int(p.Offset), int(p.Length)}] = p.Count
		}
	}
	return copies
}

// sliceAt is a slice of a context.
type sliceAt struct{ version, offset, length int }

func source(name string) any {
	return func(part ...any) Option {
		var parts []string
		for _, p := range part {
			for _, one := range spread(p) {
				passage, err := passageOf(one)
				if err != nil {
					panic(failed(name, "%w", err))
				}
				parts = append(parts, passage)
			}
		}
		return Option{text: fmt.Sprintf("%s(…)", name), parts: parts}
	}
}

// spread returns the elements of a list, or the value itself if it is not a list.
func spread(part any) []any {
	list := reflect.ValueOf(part)
	if list.Kind() != reflect.Slice {
		return []any{part}
	}
	out := make([]any, list.Len())
	for i := range out {
		out[i] = list.Index(i).Interface()
	}
	return out
}
