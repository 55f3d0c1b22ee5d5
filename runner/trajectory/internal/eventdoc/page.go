package main

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	_ "embed"

	"github.com/gorlm/rlm/internal/kit/text"
)

//go:embed intro.md
var intro string

// payload is a payload type, or a part of one.
type payload struct {
	name   string // name of the Go type
	event  string // name in the log, "" for a type that is only part of others
	doc    string
	fields []field
	pos    token.Position
}

type field struct{ name, kind, meaning string }

// page renders the page from the Go files of package trajectory in dir.
func page(dir string) ([]byte, error) {
	payloads, err := parse(dir)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteString(intro)
	names := logNames(payloads)
	for _, p := range payloads {
		title := p.event
		if title == "" {
			title = p.name
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", title, text.Wrap(names.Replace(p.doc), 110, ""))
		if len(p.fields) > 0 {
			b.WriteString("\n| field | type | meaning |\n| --- | --- | --- |\n")
		}
		for _, f := range p.fields {
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", f.name, f.kind, names.Replace(f.meaning))
		}
	}
	return b.Bytes(), nil
}

// logNames replaces the Go names of events by their names in the log.
func logNames(payloads []payload) *strings.Replacer {
	var pairs []string
	for _, p := range payloads {
		if p.event != "" {
			pairs = append(pairs, p.name, "`"+p.event+"`")
		}
	}
	return strings.NewReplacer(pairs...)
}

// parse returns the event types in the order of declaration, and then the types of their fields.
func parse(dir string) ([]payload, error) {
	fset := token.NewFileSet()
	files, err := filepath.Glob(filepath.Join(dir, "data*.go"))
	if err != nil {
		return nil, err
	}
	var all []payload
	events := map[string]string{}
	for _, name := range files {
		file, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		for _, decl := range file.Decls {
			switch d := decl.(type) {
			case *ast.GenDecl:
				all = append(all, structs(fset, d)...)
			case *ast.FuncDecl:
				if d.Name.Name == "EventType" && d.Recv != nil {
					events[typeName(d.Recv.List[0].Type)] = returned(d)
				}
			}
		}
	}
	for i := range all {
		all[i].event = events[all[i].name]
	}
	slices.SortStableFunc(all, func(a, b payload) int {
		return cmp.Or(cmp.Compare(order(a), order(b)), cmp.Compare(a.pos.Filename, b.pos.Filename),
			cmp.Compare(a.pos.Offset, b.pos.Offset))
	})
	return all, nil
}

// order sorts events of a run first, then of turns, then of cells; types without an event come last.
func order(p payload) int {
	if p.event == "" {
		return 9
	}
	return slices.Index([]string{"data_run.go", "data_turn.go", "data_cell.go"}, filepath.Base(p.pos.Filename))
}

func structs(fset *token.FileSet, d *ast.GenDecl) (out []payload) {
	for _, spec := range d.Specs {
		t, ok := spec.(*ast.TypeSpec)
		if !ok {
			continue
		}
		s, ok := t.Type.(*ast.StructType)
		if !ok || !t.Name.IsExported() {
			continue
		}
		p := payload{name: t.Name.Name, doc: sentence(d.Doc.Text()), pos: fset.Position(t.Pos())}
		for _, f := range s.Fields.List {
			if field := fieldOf(f); field.name != "-" { // not in the log
				p.fields = append(p.fields, field)
			}
		}
		out = append(out, p)
	}
	return out
}

func fieldOf(f *ast.Field) field {
	tag, _ := strconv.Unquote(f.Tag.Value)
	name, options, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
	meaning := sentence(f.Comment.Text())
	if f.Doc != nil {
		meaning = strings.TrimPrefix(sentence(f.Doc.Text()), f.Names[0].Name+" is ")
	}
	kind := jsonType(f.Type)
	if strings.Contains(options, "omit") {
		kind += ", optional"
	}
	return field{name, kind, strings.ReplaceAll(meaning, "|", `\|`)}
}

// sentence converts a comment to Markdown on one line.
func sentence(text string) string {
	var p comment.Parser
	var out comment.Printer
	return strings.Join(strings.Fields(string(out.Markdown(p.Parse(text)))), " ")
}

// jsonType is the JSON name of a Go type.
func jsonType(t ast.Expr) string {
	switch name := typeName(t); name {
	case "string":
		return "string"
	case "bool":
		return "true or false"
	case "int", "int64":
		return "integer"
	case "float64":
		return "number"
	case "Duration":
		return "integer, nanoseconds"
	case "Text":
		return "text"
	case "RawMessage":
		return "any JSON"
	case "Usage":
		return "[Usage](#usage)"
	default:
		switch t := t.(type) {
		case *ast.ArrayType:
			return "list of " + jsonType(t.Elt)
		case *ast.MapType:
			return "object of " + jsonType(t.Value)
		}
		return name
	}
}

// typeName is the name of a type without pointer and package; "" for lists and maps.
func typeName(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.Ident:
		return t.Name
	case *ast.StarExpr:
		return typeName(t.X)
	case *ast.SelectorExpr:
		return t.Sel.Name
	}
	return ""
}

// returned is the string literal that a function returns.
func returned(d *ast.FuncDecl) string {
	if ret, ok := d.Body.List[0].(*ast.ReturnStmt); ok {
		if lit, ok := ret.Results[0].(*ast.BasicLit); ok {
			s, _ := strconv.Unquote(lit.Value)
			return s
		}
	}
	return ""
}
