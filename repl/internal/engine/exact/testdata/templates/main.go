package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/template"
)

type money int

func (m money) String() string { return fmt.Sprintf("€%d.%02d", int(m)/100, int(m)%100) }

type base struct{ ID int }

func (b base) Ref() string             { return fmt.Sprint("#", b.ID) }
func (b *base) Bump(n int) (int, error) {
	if n < 0 {
		return 0, errors.New("not down")
	}
	b.ID += n
	return b.ID, nil
}

type item struct {
	base
	Name   string
	Price  money
	Tags   []string
	Extra  map[string]any
	Next   *item
	Of     func(int) string
	hidden int
}

func (i item) Total(n int, rest ...int) money {
	t := i.Price * money(n)
	for _, r := range rest {
		t += money(r)
	}
	return t
}

func (i *item) Panics() string { panic("no") }

type shower interface{ Ref() string }

func run(source string, data any) {
	t, err := template.New("t").Funcs(template.FuncMap{
		"up": strings.ToUpper, "join": func(sep string, xs []string) string { return strings.Join(xs, sep) },
		"fail": func() (string, error) { return "", io.ErrUnexpectedEOF }, "boom": func() string { panic("boom") },
		"pair": func(a, b any) []any { return []any{a, b} }, "sum": func(xs ...int) (n int) {
			for _, x := range xs {
				n += x
			}
			return n
		},
	}).Parse(source)
	if err != nil {
		fmt.Println("parse:", err)
		return
	}
	var b strings.Builder
	err = t.Execute(&b, data)
	fmt.Printf("%s\n", b.String())
	if err != nil {
		var ee template.ExecError
		fmt.Println("error:", err, errors.As(err, &ee), ee.Name, errors.Is(err, io.ErrUnexpectedEOF))
	}
}

func main() {
	one := &item{base: base{7}, Name: "a<b", Price: 1250, Tags: []string{"x", "y"}, Extra: map[string]any{"k": 1, "a": []int{1, 2}}, hidden: 3}
	one.Of = func(n int) string { return fmt.Sprint(one.Name, n) }
	one.Next = &item{Name: "second", Price: 5}
	for _, source := range []string{
		"{{.Name}} {{.Price}} {{.ID}} {{.Ref}} {{.Total 2}} {{.Total 2 3 4}} {{.Next.Name}} {{.Next.Ref}} {{.Next.Next}}",
		"{{range $i, $t := .Tags}}{{$i}}={{$t | up}} {{else}}none{{end}}{{range $k, $v := .Extra}}{{$k}}:{{$v}};{{end}}",
		"{{.Bump 3}} {{.ID}} {{.Bump -1}}", "{{.hidden}}", "{{.None}}", "{{.Extra.none}}|{{.Extra.k}}", "{{call .Of 4}}", "{{.Panics}}", "{{.Next.Next.Name}}",
		"{{if and .Name (gt .ID 3) (eq .Price 1250)}}yes{{else}}no{{end}} {{len .Tags}} {{index .Tags 1}} {{index .Extra \"a\" 1}} {{slice .Name 1 2}} {{printf \"%v %T %q\" .Price .Price .Name}}",
		"{{with .Next}}{{.Name}}{{end}} {{html .Name}} {{js \"a'b\"}} {{urlquery \"a b\"}} {{not true}} {{print 1 2 \"x\"}}", "{{join \", \" .Tags}} {{sum 1 2 3}} {{pair .ID .Price}}",
		"{{fail}}", "{{boom}}", "{{define \"d\"}}<{{.}}>{{end}}{{template \"d\" .Price}}{{block \"e\" .ID}}[{{.}}]{{end}}", "{{.Name", "{{nofunc}}", "{{range 3}}{{.}}{{end}}",
		"{{- /* c */ -}}  x  {{- 1 -}}  y", "{{range .Tags}}{{if eq . \"y\"}}{{break}}{{end}}{{.}}{{end}}", "{{$x := 1}}{{range .Tags}}{{$x = 2}}{{end}}{{$x}}", "{{.Name}}{{.Total}}",
	} {
		run(source, one)
	}
	run("{{range .}}{{.Ref}} {{end}}", []shower{one, *one.Next})
	run("{{.A}} {{.B.C}}", map[string]any{"A": money(3), "B": struct{ C []money }{[]money{1, 2}}})
	run("{{range $i, $c := .}}{{$i}}{{$c}}{{end}}", func(yield func(int, string) bool) { _ = yield(1, "a") && yield(2, "b") })

	set := template.Must(template.New("root").Delims("<<", ">>").Option("missingkey=error").Parse("<<define \"a\">>A<<.>><<end>>R<<template \"a\" .x>>\n"))
	fmt.Println(set.Execute(os.Stdout, map[string]int{"x": 1}), set.Execute(io.Discard, map[string]int{}))
	fmt.Println(set.Name(), set.Lookup("a").Name(), set.Lookup("b") == nil, set.Lookup("a") == set.Lookup("a"), len(set.Templates()), len(set.DefinedTemplates()))
	clone := template.Must(set.Clone())
	template.Must(clone.New("a").Parse("changed\n"))
	fmt.Println(clone.ExecuteTemplate(os.Stdout, "root", map[string]int{"x": 1}), set.ExecuteTemplate(os.Stdout, "a", 5), set.ExecuteTemplate(io.Discard, "z", 5))
	var zero template.Template
	fmt.Println(zero.Execute(io.Discard, nil), zero.Name() == "")
	template.Must(zero.Parse("zero {{.}}\n")).Execute(os.Stdout, 1)
	func() {
		defer func() { fmt.Println("recovered", recover()) }()
		template.Must(template.New("bad").Parse("{{"))
	}()
	fmt.Println(template.HTMLEscapeString("<a&b>"), template.JSEscapeString("'x'"), template.URLQueryEscaper("a", "b c"), template.HTMLEscaper(1, "<"))
	truth, ok := template.IsTrue([]int{})
	fmt.Printf("%v %v %T %T\n", truth, ok, set, template.FuncMap{})
}
