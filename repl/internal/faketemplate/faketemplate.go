// Package template is what cells get when they import text/template: Go's own templates, without what
// reads files. A template does not lead to Go's, whose methods do: not by a method, and not from within a
// template that it is given to. Nor does it lead to what reaches memory.
package template

import (
	"io"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/template/parse"

	text "github.com/gorlm/rlm/repl/internal/gotemplate"
)

// Template is Go's template.Template without ParseFiles, ParseGlob, ParseFS, and without the tree of what was parsed.
type Template struct {
	text *text.Template
	set  *set
}

// set are the templates that belong together: each of Go's has one that cells see.
type set struct {
	mu     sync.Mutex
	seen   map[*text.Template]*Template
	trees  map[*parse.Tree]bool // that have guards
	places []guardPosition      // where guards stand
}

func newSet() *set { return &set{seen: map[*text.Template]*Template{}, trees: map[*parse.Tree]bool{}} }

// FuncMap is Go's.
type FuncMap = text.FuncMap

// ExecError is Go's.
type ExecError = text.ExecError

// New makes a template with a name.
func New(name string) *Template {
	return newSet().see(text.New(name))
}

// Must panics if there is an error.
func Must(t *Template, err error) *Template {
	if err != nil {
		panic(err)
	}
	return t
}

// see is what cells see of a template; nil for none.
func (s *set) see(t *text.Template) *Template {
	if t == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen[t] == nil {
		s.seen[t] = &Template{t, s}
	}
	return s.seen[t]
}

// ready is t, which may be a variable that nobody has made.
func (t *Template) ready() *Template {
	if t.text == nil {
		t.text, t.set = new(text.Template), newSet()
		t.set.seen[t.text] = t
	}
	return t
}

// Name is template.Template's.
func (t *Template) Name() string { return t.ready().text.Name() }

// New is template.Template's.
func (t *Template) New(name string) *Template { return t.ready().set.see(t.text.New(name)) }

// Clone is template.Template's.
func (t *Template) Clone() (*Template, error) {
	c, err := t.ready().text.Clone()
	cloned := newSet()
	t.set.mu.Lock()
	defer t.set.mu.Unlock()
	cloned.trees, cloned.places = maps.Clone(t.set.trees), slices.Clone(t.set.places)
	return cloned.see(c), err
}

// DefinedTemplates is template.Template's, in the order of the names.
func (t *Template) DefinedTemplates() string {
	var names []string
	for _, one := range t.Templates() {
		if one.text.Tree != nil && one.text.Root != nil {
			names = append(names, strconv.Quote(one.Name()))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "; defined templates are: " + strings.Join(names, ", ")
}

// Delims is template.Template's.
func (t *Template) Delims(left, right string) *Template {
	t.ready().text.Delims(left, right)
	return t
}

// Execute is template.Template's.
func (t *Template) Execute(w io.Writer, data any) error {
	return t.ready().set.plainly(t.text.Execute(w, data))
}

// ExecuteTemplate is template.Template's.
func (t *Template) ExecuteTemplate(w io.Writer, name string, data any) error {
	return t.ready().set.plainly(t.text.ExecuteTemplate(w, name, data))
}

// Funcs is template.Template's.
func (t *Template) Funcs(funcs FuncMap) *Template {
	t.ready().text.Funcs(funcs)
	t.set.mu.Lock()
	defer t.set.mu.Unlock()
	t.text.Funcs(t.set.guards(0))
	return t
}

// Lookup is template.Template's.
func (t *Template) Lookup(name string) *Template { return t.ready().set.see(t.text.Lookup(name)) }

// Option is template.Template's.
func (t *Template) Option(options ...string) *Template {
	t.ready().text.Option(options...)
	return t
}

// Parse is template.Template's.
func (t *Template) Parse(source string) (*Template, error) {
	parsed, err := t.ready().text.Parse(source)
	t.set.guarded(t.text)
	return t.set.see(parsed), err
}

// Templates is template.Template's, in the order of the names: Go's is another one each time, and cells run again.
func (t *Template) Templates() []*Template {
	var out []*Template
	for _, one := range t.ready().text.Templates() {
		out = append(out, t.set.see(one))
	}
	slices.SortFunc(out, func(a, b *Template) int { return strings.Compare(a.Name(), b.Name()) })
	return out
}

// Symbols is the package as cells see it.
func Symbols() map[string]reflect.Value {
	return map[string]reflect.Value{
		"New": reflect.ValueOf(New), "Must": reflect.ValueOf(Must), "IsTrue": reflect.ValueOf(text.IsTrue),
		"HTMLEscape": reflect.ValueOf(text.HTMLEscape), "HTMLEscapeString": reflect.ValueOf(text.HTMLEscapeString),
		"HTMLEscaper": reflect.ValueOf(text.HTMLEscaper), "JSEscape": reflect.ValueOf(text.JSEscape),
		"JSEscapeString": reflect.ValueOf(text.JSEscapeString), "JSEscaper": reflect.ValueOf(text.JSEscaper),
		"URLQueryEscaper": reflect.ValueOf(text.URLQueryEscaper),
		"Template":        reflect.ValueOf((*Template)(nil)), "FuncMap": reflect.ValueOf((*FuncMap)(nil)), "ExecError": reflect.ValueOf((*ExecError)(nil)),
	}
}
