package schema

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"reflect"
	"strconv"
	"strings"
)

// Short parses the short form of a schema: fields as in Go, separated by commas ("name string, year int, tags
// []string"), or one Go type ("[]string"). A pointer is a value that may be null. Types consist of the basic ones,
// time.Time, any, lists, maps keyed by string, and structs.
func Short(text string) (*Schema, error) {
	v, err := shortForm(text)
	if err != nil {
		return nil, fmt.Errorf("the schema %q: %w", text, err)
	}
	return Parse(compact(v))
}

func shortForm(text string) (object, error) {
	text = markKeywords(text)
	if expr, err := parser.ParseExpr(text); err == nil {
		if _, product := expr.(*ast.BinaryExpr); !product { // "n *int" is a field
			return typeForm(expr)
		}
	}
	var fields []string
	for _, part := range atCommas(text) {
		if part = strings.TrimSpace(part); part != "" {
			fields = append(fields, part)
		}
	}
	for i := len(fields) - 2; i >= 0; i-- { // "a, b string": a has b's type
		if !strings.ContainsAny(fields[i], " \t") {
			_, typ, _ := strings.Cut(fields[i+1], " ")
			fields[i] += " " + typ
		}
	}
	expr, err := parser.ParseExpr("struct{" + strings.Join(fields, ";") + "}")
	if err != nil || len(fields) == 0 {
		return nil, errors.New(`it is neither a file, nor fields with their Go types such as "name string, year int", nor a Go type`)
	}
	return typeForm(expr)
}

// keywordMark follows a field name that is a Go keyword, so that Go's parser accepts it.
const keywordMark = "ǃ"

// markKeywords marks the field names that are keywords, such as type and range.
func markKeywords(text string) string {
	var (
		s    scanner.Scanner
		file = token.NewFileSet().AddFile("", -1, len(text))
		b    strings.Builder
		done int
	)
	s.Init(file, []byte(text), nil, 0)
	before, tok, at := token.COMMA, token.COMMA, 0
	for tok != token.EOF {
		pos, next, _ := s.Scan()
		end := at + len(tok.String())
		if tok.IsKeyword() && beginsField(before) && !beginsType(tok, next, text[end:]) {
			b.WriteString(text[done:end] + keywordMark)
			done = end
		}
		before, tok, at = tok, next, file.Offset(pos)
	}
	return b.String() + text[done:]
}

// beginsField reports whether a field may begin after a token.
func beginsField(behind token.Token) bool {
	return behind == token.COMMA || behind == token.SEMICOLON || behind == token.LBRACE
}

// beginsType reports whether a keyword begins a type, given the token and the text that follow it.
func beginsType(keyword, next token.Token, rest string) bool {
	switch keyword {
	case token.MAP: // "map []string" is a field
		_, inBrackets, found := strings.Cut(rest, "[")
		return next == token.LBRACK && found && !strings.HasPrefix(strings.TrimSpace(inBrackets), "]")
	case token.STRUCT, token.INTERFACE:
		return next == token.LBRACE
	case token.FUNC:
		return next == token.LPAREN
	}
	return false
}

// atCommas splits a text at commas outside brackets and tags.
func atCommas(text string) []string {
	var parts []string
	depth, begin, tag := 0, 0, false
	for i, c := range text {
		if tag = tag != (c == '`'); tag {
			continue
		}
		switch c {
		case '{', '[', '(':
			depth++
		case '}', ']', ')':
			depth--
		case ',':
			if depth == 0 {
				parts, begin = append(parts, text[begin:i]), i+1
			}
		}
	}
	return append(parts, text[begin:])
}

// typeForm converts a Go type to a schema.
func typeForm(expr ast.Expr) (object, error) {
	switch t := expr.(type) {
	case *ast.ParenExpr:
		return typeForm(t.X)
	case *ast.Ident:
		return namedForm(t.Name)
	case *ast.SelectorExpr:
		if x, ok := t.X.(*ast.Ident); ok {
			return namedForm(x.Name + "." + t.Sel.Name)
		}
	case *ast.StarExpr:
		of, err := typeForm(t.X)
		return nullable(of), err
	case *ast.ArrayType:
		of, err := typeForm(t.Elt)
		if t.Len == nil {
			return object{{"type", "array"}, {"items", of}}, err
		}
		if size, ok := t.Len.(*ast.BasicLit); ok {
			if n, e := strconv.Atoi(size.Value); e == nil {
				return object{{"type", "array"}, {"items", of}, {"minItems", n}, {"maxItems", n}}, err
			}
		}
	case *ast.MapType:
		if key, ok := t.Key.(*ast.Ident); !ok || key.Name != "string" {
			return nil, errors.New("the keys of a JSON object are text: use a map keyed by string")
		}
		of, err := typeForm(t.Value)
		return object{{"type", "object"}, {"additionalProperties", of}}, err
	case *ast.StructType:
		return structForm(t)
	case *ast.InterfaceType:
		if t.Methods.NumFields() == 0 {
			return object{}, nil
		}
	}
	return nil, errors.New("an answer is made of the basic types, time.Time, any, lists, maps keyed by string and structs")
}

func structForm(t *ast.StructType) (object, error) {
	props, required := object{}, []any{}
	for _, f := range t.Fields.List {
		if len(f.Names) == 0 {
			return nil, fmt.Errorf("a field has no type, or no name: write \"name string, year int\"")
		}
		of, err := typeForm(f.Type)
		if err != nil {
			return nil, fmt.Errorf("field %s: %w", f.Names[0].Name, err)
		}
		var tag reflect.StructTag
		if f.Tag != nil {
			text, _ := strconv.Unquote(f.Tag.Value)
			tag = reflect.StructTag(text)
		}
		if text := about(tag); text != "" {
			of = append(of, member{"description", text})
		}
		named, options, _ := strings.Cut(tag.Get("json"), ",")
		if options != "" || named == "-" || named != "" && len(f.Names) > 1 {
			return nil, fmt.Errorf("field %s: of the tag json only a name is taken here", f.Names[0].Name)
		}
		for _, ident := range f.Names {
			name := cmp.Or(named, strings.TrimSuffix(ident.Name, keywordMark))
			if _, twice := props.Get(name); twice {
				return nil, fmt.Errorf("the field %s is there twice", name)
			}
			props, required = append(props, member{name, of}), append(required, name)
		}
	}
	return closedObject(props, required), nil
}

// closedObject is an object with these properties and no others.
func closedObject(props object, required []any) object {
	return object{{"type", "object"}, {"properties", props}, {"required", required}, {"additionalProperties", false}}
}

func namedForm(name string) (object, error) {
	switch name {
	case "string":
		return object{{"type", "string"}}, nil
	case "bool":
		return object{{"type", "boolean"}}, nil
	case "float64", "float32":
		return object{{"type", "number"}}, nil
	case "int", "int8", "int16", "int32", "int64", "rune":
		return object{{"type", "integer"}}, nil
	case "uint", "uint8", "uint16", "uint32", "uint64", "byte":
		return object{{"type", "integer"}, {"minimum", 0}}, nil
	case "time.Time":
		return object{{"type", "string"}, {"format", "date-time"}}, nil
	case "any":
		return object{}, nil
	}
	return nil, fmt.Errorf("there is no type %s here: an answer is made of the basic types, time.Time, any, lists, maps keyed by string and structs", name)
}

// nullable allows null for "there is none".
func nullable(of object) object {
	if len(of) == 0 {
		return of
	}
	if typ, ok := of.Get("type"); ok && len(of) == 1 {
		return object{{"type", []any{typ, "null"}}}
	}
	return object{{"anyOf", []any{of, object{{"type", "null"}}}}}
}
