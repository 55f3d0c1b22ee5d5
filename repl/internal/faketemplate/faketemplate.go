// Package template replaces text/template in cells: it provides Go's own templates, without the functions that read
// files. A cell cannot get Go's template, whose methods do read files, from a Template: neither through a method
// nor by passing the Template to a template as data. Nor do templates have access to memory.
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

// Template is Go's template.Template without ParseFiles, ParseGlob, ParseFS and the parse tree.
type Template struct {
	text *text.Template
	set  *set
}

// set is a group of associated templates. It maps each of Go's templates to the Template that cells see.
type set struct {
	mu     sync.Mutex
	seen   map[*text.Template]*Template
	trees  map[*parse.Tree]bool // trees that already have guards
	places []guardPosition      // position of each guard
}

func newSet() *set { return &set{seen: map[*text.Template]*Template{}, trees: map[*parse.Tree]bool{}} }

// FuncMap is text/template's FuncMap.
type FuncMap = text.FuncMap

// ExecError is text/template's ExecError.
type ExecError = text.ExecError

// New makes a template with the given name.
func New(name string) *Template {
	return newSet().see(text.New(name))
}

// Must returns t, and panics if err is not nil.
func Must(t *Template, err error) *Template {
	if err != nil {
		panic(err)
	}
	return t
}

// see returns the Template that cells see for t; nil if t is nil.
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

// ready returns t, initialised if it is a zero Template.
func (t *Template) ready() *Template {
	if t.text == nil {
		t.text, t.set = new(text.Template), newSet()
		t.set.seen[t.text] = t
	}
	return t
}

// Name is like Template.Name of text/template.
func (t *Template) Name() string { return t.ready().text.Name() }

// New is like Template.New of text/template.
func (t *Template) New(name string) *Template { return t.ready().set.see(t.text.New(name)) }

// Clone is like Template.Clone of text/template.
func (t *Template) Clone() (*Template, error) {
	c, err := t.ready().text.Clone()
	cloned := newSet()
	t.set.mu.Lock()
	defer t.set.mu.Unlock()
	cloned.trees, cloned.places = maps.Clone(t.set.trees), slices.Clone(t.set.places)
	return cloned.see(c), err
}

// DefinedTemplates is like Template.DefinedTemplates of text/template, in the order of the names.
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

// Delims is like Template.Delims of text/template.
func (t *Template) Delims(left, right string) *Template {
	t.ready().text.Delims(left, right)
	return t
}

// Execute is like Template.Execute of text/template.
func (t *Template) Execute(w io.Writer, data any) error {
	return t.ready().set.plainly(t.text.Execute(w, data))
}

// ExecuteTemplate is like Template.ExecuteTemplate of text/template.
func (t *Template) ExecuteTemplate(w io.Writer, name string, data any) error {
	return t.ready().set.plainly(t.text.ExecuteTemplate(w, name, data))
}

// Funcs is like Template.Funcs of text/template.
func (t *Template) Funcs(funcs FuncMap) *Template {
	t.ready().text.Funcs(funcs)
	t.set.mu.Lock()
	defer t.set.mu.Unlock()
	t.text.Funcs(t.set.guards(0))
	return t
}

// Lookup is like Template.Lookup of text/template.
func (t *Template) Lookup(name string) *Template { return t.ready().set.see(t.text.Lookup(name)) }

// Option is like Template.Option of text/template.
func (t *Template) Option(options ...string) *Template {
	t.ready().text.Option(options...)
	return t
}

// Parse is like Template.Parse of text/template.
func (t *Template) Parse(source string) (*Template, error) {
	parsed, err := t.ready().text.Parse(source)
	t.set.guarded(t.text)
	return t.set.see(parsed), err
}

// Templates is like Template.Templates of text/template, but sorted by name: Go's order is random, and a cell that
// runs again must get the same.
func (t *Template) Templates() []*Template {
	var out []*Template
	for _, one := range t.ready().text.Templates() {
		out = append(out, t.set.see(one))
	}
	slices.SortFunc(out, func(a, b *Template) int { return strings.Compare(a.Name(), b.Name()) })
	return out
}

// Symbols returns the package's exported names as cells see them.
func Symbols() map[string]reflect.Value {
	return map[string]reflect.Value{
		"New": reflect.ValueOf(New), "Must": reflect.ValueOf(Must), "IsTrue": reflect.ValueOf(text.IsTrue),
		"HTMLEscape": reflect.ValueOf(text.HTMLEscape), "HTMLEscapeString": reflect.ValueOf(text.HTMLEscapeString),
		"HTMLEscaper": reflect.ValueOf(text.HTMLEscaper), "JSEscape": reflect.ValueOf(text.JSEscape),
		"JSEscapeString": reflect.ValueOf(text.JSEscapeString), "JSEscaper": reflect.ValueOf(text.JSEscaper),
		"URLQueryEscaper": reflect.ValueOf(text.URLQueryEscaper),
		"Template":        reflect.ValueOf((*Template)(nil)), "FuncMap": reflect.ValueOf((*FuncMap)(nil)),
		"ExecError": reflect.ValueOf((*ExecError)(nil)),
	}
}
