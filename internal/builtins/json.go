package builtins

import (
	"errors"
	"fmt"
	"go/types"
	"reflect"
	"strings"

	"github.com/gorlm/rlm/internal/builtins/internal/typed"
	"github.com/gorlm/rlm/internal/kit/celltype"
	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/repl"
)

func (m *factory) queryJSON(name string) any {
	return func(site *repl.Site, prompt string, v any, opts ...Option) {
		target, err := newTarget(site, v)
		if err != nil {
			panic(failed(name, "%w", err))
		}
		q := m.quotes([]string{prompt}, opts)
		decode := func(reply string, quote typed.Quote) error {
			return typed.Decode(reply, target.typ, target.value, quote)
		}
		reply := string(m.one(site, name, m.jsonCall(name, prompt, target.schema, opts)))
		if problem := decode(reply, q.check(0)); problem != nil {
			reply = string(m.one(site, name, m.jsonCall(name, repair(prompt, reply, problem), target.schema, opts)))
			if problem := decode(reply, q.check(0)); problem != nil {
				panic(failed(name, "%w", &replyError{"the reply does not fit " + target.shown() +
					", also after it was asked for again", problem, reply}))
			}
		}
		if q.place() {
			_ = decode(reply, q.placed(0)) // cannot fail: the reply fit before
		}
	}
}

func (m *factory) queryJSONBatched(name string) any {
	return func(site *repl.Site, prompts []string, slice any, opts ...Option) []error {
		target, err := newTarget(site, slice)
		if err != nil {
			panic(failed(name, "%w", err))
		}
		list, ok := types.Unalias(target.typ).Underlying().(*types.Slice)
		if !ok || target.value.Kind() != reflect.Slice {
			panic(failed(name, "the second argument has to point to a slice, such as &results with var results []Result; it is a %s", target.shown()))
		}
		schema, err := typed.SchemaOf(list.Elem())
		if err != nil {
			panic(failed(name, "%w", err))
		}
		values := reflect.MakeSlice(target.value.Type(), len(prompts), len(prompts))
		q := m.quotes(prompts, opts)
		replies := make([]string, len(prompts))
		errs := m.fillAll(site, name, prompts, schema, opts, func(i int, reply string) error {
			replies[i] = reply
			return typed.Decode(reply, list.Elem(), values.Index(i), q.check(i))
		})
		if q.place() {
			for i, reply := range replies {
				if errs[i] == nil {
					_ = typed.Decode(reply, list.Elem(), values.Index(i), q.placed(i)) // each reply fit before
				}
			}
		}
		target.value.Set(values)
		noteFailures(site, name, errs)
		noteLeftOut(site, name, prompts, values, errs)
		return errs
	}
}

// fillAll asks all prompts concurrently and then, once, repeats those whose replies did not fit.
func (m *factory) fillAll(
	site *repl.Site, name string, prompts []string, schema typed.Schema, opts []Option,
	decode func(int, string) error,
) []error {
	replies, errs := m.many(site, len(prompts), func(i int) Call {
		return m.jsonCall(name, prompts[i], schema, opts)
	})
	var again []int
	var problems []error
	for i := range prompts {
		if errs[i] != nil {
			errs[i] = errors.New(reason(errs[i]))
			continue
		}
		if problem := decode(i, string(replies[i])); problem != nil {
			again, problems = append(again, i), append(problems, problem)
		}
	}
	if len(again) == 0 {
		return errs
	}
	repaired, repairErrs := m.all(site, len(again), func(j int) Call {
		i := again[j]
		return m.jsonCall(name, repair(prompts[i], string(replies[i]), problems[j]), schema, opts)
	})
	for j, i := range again {
		if repairErrs[j] != nil {
			errs[i] = fmt.Errorf("the reply does not fit (%w) and could not be asked for again: %s", problems[j],
				reason(repairErrs[j]))
			continue
		}
		if problem := decode(i, string(repaired[j])); problem != nil {
			errs[i] = &replyError{
				"the reply does not fit, also after it was asked for again", problem,
				string(repaired[j]),
			}
		}
	}
	return errs
}

// replyError is the error of an unusable reply. It quotes the reply, so that a cell can look at it.
type replyError struct {
	what    string
	problem error
	reply   string
}

func (e *replyError) Error() string {
	return e.reason() + "; the reply was: " + text.Line(e.reply, 400)
}

func (e *replyError) Unwrap() error { return e.problem }

// reason is the error without the reply.
func (e *replyError) reason() string { return e.what + ": " + e.problem.Error() }

const asksJSON = "\n\nAnswer with one JSON value and nothing else. It has to follow this JSON schema:\n"

// OwnPrompt returns the part of a prompt that its cell wrote.
func OwnPrompt(prompt string) string {
	own, _, _ := strings.Cut(prompt, asksJSON)
	return own
}

// jsonCall returns a sub-call whose reply must follow schema. The prompt contains the schema as well, because not
// every endpoint enforces one.
func (m *factory) jsonCall(name, prompt string, schema typed.Schema, opts []Option) Call {
	prompt += asksJSON + string(schema.JSON)
	return m.llmCall(name, prompt, opts, &Format{Name: schema.Name, Schema: schema.JSON})
}

// repair returns a prompt that asks again, with the problem.
func repair(prompt, reply string, problem error) string {
	const shown = 4000
	if len(reply) > shown {
		reply = strings.ToValidUTF8(reply[:shown], "") + "…"
	}
	return fmt.Sprintf("%s\n\nAn earlier reply to this was:\n%s\n\nIt cannot be used: %v. Answer again, corrected.",
		prompt, reply, problem)
}

// target is the variable that a reply fills.
type target struct {
	typ    types.Type
	value  reflect.Value
	schema typed.Schema
}

func newTarget(site *repl.Site, v any) (target, error) {
	t := typeOf(site, 1)
	if t == nil {
		return target{}, errors.New("the type of the variable is not known here")
	}
	pointer, ok := types.Unalias(t).Underlying().(*types.Pointer)
	pointee := reflect.ValueOf(v)
	if !ok || pointee.Kind() != reflect.Pointer {
		return target{}, fmt.Errorf(
			"the second argument has to be a pointer to the variable to fill (&v); it is a %s", celltype.TypeName(t))
	}
	if pointee.IsNil() {
		return target{}, errors.New("the second argument is a nil pointer; give the address of a variable (&v)")
	}
	schema, err := typed.SchemaOf(pointer.Elem())
	if err != nil {
		return target{}, err
	}
	return target{pointer.Elem(), pointee.Elem(), schema}, nil
}

func (t target) shown() string { return celltype.TypeName(t.typ) }
