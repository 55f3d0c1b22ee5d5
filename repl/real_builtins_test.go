package repl_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/internal/builtins"
	"github.com/gorlm/rlm/repl"
)

// jsonHost answers every call with the text after "reply:" in the prompt.
type jsonHost struct{}

func (jsonHost) Call(_ context.Context, c builtins.Call) ([]byte, error) {
	_, reply, _ := strings.Cut(string(c.Body), "reply:")
	reply, _, _ = strings.Cut(reply, "\n") // the following lines describe the format
	return []byte(reply), nil
}

// Called from cells, the real builtins receive values and types of cells.
func TestRealBuiltins(t *testing.T) {
	for _, engine := range repl.Available() {
		t.Run(string(engine), func(t *testing.T) { realBuiltins(t, engine) })
	}
}

func realBuiltins(t *testing.T, engine repl.Engine) {
	made, err := builtins.Make(builtins.Standard(answer.Response), jsonHost{}, builtins.NewMarks())
	require.NoError(t, err)
	var out bytes.Buffer
	nb, err := repl.New(repl.Config{
		Engine: engine, Context: "alpha one\nbeta two\nalpha three\n", Builtins: made, Stdout: &out,
	})
	require.NoError(t, err)
	cell := 0
	run := func(source string) (repl.Result, string) {
		cell++
		out.Reset()
		res := nb.Run(context.Background(), source, repl.RunOptions{Cell: cell})
		require.Nil(t, res.Error, "%s\n%v", source, res.Error)
		return res, out.String()
	}
	_, printed := run(`type person struct {
	Name string
	Age  int
	Tags []string
}
var ps []person
llm_query_json("reply:[{\"Name\":\"a\",\"Age\":3,\"Tags\":[\"x\"]},{\"Name\":\"b\",\"Age\":4,\"Tags\":[]}]", &ps)
fmt.Printf("%+v\n", ps)`)
	require.Equal(t, "[{Name:a Age:3 Tags:[x]} {Name:b Age:4 Tags:[]}]\n", printed)
	_, printed = run("for _, h := range grep(\"alpha\") {\n\tfmt.Println(h.Line, h.Text)\n}")
	require.Equal(t, "1 alpha one\n3 alpha three\n", printed)
	res, _ := run("llm_query_batched([]string{\"reply:1\", \"reply:2\"}, Temperature(0))")
	require.Equal(t, `["1","2"]`, res.Value)
	res, _ = run("SHOW_VARS()")
	require.Contains(t, res.Value, "[]person")
	_, printed = run("show(ps)")
	require.Contains(t, printed, "Age")
	res, _ = run("FINAL_VAR(\"ps\")")
	require.Equal(t, "[\n  {\"Name\": \"a\", \"Age\": 3, \"Tags\": [\"x\"]},\n  {\"Name\": \"b\", \"Age\": 4, \"Tags\": []}\n]", res.Final.Answer)
	if engine == repl.Exact { // in yaegi a map of any holds no values of cells' types
		res, _ = run("answer[\"content\"] = ps[1]\nanswer[\"ready\"] = true")
		require.Contains(t, res.Final.Answer, `"Name": "b"`)
	}
	if engine == repl.Yaegi { // compiled code cannot allocate the target of an unexported embedded pointer
		_, printed = run("type base struct {\n\tID int `json:\"id\"`\n}\ntype extra struct{ Note string }\ntype item struct {\n\tbase\n\t*extra2\n\tName string\n}\ntype extra2 = Extra\ntype Extra struct{ Note string }\nvar it item\n" +
			"func() {\n\tdefer func() { recover() }()\n\tllm_query_json(\"reply:{\\\"id\\\":7,\\\"Note\\\":\\\"n\\\",\\\"Name\\\":\\\"x\\\"}\", &it)\n}()\nfmt.Println(it.ID, it.Name)")
		require.Equal(t, "7 x\n", printed)
	}
	res, _ = run("rows := parse_csv(\"# about\\na,b\\n1,2\\n3\\n\")\nlen(rows)")
	require.Equal(t, "1", res.Value)
	require.Equal(t, []string{
		"parse_csv: 1 row read, 1 line left out: line 4 has 1 field, and the header has 2 (a, b)",
	}, res.Notes)
}
