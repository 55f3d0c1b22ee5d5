package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEveryExportedNameSaysWhatItIs checks that each exported function, method, type, constant and variable has a
// comment, its own or its group's, and each package too. Struct fields, and methods that only implement an
// interface of the standard library, need none.
func TestEveryExportedNameSaysWhatItIs(t *testing.T) {
	packages := map[string]bool{}
	eachFile(t, func(file string, _ []string) {
		if strings.HasSuffix(file, "_test.go") {
			return
		}
		f, err := parser.ParseFile(
			token.NewFileSet(), filepath.Join(root(t), file), nil, parser.ParseComments|parser.SkipObjectResolution)
		require.NoError(t, err)
		if ast.IsGenerated(f) {
			return
		}
		dir := filepath.Dir(file)
		packages[dir] = packages[dir] || f.Doc != nil
		for _, name := range silent(f) {
			t.Errorf("%s: %s has no comment", file, name)
		}
	})
	for dir, said := range packages {
		if !said {
			t.Errorf("package %s does not say what it is", dir)
		}
	}
}

// silent lists the exported names of a file that have no comment.
func silent(f *ast.File) (names []string) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && d.Doc == nil && !wellKnown[d.Name.Name] &&
				(d.Recv == nil || ast.IsExported(receiver(d))) {
				names = append(names, d.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					if s.Name.IsExported() && s.Doc == nil && d.Doc == nil {
						names = append(names, s.Name.Name)
					}
				case *ast.ValueSpec:
					if s.Names[0].IsExported() && s.Doc == nil && s.Comment == nil && d.Doc == nil {
						names = append(names, s.Names[0].Name)
					}
				}
			}
		}
	}
	return names
}

// wellKnown are methods that implement an interface everybody knows.
var wellKnown = map[string]bool{
	"Error": true, "Unwrap": true, "Is": true, "String": true, "GoString": true, "Format": true, "Len": true,
	"Less": true, "Swap": true,
	"EventType":   true, // the name under which an event is logged
	"MarshalJSON": true, "UnmarshalJSON": true, "MarshalText": true, "UnmarshalText": true, "Write": true, "Read": true,
	"Close": true,
}

func receiver(d *ast.FuncDecl) string {
	typ := d.Recv.List[0].Type
	for {
		switch t := typ.(type) {
		case *ast.StarExpr:
			typ = t.X
		case *ast.IndexExpr:
			typ = t.X
		case *ast.IndexListExpr:
			typ = t.X
		case *ast.Ident:
			return t.Name
		default:
			return ""
		}
	}
}
