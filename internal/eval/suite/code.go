package suite

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// code asks about a generated repository of Go packages.
func code() Suite {
	return Suite{
		Name:  "code",
		About: "questions about a generated repository: who calls what, what a call returns, where a value comes from",
		kinds: []kind{
			{"callers", func(r *rand.Rand, length int) Item { return repository(r, length).callers(r) }},
			{"value of a call", func(r *rand.Rand, length int) Item { return repository(r, length).value(r) }},
			{"setting", func(r *rand.Rand, length int) Item { return repository(r, length).setting(r) }},
		},
	}
}

// function adds constants of its package and calls of other functions.
type function struct {
	pkg, name string
	factor    int // multiplies its argument
	constant  int // the package's constant that the function adds, as an index
	calls     []int
}

func (f function) full() string { return f.pkg + "." + f.name }

// repo is a generated repository.
type repo struct {
	packages  []string
	constants map[string][]int // values of the constants, by package
	functions []function       // a function only calls earlier ones
	files     []Document
}

func repository(r *rand.Rand, length int) repo {
	g := repo{constants: map[string][]int{}}
	p := prose{r}
	seen := map[string]bool{}
	noun := func() string { return pick(r, nouns()) }
	have := 0
	for have < length {
		pkg := fresh(seen, "", func() string { return noun() + noun()[:2] })
		g.packages = append(g.packages, pkg)
		for range 4 {
			g.constants[pkg] = append(g.constants[pkg], 2+r.IntN(90))
		}
		var body strings.Builder
		fmt.Fprintf(&body, "// Package %s is about the %s.\npackage %s\n\n", pkg, p.thing(), pkg)
		for i, c := range g.constants[pkg] {
			fmt.Fprintf(&body, "const limit%d = %d\n", i, c)
		}
		imports := map[string]bool{}
		var functions strings.Builder
		for range 6 {
			f := function{pkg: pkg, name: fresh(seen, "", func() string {
				return title(pick(r, adjectives())) + title(noun())
			}), factor: 1 + r.IntN(3), constant: r.IntN(4)}
			if n := len(g.functions); n > 0 {
				for range r.IntN(3) {
					if c := r.IntN(n); !slices.Contains(f.calls, c) && g.functions[c].pkg != pkg {
						f.calls = append(f.calls, c)
						imports[g.functions[c].pkg] = true
					}
				}
			}
			fmt.Fprintf(&functions, "\n// %s keeps the %s from the %s.\nfunc %s(n int) int {\n\ttotal := n*%d + limit%d\n", f.name, p.thing(), p.thing(), f.name, f.factor, f.constant)
			for _, c := range f.calls {
				fmt.Fprintf(&functions, "\ttotal += %s(n)\n", g.functions[c].full())
			}
			functions.WriteString("\treturn total % 10007\n}\n")
			g.functions = append(g.functions, f)
		}
		if len(imports) > 0 {
			var lines []string
			for i := range imports {
				lines = append(lines, fmt.Sprintf("\t\"example.org/made/%s\"", i))
			}
			slices.Sort(lines)
			text := strings.Replace(body.String(), "package "+pkg+"\n",
				"package "+pkg+"\n\nimport (\n"+strings.Join(lines, "\n")+"\n)\n", 1)
			body.Reset()
			body.WriteString(text)
		}
		text := body.String() + functions.String()
		g.files = append(g.files, Document{pkg + "/" + pkg + ".go", text})
		have += len(text) * 10 / 33
	}
	return g
}

func title(word string) string { return strings.ToUpper(word[:1]) + word[1:] }

// call returns a function's result for n.
func (g repo) call(i, n int) int {
	f := g.functions[i]
	total := n*f.factor + g.constants[f.pkg][f.constant]
	for _, c := range f.calls {
		total += g.call(c, n)
	}
	return total % 10007
}

// size counts the functions that a call runs, and stops counting beyond 20.
func (g repo) size(i int) int {
	n := 1
	for _, c := range g.functions[i].calls {
		if n += g.size(c); n > 20 {
			break
		}
	}
	return n
}

func (g repo) callers(r *rand.Rand) Item {
	called := 0
	for {
		called = r.IntN(len(g.functions))
		var names []string
		for _, f := range g.functions {
			if slices.Contains(f.calls, called) {
				names = append(names, f.full())
			}
		}
		if len(names) > 0 || len(g.functions) < 12 {
			return Item{
				Question: fmt.Sprintf("Which functions call %s directly? List them as package.Function with commas between; answer \"none\" if there are none.",
					g.functions[called].full()),
				Documents: g.files, Answer: right(append([]string{}, names...)), Scorer: "set",
			}
		}
	}
}

func (g repo) value(r *rand.Rand) Item {
	i, n := r.IntN(len(g.functions)), 1+r.IntN(50)
	for tries := 0; tries < 200 && (g.size(i) < 3 || g.size(i) > 12); tries++ {
		i = r.IntN(len(g.functions))
	}
	return Item{
		Question:  fmt.Sprintf("What does %s(%d) return? Answer with the number alone.", g.functions[i].full(), n),
		Documents: g.files, Answer: right(map[string]int{"value": g.call(i, n), "within": 0}), Scorer: "number",
	}
}

// setting hides a value that is read from a chain of files: a default, changed by one file, changed back in part
// by another.
func (g repo) setting(r *rand.Rand) Item {
	name := pick(r, nouns()) + "_" + pick(r, nouns())
	values := []int{10 + r.IntN(90), 100 + r.IntN(900), 1000 + r.IntN(9000)}
	last := r.IntN(3)
	files := slices.Clone(g.files)
	at := func(d Document) { files = slices.Insert(files, r.IntN(len(files)+1), d) }
	at(Document{"config/default.conf", fmt.Sprintf("# read first\n%s = %d\n", name, values[0])})
	if last >= 1 {
		at(Document{
			"config/site.conf",
			fmt.Sprintf("# read after default.conf, whose values it replaces\n%s = %d\n", name, values[1]),
		})
	}
	if last == 2 {
		at(Document{"config/local.conf", fmt.Sprintf(
			"# read last; replaces what site.conf says\n%s = %d\n# %s = %d\n", name, values[2], name, values[2]+1)})
	} else {
		at(Document{
			"config/local.conf.example",
			fmt.Sprintf("# an example; it is not read\n%s = %d\n", name, values[2]),
		})
	}
	return Item{
		Question:  fmt.Sprintf("Which value does the setting %s have in the end? Answer with the number alone.", name),
		Documents: files, Answer: right(map[string]int{"value": values[last], "within": 0}), Scorer: "number",
	}
}
