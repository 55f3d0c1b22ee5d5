package runner_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/runner"
)

// place is a tool's result: optional fields are pointers.
type place struct {
	Line   *int
	Open   *bool
	State  string
	Next   *place
	Others []*place
	ByName map[string]*int
}

// Values of tools print their content, in both engines.
func TestValuesOfToolsPrintAsWhatTheyHold(t *testing.T) {
	t.Parallel()
	line, open := 42, true
	tool := runner.WithTool("where", "a place", func() place {
		return place{
			&line, &open, "open", &place{Line: &line},
			[]*place{{State: "x"}},
			map[string]*int{"b": &line, "a": nil},
		}
	})
	const cell = `r := where()
fmt.Println(r, r.Line)
fmt.Printf("%v %+v %d\n", r.Next, r.Next, *r.Line)
s := fmt.Sprint(r.Others)
fmt.Println(s, r.ByName["b"])
fmt.Printf("%d %s %t\n", r.Line, r.Next.State, *r.Open)
fmt.Println(fmt.Errorf("at %v", r.Others[0]))`
	for _, engine := range []repl.Engine{repl.Yaegi, repl.Exact} {
		s, err := newRunner(t, root(nil, nil), tool, runner.WithEngine(engine)).NewSession(timeout(t))
		require.NoError(t, err)
		res, err := s.Exec(timeout(t), cell)
		require.NoError(t, err)
		require.Nil(t, res.Error, "%s: %v", engine, res.Error)
		require.Equal(t, "{42 true open &{42 <nil>  <nil> [] map[]} [&{<nil> <nil> x <nil> [] map[]}] map[a:<nil> b:42]} 42\n"+
			"&{42 <nil>  <nil> [] map[]} &{Line:42 Open:<nil> State: Next:<nil> Others:[] ByName:map[]} 42\n"+
			"[&{<nil> <nil> x <nil> [] map[]}] 42\n"+
			"42  true\nat &{<nil> <nil> x <nil> [] map[]}\n", res.Output, engine)
		require.NoError(t, s.Close())
	}
}
