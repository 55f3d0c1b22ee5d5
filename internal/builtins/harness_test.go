package builtins_test

import (
	"context"
	"errors"
	"fmt"
	"go/types"
	"reflect"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/internal/builtins"
	"github.com/gorlm/rlm/internal/cellerror"
	"github.com/gorlm/rlm/internal/kit/bundle"
	"github.com/gorlm/rlm/repl"
)

// host answers calls with a function and records them.
type host struct {
	mu     sync.Mutex
	calls  []builtins.Call
	answer func(c builtins.Call) (string, error)
}

func (h *host) Call(ctx context.Context, c builtins.Call) ([]byte, error) {
	h.mu.Lock()
	h.calls = append(h.calls, c)
	h.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	reply, err := h.answer(c)
	return []byte(reply), err
}

// cell is what a builtin can see and do in the cell that calls it. Its Final and Unwind panic, which run recovers.
type cell struct {
	site    repl.Site
	vars    map[string]any
	final   *answer.FinalOutput
	unwound cellerror.Kind
	why     string
	notes   []string
	printed string
	items   []bundle.Item
}

type unwinding struct{}

func newCell(vars map[string]any) *cell {
	c := &cell{vars: vars}
	c.site = repl.Site{
		Context: context.Background(),
		Lookup: func(name string) (any, types.Type, bool) {
			v, ok := c.vars[name]
			return v, goType(v), ok
		},
		Names: func() (names []string) {
			for name := range c.vars {
				names = append(names, name)
			}
			return names
		},
		Vars:    func() []repl.Var { return []repl.Var{{Name: "n", Type: "int", Preview: "42", Cell: 1}} },
		Print:   func(text string) { c.printed += text },
		Display: func(i bundle.Item) { c.items = append(c.items, i) },
		Format:  func(v any, _ types.Type) string { return answer.Format(v) },
		Final:   func(out answer.FinalOutput) { c.final = &out; panic(unwinding{}) },
		Unwind:  func(kind cellerror.Kind, why string) { c.unwound, c.why = kind, why; panic(unwinding{}) },
		Note:    func(text string) { c.notes = append(c.notes, text) },
	}
	return c
}

// goType returns the static type of the few kinds of values that these tests look up.
func goType(v any) types.Type {
	anyType := types.Universe.Lookup("any").Type()
	switch v.(type) {
	case string:
		return types.Typ[types.String]
	case int:
		return types.Typ[types.Int]
	case map[string]any:
		return types.NewMap(types.Typ[types.String], anyType)
	}
	return anyType
}

// run calls a builtin as a cell would. It returns the results and the error that the cell would recover.
func (c *cell) run(
	t *testing.T, made []repl.Builtin, name string, static []types.Type, args ...any,
) (results []any, err error) {
	t.Helper()
	fn := reflect.ValueOf(find(t, made, name).Fn)
	c.site.Types = static
	in := []reflect.Value{}
	if fn.Type().NumIn() > 0 && fn.Type().In(0) == reflect.TypeFor[*repl.Site]() {
		in = append(in, reflect.ValueOf(&c.site))
	}
	for _, a := range args {
		in = append(in, reflect.ValueOf(a))
	}
	defer func() {
		switch r := recover().(type) {
		case nil, unwinding:
		case error:
			err = r
		default:
			err = fmt.Errorf("panicked with %v, which is no error", r)
		}
	}()
	for _, r := range fn.Call(in) {
		results = append(results, r.Interface())
	}
	return results, nil
}

func find(t *testing.T, made []repl.Builtin, name string) repl.Builtin {
	t.Helper()
	for _, b := range made {
		if b.Name == name {
			return b
		}
	}
	require.Fail(t, "no builtin "+name)
	return repl.Builtin{}
}

func standard(t *testing.T, mode answer.Mode, h builtins.Host) []repl.Builtin {
	t.Helper()
	made, err := builtins.Make(builtins.Standard(mode), h, builtins.NewMarks())
	require.NoError(t, err)
	return made
}

func says(reply string) *host {
	return &host{answer: func(builtins.Call) (string, error) { return reply, nil }}
}

var errRate = errors.New("the model is rate limited")
