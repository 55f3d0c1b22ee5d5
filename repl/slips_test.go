package repl_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/internal/builtins"
	"github.com/gorlm/rlm/repl"
)

// slips are cells written with habits from other languages, and what the message must contain. Earlier cells are
// separated from the last one by %.
var slips = []struct{ cells, says string }{
	{"parts := context.split(\"\\n\")", "strings.Split(context, \"\\n\")"},
	{"line := context\nf := line.Fields()", "strings.Fields(line)"},
	{"for line in lines {\n\tfmt.Println(line)\n}", "for _, line := range lines {"},
	{"for l in context.split(\"\\n\"):\n    print(l)", `for _, l := range strings.Split(context, "\n") {`},
	{"for l in context.split(': '):\n    print(l)", `for _, l := range strings.Split(context, ": ") {`},
	{"for w in context.split():\n    print(w)", "for _, w := range strings.Fields(context) {"},
	{"for l in context.splitlines():\n    print(l)", `for _, l := range strings.Split(context, "\n") {`},
	{"for i in range(10):\n    print(i)", "for i := range 10 {"},
	{"m := map[string]int{}\nfor k, v in m.items():\n    print(k)", "for k, v := range m {"},
	{"for (const x of xs) {\n}", "for _, x := range xs {"},
	{"var counts map[string]int\ncounts[\"a\"]++", "m := map[string]int{}"},
	{"re := regexp.MustCompile(\"(\\d+)\")", "between backquotes"},
	{"re := regexp.MustCompile(`(?=x)`)", "no look-around"},
	{"re := regexp.MustCompile(`(a)\\1`)", "no back-references"},
	{"x := context\nif x == 'ERROR' {\n}", "double quotes: \"ERROR\""},
	{"s := 'hello'", "double quotes: \"hello\""},
	{"type Row struct{ N int }\nvar rows []Row\nr := Row{1}\nrows.append(r)", "rows = append(rows, r)"},
	{"xs := []int{1}\nxs.push(3)", "xs = append(xs, 3)"},
	{
		"m := map[string]int{}\nfor k := range m.keys() {\n\tfmt.Println(k)\n}",
		"maps.Keys(m); in order: slices.Sorted(maps.Keys(m))",
	},
	{"m := map[string]int{}\nfor _, k := range sorted(m) {\n\tfmt.Println(k)\n}", "slices.Sorted(maps.Keys(m))"},
	{"n := 3\nfmt.Println(f\"count: {n}\")", "fmt.Sprintf(\"count: %v\", n)"},
	{"x := 1.5\nfmt.Println(f\"{x:.2f} of 100%\")", "fmt.Sprintf(\"%.2f of 100%%\", x)"},
	{"fmt.Println(context[-100:])", "context[len(context)-100:]"},
	{"xs := []int{1, 2}\nfmt.Println(xs[-1])", "xs[len(xs)-1]"},
	{"fmt.Println(context[:-1])", "context[:len(context)-1]"},
	{"fmt.Println(len(context) // 2)", "// begins a comment"},
	{"add := func(a, b) int { return a + b }", "func(a, b int)"},
	{"func f(string s) int { return 1 }", "s string"},
	{"let x = 5", "x := 5"},
	{"if strings.Index(context, \"x\") {\n}", "a comparison here, as in"},
	{"x := 1\nelif x > 1 {\n}", "} else if x > 1 {"},
	{"for (let i = 0; i < 3; i++) {\n}", "for i = 0; i < 3; i++ {"},
	{"m := map[string]int{}\nfor k, v := m {\n}", "for k, v := range m {"},
	{"struct P {\n\tName string\n}", "type P struct {"},
	{"class P {\n}", "func (x P) Method() int"},
	{"x := map{\"a\": 1}", "map[string]int{\"a\": 1}"},
	{"xs := []string{'a', 'b'}", "double quotes: \"a\""},
	{"d := time.Now() - time.Now()", "late.Sub(early)"},
	{"var x := 5", "x := 5"},
	{"int x = 5", "x := 5"},
	{"m := map[string][4]byte{}\nk := \"a\"\nfmt.Println(m[k][:3])", "v := m[k]; v["},
	{
		"counts := map[string]int{}\nfmt.Println(nowhere)\n%\nfmt.Println(len(counts))",
		"counts is declared in cell 1, which was not run",
	},
	{
		"counts := map[string]int{}\nif true {\n%\nfmt.Println(len(counts))",
		"counts is declared in cell 1, which was not run",
	},
	{
		"func main() {\n\tcounts := map[string]int{}\n\tfmt.Println(len(counts))\n}\n%\nfmt.Println(counts)",
		"inside a function of cell 1",
	},
	{"fmt.Printf(\"%d errors\\n\")", "reads arg #1, but call has 0 args"},
	{"fmt.Printf(\"%d errors\\n\", \"x\")", "wrong type"},
	{"fmt.Printf(\"%d errors\\n\", 1, 2)", "needs 1 arg but has 2 args"},
	{"fmt.Println(\"x %d\", 5)", "formats need fmt.Printf"},
	{"fmt.Println(SHOW_VARS)", "not called"},
	{"SHOW_VARS", "SHOW_VARS(…)"},
	{"if strings.Contains {\n}", "not called"},
	{"fmt.Println(docs[0])", "docs[0].Name and a slice of docs[0].Text"},
	{"fmt.Println(docs)", "d.Name and a slice of d.Text"},
	{"context = strings.ToLower(context)", "text := …"},
	{"context += \"x\"", "text := …"},
	{"n := len(context)\ns := string(n)", "fmt.Sprint(n)"},
	{"n := 3\np := &n\nfmt.Println(p)", "*p is what it points to"},
	{"x := None", "write nil"},
	{"x := True", "write true"},
	{"s := str(5)", "fmt.Sprint(5)"},
	{"n := int(\"5\")", "strconv.Atoi(\"5\")"},
	{"s := \"a\" * 3", "strings.Repeat(\"a\", 3)"},
	{"if \"a\" in context {\n}", "strings.Contains(text, part)"},
	{"if true and false {\n}", "&& for and"},
	{"if not true {\n}", "! for not"},
	{"while true {\n\tbreak\n}", "use for"},
	{"if len(context) > 3:\n    fmt.Println(1)", "if len(context) > 3 {"},
	{"s := context.length", "len(context)"},
	{"s := context.strip()", "strings.TrimSpace(context)"},
	{"s := \",\".join([]string{\"a\"})", "strings.Join([]string{\"a\"}, \",\")"},
	{"xs := [1, 2, 3]", "[]int{1, 2, 3}"},
	{"m := {\"a\": 1}", "map[string]int{"},
	{"xs := []int{x * 2 for x in range(3)}", "in a for loop"},
	{"f := lambda x: x + 1", "func(x int) int"},
	{"f := (x) => x + 1", "func(x int) int"},
	{"x := 1\ny := x++", "a statement of its own"},
	{"data := json.loads(context)", "json.Unmarshal([]byte(text), &v)"},
	{"raise Exception(\"x\")", "panic("},
	{"console.log(\"x\")", "fmt.Println("},
	{"System.out.println(\"x\")", "fmt.Println("},
	{"m := map[string]int{}\nif m.has(\"a\") {\n}", "_, ok := m[\"a\"]"},
	{"m := map[string]int{}\nfmt.Println(m.get(\"a\", 0))", "v, ok := m[\"a\"]"},
	{"xs := []int{}\nfmt.Println(xs[0])", "test the length first"},
	{"if true\n{\n}", "on the same line"},
	{"if true {\n}\nelse {\n}", "} else {"},
	{"x := 5\nif x = 5 {\n}", "== compares"},
	{"xs := []string{\"b\"}\nys := sort.Strings(xs)", "a statement of its own"},
	{"ys := append([]int{1}, []int{2})", "with dots"},
	{"if context[0] == \"a\" {\n}", "single quotes"},
	{"avg := len(context) / 2.5", "float64(n)"},
	{"x := nil", "var x []string"},
	{"err := llm_query(\"reply:x\")\nif err != nil {\n}", "compare it with \"\""},
	{"func f(n int) { return n }", "func f(…) int {"},
	{"func f(s string): string { return s }", "func f(s string) string {"},
	{"def f(x): return x", "func f(x int) int"},
	{"enumerate([]int{1})", "for i, x := range xs {"},
	{"Println(1)", "fmt.Println"},
	{"split(context, \"\\n\")", "strings.Split"},
}

func TestSlipsAreAnsweredWithWhatToWrite(t *testing.T) {
	made, err := builtins.Make(builtins.Standard(answer.Response), jsonHost{}, builtins.NewMarks())
	require.NoError(t, err)
	for _, slip := range slips {
		for _, engine := range []repl.Engine{repl.Yaegi, repl.Exact} {
			message := slipMessage(t, engine, made, slip.cells)
			assert.Contains(t, message, slip.says, "%s: %s", engine, slip.cells)
		}
	}
}

// Correct code, and errors that are not slips, get no advice.
func TestNoAdviceForWhatIsNoSlip(t *testing.T) {
	made, err := builtins.Make(builtins.Standard(answer.Response), jsonHost{}, builtins.NewMarks())
	require.NoError(t, err)
	for _, cells := range []string{
		"fmt.Println(\"100%\", len(docs), docs[0].Name)", "fmt.Printf(\"%d %s\\n\", 1, \"a\")", "fmt.Println(\"a\\n\")",
		"text := context\ntext = \"x\"",
		"s := string(context[0]) + string('a')", "f := strings.ToUpper\nfmt.Println(f(\"a\"))",
		"format := \"a\"\nfmt.Println(fmt.Sprintf(format))",
		"func f() { context := 1; context = 2; _ = context }\nf()", "fmt.Println(grep(\"alpha\"))",
		"n := 3\np := &n\nfmt.Printf(\"%p\\n\", p)", "x := len(context) // 2\nfmt.Println(x)",
	} {
		for _, engine := range []repl.Engine{repl.Yaegi, repl.Exact} {
			assert.Equal(t, "(no error)", slipMessage(t, engine, made, cells), "%s: %s", engine, cells)
		}
	}
	later := "fmt.Println(later)\nlater := 3"
	require.Contains(t, slipMessage(t, repl.Yaegi, made, later+"\n%\n"+later), "it is declared in line 2",
		"although it is also declared in a cell that was not run")
}

func slipMessage(t *testing.T, engine repl.Engine, made []repl.Builtin, cells string) string {
	docs := []repl.Doc{{Name: "a.txt", Text: "alpha one\n"}}
	nb, err := repl.New(repl.Config{
		Engine: engine, Context: "alpha one\nbeta two\n", Docs: docs, Builtins: made, Stdout: &bytes.Buffer{},
	})
	require.NoError(t, err)
	message, _ := lastMessage(nb, strings.Split(cells, "\n%\n"))
	return message
}
