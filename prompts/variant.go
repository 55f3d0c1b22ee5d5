package prompts

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"text/template"

	"github.com/gorlm/rlm/internal/kit/text/decoding"
)

// Variant holds templates that replace shipped ones, by file name ("system.tmpl"). The zero value is the shipped
// prompt. Variants are plain data, so a run's log contains its templates, and a resumed run uses the same ones.
type Variant map[string]string

// Names of the prompts that come with the program: the usual one, and the one for small windows and models.
const (
	Shipped = "shipped"
	Short   = "short"
)

const (
	extension = ".tmpl"
	largest   = 1 << 20 // bytes of a template
)

// Variants lists the names of the built-in variants, the default prompt first.
func Variants() ([]string, error) {
	entries, err := files.ReadDir("templates/variants")
	if err != nil {
		return nil, fmt.Errorf("listing the variants of the prompt: %w", err)
	}
	names := []string{Shipped}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, nil
}

// Named returns a variant that comes with the program, never a nil one. The error for an unknown name lists the
// known ones.
func Named(name string) (Variant, error) {
	names, err := Variants()
	if err != nil {
		return nil, err
	}
	if name == Shipped {
		return Variant{}, nil
	}
	if !slices.Contains(names, name) {
		return nil, fmt.Errorf("there is no prompt %q: use %s, or a folder of templates", name,
			strings.Join(names, ", "))
	}
	folder, err := fs.Sub(files, path.Join("templates/variants", name))
	if err != nil {
		return nil, fmt.Errorf("opening the prompt %q: %w", name, err)
	}
	return Read(folder)
}

// Read reads the templates in a folder. Missing ones are as shipped; files without the templates' extension are
// ignored, and a template with an unknown name is an error. All templates are tried on every kind of conversation,
// so that mistakes show here and not in a run.
func Read(folder fs.FS) (Variant, error) {
	entries, err := fs.ReadDir(folder, ".")
	if err != nil {
		return nil, fmt.Errorf("reading templates: %w", err)
	}
	v := Variant{}
	for _, e := range entries {
		if e.IsDir() || path.Ext(e.Name()) != extension {
			continue
		}
		info, err := e.Info()
		if err != nil {
			return nil, fmt.Errorf("reading templates: %w", err)
		}
		if info.Size() > largest {
			return nil, fmt.Errorf("template %s has %d bytes: at most %d are read", e.Name(), info.Size(), largest)
		}
		text, err := fs.ReadFile(folder, e.Name())
		if err != nil {
			return nil, fmt.Errorf("reading templates: %w", err)
		}
		if v[e.Name()], err = decoding.Text(bytes.NewReader(text)); err != nil {
			return nil, fmt.Errorf("template %s: %w", e.Name(), err)
		}
	}
	if len(v) == 0 {
		return nil, errors.New("there is no template in it, such as system.tmpl ('rlm prompt --write DIR' writes the shipped ones)")
	}
	return v, v.Check()
}

// Check returns an error for unknown names, text that is not a template, and unknown fields.
func (v Variant) Check() error {
	shipped, err := Variant(nil).Files()
	if err != nil {
		return err
	}
	for name := range v {
		if _, ok := shipped[name]; !ok {
			return fmt.Errorf("there is no template %q: use %s", name,
				strings.Join(slices.Sorted(maps.Keys(shipped)), ", "))
		}
	}
	return v.try()
}

// Files returns all templates: the variant's, and the shipped ones that it does not replace.
func (v Variant) Files() (map[string]string, error) {
	entries, err := fs.Glob(files, "templates/*"+extension)
	if err != nil {
		return nil, fmt.Errorf("listing the templates: %w", err)
	}
	out := map[string]string{}
	for _, name := range entries {
		text, err := files.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("reading the shipped templates: %w", err)
		}
		out[path.Base(name)] = string(text)
	}
	maps.Copy(out, v)
	return out, nil
}

// System renders the system prompt.
func (v Variant) System(s Setup) (string, error) {
	text, err := v.render("system", s)
	return squeeze(text), err
}

// Ask renders the message with a question.
func (v Variant) Ask(q Question) (string, error) { return v.render("question", q) }

// LastTurn renders the request to answer now.
func (v Variant) LastTurn(l Limit) (string, error) { return v.render("lastturn", l) }

// Summarise renders the request for a summary.
func (v Variant) Summarise(s Summary) (string, error) { return v.render("summarise", s) }

// Recap renders the message that replaces older ones.
func (v Variant) Recap(c CompactionNotice) (string, error) { return v.render("recap", c) }

// render executes one template.
func (v Variant) render(name string, data any) (string, error) {
	t, err := v.parsed()
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	if err := t.ExecuteTemplate(&b, name+extension, data); err != nil {
		return "", fmt.Errorf("rendering the prompt %q: %w", name, err)
	}
	return strings.TrimSpace(b.String()) + "\n", nil
}

// parsed returns the shipped templates with those of the variant over them.
func (v Variant) parsed() (*template.Template, error) {
	t, err := shipped()
	if err != nil {
		return nil, fmt.Errorf("parsing the prompt templates: %w", err)
	}
	if len(v) == 0 {
		return t, nil
	}
	if t, err = t.Clone(); err != nil {
		return nil, fmt.Errorf("parsing the prompt templates: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(v)) {
		if _, err := t.New(name).Parse(v[name]); err != nil {
			return nil, fmt.Errorf("parsing the template %s: %w", name, err)
		}
	}
	return t, nil
}

// try renders every template for every kind of conversation.
func (v Variant) try() error {
	names := Names{
		Query: "q", QueryBatched: "qs", QueryJSON: "qj", Judge: "j", ChildQuery: "c", Final: "f", FinalVar: "fv",
		Finish: "done", Vars: "v", Grep: "g", Chunks: "ch", Cite: "ci",
	}
	all := []Builtin{
		{Name: "f", Doc: "f(x any)\nends the run", Signal: true},
		{Name: "q", Doc: "q(prompt string) string\nasks"},
	}
	full := Setup{
		Names: names, Builtins: all, Outside: true, Packages: []string{"fmt"}, Output: 1000, CellTime: 1e9,
		CellMemory: 1 << 20, QueryChars: 50_000, Concurrency: 4, Additions: "x",
	}
	bare := Setup{Output: 1000}
	task, child, typed, asked := full, full, full, full
	task.Task, child.Child, typed.Answer, asked.Interactive = true, true, "type Answer struct{}", true
	facts := &Facts{
		Bytes: 100, Chars: 90, Lines: 3, Tokens: 25, Total: 60,
		Documents: []Document{{Name: "a", Bytes: 50, Kind: "pdf", Pages: 2, Note: "n"}}, Separator: "s",
		Encodings: []string{"latin1"}, Skipped: []string{"b"}, Head: "h", Tail: "t", Added: true,
		Samples: []Sample{{Name: "a", Of: "o", Head: "h", Tail: "t", Notes: []string{"n"}}},
	}
	single := *facts
	single.Samples = nil
	var errs []error
	add := func(_ string, err error) { errs = append(errs, err) }
	for _, s := range []Setup{full, bare, task, child, typed, asked} {
		add(v.System(s))
		add(v.Ask(Question{Text: "?", Facts: facts, Own: []string{"o"}, Left: RemainingBudget{MaxTurns: 3}, Mode: &s}))
	}
	for _, q := range []Question{
		{Text: "?", Facts: &single},
		{Text: "?", First: true, Facts: &Facts{}},
		{Text: "?", Review: true},
		{Text: "?", More: true},
		{Text: "?"},
	} {
		add(v.Ask(q))
	}
	for _, n := range []Names{names, {}} {
		add(v.LastTurn(Limit{What: "turns", Used: "3", Bound: "3", SubCalls: true, Names: n}))
		add(v.LastTurn(Limit{What: "turns", Used: "3", Bound: "3", Names: n}))
		add(v.LastTurn(Limit{What: "turns", Used: "3", Bound: "3", Unread: true, Names: n}))
		add(v.Summarise(Summary{Words: 100, Names: n}))
		add(v.Recap(CompactionNotice{Messages: 3, Summary: "s", Names: n}))
		add(v.Recap(CompactionNotice{Messages: 3, Mechanical: true, Names: n}))
	}
	for _, err := range errs {
		if err != nil { // one error is enough: the others are often the same
			return err
		}
	}
	return nil
}
