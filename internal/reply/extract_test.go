package reply

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCells(t *testing.T) {
	type cells = []Cell
	for _, c := range []struct {
		name, reply string
		cut         bool
		cells       []Cell
		skipped     []string // a part of the reason for each skipped block
	}{
		{"one", "Look:\n\n```go\nx := 1\n```\n", false, cells{{Source: "x := 1\n", Lang: "go", Line: 4}}, nil},
		{
			"several, in order", "```go\na := 1\n```\nthen\n```repl\nFINAL(a)\n```", false,
			cells{{Source: "a := 1\n", Lang: "go", Line: 2}, {Source: "FINAL(a)\n", Lang: "repl", Line: 6}},
			nil,
		},
		{"any case", "```Golang\nx := 1\n```", false, cells{{Source: "x := 1\n", Lang: "Golang", Line: 2}}, nil},
		{"attributes", "```go {linenos=true}\nx := 1\n```\n```{.go .numberLines}\ny := 1\n```\n```go:main.go\nz := 1\n```", false, cells{{Source: "x := 1\n", Lang: "go", Line: 2}, {Source: "y := 1\n", Lang: "go", Line: 5}, {Source: "z := 1\n", Lang: "go", Line: 8}}, nil},
		{"tildes", "~~~go\n/*\n```\n*/\n~~~", false, cells{{Source: "/*\n```\n*/\n", Lang: "go", Line: 2}}, nil},
		{
			"longer fence", "````go\n/*\n```\n*/\n````", false,
			cells{{Source: "/*\n```\n*/\n", Lang: "go", Line: 2}},
			nil,
		},
		{
			"in a list", "1. First:\n\n   ```go\n   if x {\n   \ty()\n   }\n   ```\n2. Next", false,
			cells{{Source: "if x {\n\ty()\n}\n", Lang: "go", Line: 4}},
			nil,
		},
		{"in a quotation", "> ```go\n> x := 1\n> ```", false, cells{{Source: "x := 1\n", Lang: "go", Line: 2}}, nil},
		{"unclosed", "```go\nx := 1\ny := 2", false, cells{{Source: "x := 1\ny := 2\n", Lang: "go", Line: 2}}, nil},
		{
			"unclosed and cut", "```go\nx := 1\n```\n```go\ny := ", true,
			cells{{Source: "x := 1\n", Lang: "go", Line: 2}},
			[]string{"cut off inside this cell"},
		},
		{"cut in a word", "```go\nx := le", true, nil, []string{"cut off inside this cell"}},
		{"untagged and cut", "```\nx := f()", true, nil, []string{"cut off inside this block"}},
		{"closed and cut", "```go\nx := 1\n```\nand th", true, cells{{Source: "x := 1\n", Lang: "go", Line: 2}}, nil},
		{
			"line ends of Windows", "a\r\n```go\r\nx := 1\r\n```\r\n", false,
			cells{{Source: "x := 1\n", Lang: "go", Line: 3}},
			nil,
		},
		{"empty", "```go\n\n```", false, nil, []string{"the cell is empty"}},
		{"another language", "```python\nprint(1)\n```", false, nil, []string{"a block tagged python is not run"}},
		{"not quite go", "```gotemplate\n{{.}}\n```", false, nil, []string{"tagged gotemplate"}},
		{
			"untagged", "```\nx := len(context)\n```", false,
			cells{{Source: "x := len(context)\n", Line: 2, Untagged: true}},
			nil,
		},
		{
			"untagged beside tagged", "```\nx := 1\n```\n```go\ny := 1\n```", false,
			cells{{Source: "y := 1\n", Lang: "go", Line: 5}},
			[]string{"without a tag is not run beside tagged ones"},
		},
		{
			"untagged beside a cut cell", "```\nx := 1\n```\n```go\ny := ", true, nil,
			[]string{"beside tagged ones", "cut off"},
		},
		{"untagged text", "```\nThe total is 42 (see above).\n```", false, nil, []string{"this is not"}},
		{
			"fence behind text", "Here: ```go\nx := 1\n```\nThen.", false, nil,
			[]string{"must stand on a line of its own", "this is not"},
		},
		{"cell on one line", "```go fmt.Println(1)```", false, nil, []string{"a cell on one line"}},
		{"inside HTML", "<div>\n```go\nx := 1\n```\n</div>", false, nil, []string{"inside HTML"}},
		{"indented", "Cell:\n\n    ```go\n    x := 1\n    ```\n", false, nil, []string{"indented by four spaces"}},
		{
			"indented behind a text", "Cell:\n\n    Like this:\n    ```go\n    x := 1\n    ```\n", false, nil,
			[]string{"indented by four spaces"},
		},
		{
			"indented below a text", "Cell:\n    ```go\n    x := 1\n    ```\n", false, nil,
			[]string{"put ```go at the start of a line"},
		},
		{
			"indented below a text, with tildes", "Cell:\n    ~~~ repl\n    x := 1\n    ~~~\n", false, nil,
			[]string{"put ```go at the start of a line"},
		},
		{"in a heading", "# ```go\nx", false, nil, []string{"put ```go at the start of a line"}},
		{"tildes behind text", "Here: ~~~go\nx := 1\n\nThen.", false, nil, []string{"must stand on a line of its own"}},
		{"behind a tag", "<div>Cell: ```go\nx := 1\n```\n</div>", false, nil, []string{"inside HTML"}},
		{"tildes inside HTML", "<div>\n~~~go\nx := 1\n~~~\n</div>", false, nil, []string{"inside HTML"}},
		{"in a comment", "<!--\n```go\nx := 1\n```\n-->", false, nil, []string{"inside HTML"}},
		{"behind the end of a comment", "<!--\n--> ```go\nx := 1\n\n", false, nil, []string{"inside HTML"}},
		{"behind a comment's mark", "<!-- ```go\nx := 1\n```\n-->", false, nil, []string{"inside HTML"}},
		{
			"ends in a raw string", "```go\np := `Use\n```\nlike this`\n```", false, nil,
			[]string{"breaks off inside a raw string", "beside tagged ones"},
		},
		{
			"thinking", "<think>\n```go\nx := 1\n```\n</think>\n```go\ny := 1\n```", false,
			cells{{Source: "y := 1\n", Lang: "go", Line: 7}},
			nil,
		},
		{
			"thinking right before a fence", "<think>hm</think>```go\ny := 1\n```", false,
			cells{{Source: "y := 1\n", Lang: "go", Line: 2}},
			nil,
		},
		{
			"thinking opened in the prompt", "hm\n```go\nx := 1\n```\n</think>\n\n```go\ny := 1\n```", false,
			cells{{Source: "y := 1\n", Lang: "go", Line: 8}},
			nil,
		},
		{"thinking never closed", "Well.\n<think>\n```go\nx := 1\n```", false, nil, []string{"never closed"}},
		{
			"a thinking tag in a cell", "```go\ns := `\n<think>\n`\n```", false,
			cells{{Source: "s := `\n<think>\n`\n", Lang: "go", Line: 2}},
			nil,
		},
		{"nothing", "", false, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Parse(c.reply, DefaultNames(), c.cut)
			require.Equal(t, c.cells, got.Cells)
			require.Len(t, got.Skipped, len(c.skipped), "%+v", got.Skipped)
			for i, want := range c.skipped {
				require.Contains(t, got.Skipped[i].Reason, want)
			}
		})
	}
}

func TestUntaggedBlocksMustLookLikeGo(t *testing.T) {
	for src, want := range map[string]bool{
		"x := 1": true, "x = 1": true, "fmt.Println(1)": true, "import \"os\"": true, "func f() {}": true,
		"var x int": true, "type T struct { Name string; N int }": true, "i++": true, "FINAL(x)": true,
		"for i := range 3 {\n\tprint(i)\n}": true, "// comment\nx := 1": true, "total += 5": true, "const Pi = 3": true,
		"42": false, "total": false, "- item": false, "ls -la": false, "{\"a\": 1}": false, "a: b\nc: d": false,
		"The answer is x = 3": false, "$ go run main.go": false, "export A=b": false, "# title": false, "": false,
		"def f(x):\n    return x": false, "for x in xs:\n    print(x)": true, // running it shows that
		"2026-11-21 03:26:08 ERROR could not open": false, "Hello, world!": false, "a | b | c": false,
	} {
		got := Parse("```\n"+src+"\n```", DefaultNames(), false)
		require.Equal(t, want, len(got.Cells) == 1, src)
		require.Equal(t, !want, len(got.Skipped) == 1, src)
	}
}

func TestProse(t *testing.T) {
	for _, c := range []struct{ name, reply, want string }{
		{"no cells", "Hello.\n", "Hello."},
		{"around cells", "First.\n\n```go\nx := 1\n```\n\nLast.", "First.\n\n\nLast."},
		{"in a list", "- a\n\n  ```go\n  x := 1\n  ```\n- b", "- a\n\n- b"},
		{"other blocks stay", "See:\n```json\n{}\n```\n```go\nx := 1\n```", "See:\n```json\n{}\n```"},
		{"thinking goes", "<think>a</think>\nb", "b"},
		{"only a cell", "```go\nx := 1\n```", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Parse(c.reply, DefaultNames(), false).Prose
			require.Equal(t, c.want, strings.TrimSpace(got))
		})
	}
}
