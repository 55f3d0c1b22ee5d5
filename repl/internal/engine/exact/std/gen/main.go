// Command gen copies the source of generic standard packages from the Go release that runs it, without comments and
// tests.
package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	log.SetFlags(0)
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		log.Fatal(err)
	}
	for _, path := range []string{"cmp", "maps", "slices"} {
		text, err := merge(filepath.Join(strings.TrimSpace(string(root)), "src", path), path)
		if err == nil {
			err = os.WriteFile(path+".go.txt", text, 0o644)
		}
		if err != nil {
			log.Fatal(path, ": ", err)
		}
	}
}

// merge combines the files of a package into one.
func merge(dir, name string) ([]byte, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	var imports []string
	var decls bytes.Buffer
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, im := range file.Imports {
			if im.Name == nil && !slices.Contains(imports, im.Path.Value) {
				imports = append(imports, im.Path.Value)
			}
		}
		for _, d := range file.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.IMPORT {
				continue
			}
			if err := format.Node(&decls, fset, d); err != nil {
				return nil, err
			}
			decls.WriteString("\n\n")
		}
	}
	slices.Sort(imports)
	var out bytes.Buffer
	out.WriteString("// Copied from the Go release by std/gen. Copyright The Go Authors; BSD license as Go's.\n\n")
	fmt.Fprintf(&out, "package %s\n\nimport (\n%s\n)\n\n", name, strings.Join(imports, "\n"))
	out.Write(decls.Bytes())
	return format.Source(out.Bytes())
}
