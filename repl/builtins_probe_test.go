package repl_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/repl/builtins"
	"github.com/gorlm/rlm/termination"
)

type nohost struct{}

func (nohost) Call(ctx context.Context, c builtins.Call) ([]byte, error) { return []byte("reply to " + string(c.Body)), nil }

func TestProbe(t *testing.T) {
	bs, err := builtins.Make(builtins.Standard(termination.Response), nohost{})
	if err != nil { t.Fatal(err) }
	var out bytes.Buffer
	nb, err := repl.New(repl.Config{Context: "alpha one\nbeta two\n", Builtins: bs, Stdout: &out})
	if err != nil { t.Fatal(err) }
	for i, src := range []string{
		"llm_query(\"hi\", Model(\"x\"))",
		"hits := grep(\"beta\")\nhits",
		"fmt.Println(hits[0].Line, hits[0].Text)",
		"for i := range 3 { z := i * 2; if z == 2 { FINAL_VAR(z) } }",
		"defer func() { fmt.Println(\"rec\", recover()) }()\nFINAL(map[string]int{\"a\": 1})\nfmt.Println(\"no\")",
		"FINAL_VAR(nope)",
		"SHOW_VARS()",
		"answer[\"content\"] = \"42\"\nanswer[\"ready\"] = true",
		"qs := llm_query_batched([]string{\"a\", \"b\"})\nqs",
	} {
		out.Reset()
		res := nb.Run(context.Background(), src, repl.RunOptions{Cell: i + 1})
		t.Logf("%s\n→ %q value %q final %+v err %v notes %v called %v", src, out.String(), res.Value, res.Final, res.Error, res.Notes, res.Called)
	}
}
