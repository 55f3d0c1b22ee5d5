package openapi

import (
	"go/ast"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
)

// comments are the source's comments on types and their fields.
type comments struct {
	root, module string                       // folder and path of the Go module
	types        map[string]map[string]string // comments by package, then by "Type" or "Type.Field"
}

// of is the comment of a type.
func (c *comments) of(t reflect.Type) (string, error) { return c.find(t, generic(t.Name())) }

// field is the comment of the field at an index path; see reflect.Type.FieldByIndex.
func (c *comments) field(t reflect.Type, path []int) (string, error) {
	for _, i := range path[:len(path)-1] {
		t = t.Field(i).Type
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
	}
	return c.find(t, generic(t.Name())+"."+t.Field(path[len(path)-1]).Name)
}

func (c *comments) find(t reflect.Type, name string) (string, error) {
	dir, ok := strings.CutPrefix(t.PkgPath(), c.module)
	if !ok {
		return "", nil
	}
	if c.types[t.PkgPath()] == nil {
		said, err := parsed(filepath.Join(c.root, filepath.FromSlash(dir)))
		if err != nil {
			return "", err
		}
		c.types[t.PkgPath()] = said
	}
	return c.types[t.PkgPath()][name], nil
}

// generic is a type's name without its type arguments.
func generic(name string) string {
	name, _, _ = strings.Cut(name, "[")
	return name
}

// parsed returns the comments of a package.
func parsed(dir string) (map[string]string, error) {
	said := map[string]string{}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			d, ok := n.(*ast.GenDecl)
			if !ok {
				return true
			}
			for _, spec := range d.Specs {
				if t, ok := spec.(*ast.TypeSpec); ok {
					doc := t.Doc
					if doc == nil {
						doc = d.Doc
					}
					said[t.Name.Name] = plain(doc.Text())
					fields(said, t)
				}
			}
			return false
		})
	}
	return said, err
}

func fields(said map[string]string, t *ast.TypeSpec) {
	s, ok := t.Type.(*ast.StructType)
	if !ok {
		return
	}
	for _, f := range s.Fields.List {
		text := plain(f.Comment.Text())
		if f.Doc != nil {
			text = plain(f.Doc.Text())
		}
		for _, name := range f.Names {
			said[t.Name.Name+"."+name.Name] = text
		}
	}
}

// plain is a comment as one line of Markdown.
func plain(text string) string {
	var p comment.Parser
	var out comment.Printer
	return strings.Join(strings.Fields(string(out.Markdown(p.Parse(text)))), " ")
}
