// Command expected runs the cells of the txtar archives named as arguments as programs of the real compiler. For
// every NAME.go without a NAME.out it writes the output to NAME.out. Remove a NAME.out to have it written again.
package main

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/gorlm/rlm/repl/internal/stdlib"
)

func main() {
	log.SetFlags(0)
	for _, path := range os.Args[1:] {
		if err := fill(path); err != nil {
			log.Fatalf("%s: %v", path, err)
		}
	}
}

// fill adds the missing outputs of one archive.
func fill(path string) error {
	a, err := txtar.ParseFile(path)
	if err != nil {
		return err
	}
	have := map[string]bool{}
	for _, f := range a.Files {
		have[f.Name] = true
	}
	texts := make([][]byte, len(a.Files))
	var wg sync.WaitGroup
	slots := make(chan bool, 3)
	for i, f := range a.Files {
		name, ok := strings.CutSuffix(f.Name, ".go")
		if !ok || have[name+".out"] {
			continue
		}
		wg.Go(func() {
			slots <- true
			defer func() { <-slots }()
			var err error
			if texts[i], err = run(string(f.Data)); err != nil {
				texts[i] = nil
				log.Printf("%s: %s: %v", path, f.Name, err)
			}
		})
	}
	wg.Wait()
	var out []txtar.File
	for i, f := range a.Files {
		out = append(out, f)
		if texts[i] != nil {
			out = append(out, txtar.File{Name: strings.TrimSuffix(f.Name, ".go") + ".out", Data: texts[i]})
		}
	}
	a.Files = out
	return os.WriteFile(path, txtar.Format(a), 0o644)
}

// run compiles a cell as a program and runs it.
func run(cell string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "cell")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "main.go")
	if err := os.WriteFile(file, []byte(program(cell)), 0o644); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "run", file)
	var stderr strings.Builder
	cmd.Stderr, cmd.WaitDelay = &stderr, time.Second
	b, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, stderr.String())
	}
	return b, nil
}

var topLevel = regexp.MustCompile(`^(func [A-Za-z_(]|type |const |const\(|var Err)`)

// program turns a cell into a whole program: first the declarations, then main with the statements, and the imports
// that they need.
func program(cell string) string {
	if strings.HasPrefix(cell, "package ") {
		return cell
	}
	var named, decls, stmts strings.Builder
	lines := strings.SplitAfter(cell, "\n")
	for i := 0; i < len(lines); i++ {
		if strings.HasPrefix(lines[i], "import ") {
			named.WriteString(lines[i])
			continue
		}
		if !topLevel.MatchString(lines[i]) {
			stmts.WriteString(lines[i])
			continue
		}
		decls.WriteString(lines[i])
		if s := strings.TrimRight(lines[i], "\n"); strings.HasSuffix(s, "{") || strings.HasSuffix(s, "(") {
			for i++; i < len(lines); i++ {
				decls.WriteString(lines[i])
				if lines[i] != "" && (lines[i][0] == '}' || lines[i][0] == ')') {
					break
				}
			}
		}
	}
	body := decls.String() + "\nfunc main() {\n" + stmts.String() + "}\n"
	return "package main\n" + named.String() + imports(body) + body
}

// imports returns the imports of the packages that a program mentions.
func imports(body string) string {
	file, err := parser.ParseFile(token.NewFileSet(), "", "package main\n"+body, 0)
	if err != nil {
		return ""
	}
	var out strings.Builder
	seen := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		id, ok := sel.X.(*ast.Ident)
		if !ok || id.Obj != nil || seen[id.Name] {
			return true
		}
		if p, ok := stdlib.ByName(id.Name); ok {
			seen[id.Name] = true
			fmt.Fprintf(&out, "import %q\n", p)
		}
		return true
	})
	return out.String()
}
