package builtins

import (
	"errors"
	"fmt"
	"go/types"
	"reflect"
	"strings"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/internal/builtins/internal/typed"
	"github.com/gorlm/rlm/repl"
)

func (m *factory) final(name string) any {
	return func(site *repl.Site, value any) {
		typ := typeOf(site, 0)
		if content, ok := m.answerContent(site, name, value); ok {
			value, typ = content, anyType
		}
		site.Final(answer.FinalOutput{Type: answer.Direct, Answer: m.given(site, name, value, typ), Signal: name})
	}
}

// typedFinal makes a FINAL whose answers have a form: the types of the form, for cells to use, and a function that
// accepts any value. The host checks whether its JSON has the form.
func (m *factory) typedFinal(s Spec, b repl.Builtin) []repl.Builtin {
	hidden := "_form_of_" + s.Name
	b.Fn = m.final(s.Name)
	return []repl.Builtin{{Name: hidden, Source: s.Types + "\n\nvar " + hidden + " struct{}\n"}, b}
}

func (m *factory) finalVar(name string) any {
	return func(site *repl.Site, variable string) {
		value, typ, ok := site.Lookup(variable)
		if !ok {
			panic(answer.NoVariable(name, variable, site.Names()))
		}
		if content, ok := m.answerContent(site, name, value); ok {
			value, typ = content, anyType
		}
		site.Final(answer.FinalOutput{
			Type: answer.Variable, Answer: m.given(site, name, value, typ), Var: variable, Signal: name,
		})
	}
}

var anyType = types.Universe.Lookup("any").Type()

// given returns the text of a value given as the answer. An empty text is not an answer: the cell fails, and the
// run continues.
func (m *factory) given(site *repl.Site, name string, value any, typ types.Type) string {
	text := m.text(site, name, value, typ)
	switch kindOf(value, typ) {
	case reflect.Func:
		panic(failed(name, "the answer is a function, so the run goes on; call it, and give what it returns"))
	case reflect.Chan:
		panic(failed(name, "the answer is a channel, so the run goes on; receive from it, and give what it brings"))
	}
	switch {
	case value == nil && m.typed: // the form may allow null
	case value == nil || text == "<nil>":
		panic(failed(name, "the answer is nil, so the run goes on; if there really is no answer, say so in words"))
	case strings.TrimSpace(text) == "":
		panic(failed(name, "the answer is empty, so the run goes on; if there really is no answer, say so in words"))
	case strings.Trim(text, "…. \n") == "": // as in the cell that a reminder shows
		panic(failed(name, "the answer is only a placeholder, so the run goes on; put the answer in its place"))
	}
	return text
}

// text returns a value as the text of an answer: as JSON if answers have a form, except for a string, which may be
// JSON already. A string of a named type, such as that of the form, is encoded like other values.
func (m *factory) text(site *repl.Site, name string, value any, typ types.Type) string {
	_, isText := value.(string)
	_, named := typ.(*types.Named)
	if !m.typed || isText && (!named || name != m.signalOf(answer.NameFinal)) {
		return site.Format(value, typ)
	}
	text, whole := site.JSON(value, typ)
	if !whole {
		panic(failed(name, "the answer has too many parts, so the run goes on; answer with the essence, not with the data"))
	}
	if !isText && strings.HasPrefix(text, `"`) { // bytes, a builder and a big number are texts, too
		return site.Format(value, typ)
	}
	return text
}

// signalOf returns the name of the builtin whose implementation is impl.
func (m *factory) signalOf(impl string) string {
	for _, s := range m.specs {
		if s.Impl == impl {
			return s.Name
		}
	}
	return ""
}

// kindOf distinguishes functions and channels from all other values.
func kindOf(value any, typ types.Type) reflect.Kind {
	if typ != nil {
		switch typ.Underlying().(type) {
		case *types.Signature:
			return reflect.Func
		case *types.Chan:
			return reflect.Chan
		}
	}
	return reflect.ValueOf(value).Kind()
}

// answerContent returns the content of the answer map, if value is that map: FINAL(answer) means the answer in it.
// While that is empty, the cell fails.
func (m *factory) answerContent(site *repl.Site, name string, value any) (content any, ok bool) {
	fields, ok := value.(map[string]any)
	if !ok {
		return nil, false
	}
	for _, s := range m.specs {
		if s.Impl != implAnswer {
			continue
		}
		own, typ, found := site.Lookup(s.Name)
		if mine, is := own.(map[string]any); found && is && isAnswer(typ) &&
			reflect.ValueOf(mine).Pointer() == reflect.ValueOf(fields).Pointer() {
			content, ok = fields["content"]
			if content == "" { // as it was at first: the model took its name for a place to fill in
				panic(failed(name, "%s is an empty variable here, so the run goes on; pass the value itself", s.Name))
			}
			return content, ok
		}
	}
	return nil, false
}

func (m *factory) finishResponse(name string) any {
	return func(site *repl.Site, summary ...any) {
		if m.ignored(site, name) {
			return
		}
		said := ""
		switch {
		case len(summary) > 1:
			panic(failed(name, "it takes one summary, not %d", len(summary)))
		case len(summary) == 1 && summary[0] != nil:
			said = strings.TrimSpace(site.Format(summary[0], typeOf(site, 0)))
		}
		site.Print(answer.ResponseOutput(said) + "\n")
		site.Final(answer.FinalOutput{Type: answer.Direct, Answer: said, Signal: name})
	}
}

func (m *factory) finishTask(name string) any {
	return func(site *repl.Site, summary ...any) {
		if m.ignored(site, name) {
			return
		}
		finish, err := m.finish(site, summary)
		if err != nil {
			panic(failed(name, "%w: the task goes on", err))
		}
		site.Print(finish.Output() + "\n")
		site.Final(answer.FinalOutput{
			Type: answer.Direct, Answer: finish.Summary, Signal: name, Status: finish.Status,
		})
	}
}

// finish reads the arguments of a task signal: none, a summary, or a summary and a status.
func (m *factory) finish(site *repl.Site, args []any) (answer.Finish, error) {
	switch len(args) {
	case 0:
		return answer.ParseFinish(nil)
	case 1:
		return parseFinish(site, args[0])
	case 2:
		return answer.ParseFinish(answer.Finish{
			Summary: site.Format(args[0], typeOf(site, 0)),
			Status:  answer.FinishStatus(site.Format(args[1], typeOf(site, 1))),
		})
	}
	return answer.Finish{}, fmt.Errorf("it takes a summary and a status, not %d values", len(args))
}

// parseFinish reads the payload of a task signal. Structs and maps are encoded to JSON by their static type, which
// knows the names of their fields.
func parseFinish(site *repl.Site, payload any) (answer.Finish, error) {
	t := typeOf(site, 0)
	if t == nil {
		return answer.ParseFinish(payload)
	}
	if p, ok := types.Unalias(t).Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	switch types.Unalias(t).Underlying().(type) {
	case *types.Struct, *types.Map:
		raw, err := typed.Encode(reflect.ValueOf(payload), typeOf(site, 0))
		if err != nil {
			return answer.Finish{}, err
		}
		return answer.ParseFinish(string(raw))
	}
	if s, ok := payload.(string); ok {
		return answer.ParseFinish(s)
	}
	return answer.ParseFinish(site.Format(payload, t))
}

// ignored reports whether a signal does not count in this run's mode, and if so adds a note that names the signals
// that do.
func (m *factory) ignored(site *repl.Site, name string) bool {
	if m.spec(name).Signal { // calling it ends the run
		return false
	}
	var others []string
	for _, s := range m.specs {
		if s.Signal {
			others = append(others, s.Name)
		}
	}
	site.Note(fmt.Sprintf("%s does not end this run and was ignored; the signals that do: %s", name,
		strings.Join(others, ", ")))
	return true
}

func (m *factory) showVars(string) any {
	return func(site *repl.Site) string {
		vars := site.Vars()
		if len(vars) == 0 {
			return "There are no variables yet."
		}
		rows := [][]string{{"name", "type", "size", "value", "cell"}}
		for _, v := range vars {
			rows = append(rows, []string{v.Name, v.Type, v.Size, v.Preview, fmt.Sprint(v.Cell)})
		}
		return align(rows)
	}
}

// answerReady returns a function that takes the answer from the variable called name once a cell has marked it
// ready.
func (m *factory) answerReady(name string) func(*repl.Site) error {
	return func(site *repl.Site) error {
		value, typ, ok := site.Lookup(name)
		if !ok || !isAnswer(typ) {
			return nil
		}
		fields, ok := value.(map[string]any)
		if !ok {
			return nil
		}
		ready, err := answer.Ready(fields["ready"])
		if err == nil && !ready {
			return nil
		}
		fields["ready"] = false // the answer was read: a later cell, or the next question, gives its own
		content := fields["content"]
		switch {
		case err != nil:
			return fmt.Errorf(`%s["ready"] was set, but nothing was answered: %w`, name, err)
		case content == nil || content == "":
			return errors.New(name + `["ready"] is true, but ` + name +
				`["content"] is empty: nothing was answered. Set the content first, then ready`)
		}
		site.Final(answer.FinalOutput{
			Type: answer.Variable, Answer: m.text(site, name, content, anyType), Var: name, Signal: name,
		})
		return nil
	}
}

// isAnswer reports whether a variable still has its initial type; with another type it is the user's own variable.
func isAnswer(t types.Type) bool {
	m, ok := t.(*types.Map)
	return ok && types.Identical(m.Key(), types.Typ[types.String]) && types.Identical(m.Elem(), anyType)
}
