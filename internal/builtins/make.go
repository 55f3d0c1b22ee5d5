package builtins

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"sync/atomic"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/repl"
)

// factory holds what the builtins of one notebook share.
type factory struct {
	host    Host
	specs   []Spec
	book    docRenderer
	typed   bool // answers are given as JSON
	batches atomic.Int64
	search  searchIndex
	forms   textForm
	marks   *Marks
}

// Make builds the builtins of specs for one notebook; host answers their calls, and marks records the passages
// that cells cite. It returns an error for bad specs: a name that is not a Go identifier or occurs twice, an
// unknown implementation, a tool whose types are not Go.
func Make(specs []Spec, host Host, marks *Marks) ([]repl.Builtin, error) {
	m := &factory{host: host, specs: specs, book: bookOf(specs, known()), marks: marks}
	m.typed = slices.ContainsFunc(specs, func(s Spec) bool { return s.Impl == answer.NameFinal && s.Types != "" })
	seen := map[string]bool{}
	var out []repl.Builtin
	for _, s := range specs {
		if !token.IsIdentifier(s.Name) || seen[s.Name] {
			return nil, fmt.Errorf("builtin %q: the name has to be a Go identifier of its own", s.Name)
		}
		seen[s.Name] = true
		made, err := m.build(s)
		if err != nil {
			return nil, fmt.Errorf("builtin %s: %w", s.Name, err)
		}
		out = append(out, made...)
	}
	return out, nil
}

func (m *factory) build(s Spec) ([]repl.Builtin, error) {
	b := repl.Builtin{Name: s.Name, Doc: m.book.document(s), Signal: s.Signal, ByName: s.Impl == answer.NameFinalVar}
	switch e, ok := m.book.entries[s.Impl]; {
	case s.Impl == ImplTool:
		return m.tool(s, b)
	case s.Impl == answer.NameFinal && s.Types != "":
		return m.typedFinal(s, b), nil
	case s.Impl == implAnswer:
		b.Source = fmt.Sprintf("var %s = map[string]any{\"content\": \"\", \"ready\": false}\n", s.Name)
		b.After = m.answerReady(s.Name)
	case ok:
		b.Fn = e.make(m, s.Name)
		b.Prints = slices.Contains([]string{implShow, "bars", "plot", "hist"}, s.Impl)
		if s.Impl == implShow {
			b.Shows = showsRows
		}
	default:
		return nil, fmt.Errorf("there is no implementation %q", s.Impl)
	}
	return []repl.Builtin{b}, nil
}

// spec returns the spec of the builtin with a name; zero if there is none.
func (m *factory) spec(name string) Spec {
	for _, s := range m.specs {
		if s.Name == name {
			return s
		}
	}
	return Spec{}
}

// typeOf returns the static type of the i-th argument; nil if it is unknown, as for a slice that was spread
// (values...).
func typeOf(site *repl.Site, i int) types.Type {
	if i < len(site.Types) {
		return site.Types[i]
	}
	return nil
}
