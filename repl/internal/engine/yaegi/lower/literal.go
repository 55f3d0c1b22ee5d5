package lower

import (
	"go/ast"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// composite lowers a composite literal.
func (f *fn) composite(e *ast.CompositeLit, t types.Type) string {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		return f.pointerTo(e, p.Elem())
	}
	lt := f.typ(t, e.Pos())
	var parts []string
	switch u := t.Underlying().(type) {
	case *types.Struct:
		for i, el := range e.Elts {
			fi := i
			value := el
			if kv, ok := el.(*ast.KeyValueExpr); ok {
				value = kv.Value
				fi = fieldIndex(u, kv.Key.(*ast.Ident).Name)
			}
			name := u.Field(fi).Name()
			if !f.isNativeStruct(t) {
				name = fieldName(u, fi)
			}
			parts = append(parts, name+": "+f.elementValue(value, u.Field(fi).Type()))
		}
	case *types.Map:
		for _, el := range e.Elts {
			kv := el.(*ast.KeyValueExpr)
			parts = append(parts, f.elementValue(kv.Key, u.Key())+": "+f.elementValue(kv.Value, u.Elem()))
		}
	case interface{ Elem() types.Type }: // a slice or an array
		parts = f.elements(e, u.Elem())
	default:
		refuse(e.Pos(), "this literal", "the interpreter does not know its type", "assign the fields one by one")
	}
	return lt + "{" + strings.Join(parts, ", ") + "}"
}

// pointerTo lowers &T{…}.
func (f *fn) pointerTo(e *ast.CompositeLit, t types.Type) string { return "&" + f.composite(e, t) }

func (f *fn) elements(e *ast.CompositeLit, elem types.Type) []string {
	var parts []string
	keyed := slices.ContainsFunc(e.Elts, func(el ast.Expr) bool {
		_, ok := el.(*ast.KeyValueExpr)
		return ok
	})
	for i, el := range e.Elts {
		if kv, ok := el.(*ast.KeyValueExpr); ok {
			parts = append(parts, f.indexText(kv.Key)+": "+f.elementValue(kv.Value, elem))
			continue
		}
		value := f.elementValue(el, elem)
		if !keyed { // without indexes, the interpreter guesses the element type, and may fail
			value = strconv.Itoa(i) + ": " + value
		}
		parts = append(parts, value)
	}
	return parts
}

func (f *fn) elementValue(e ast.Expr, t types.Type) string {
	if lit, ok := e.(*ast.CompositeLit); ok && lit.Type == nil {
		return f.composite(lit, t)
	}
	return f.conv(e, t)
}

func fieldIndex(t *types.Struct, name string) int {
	for i := range t.NumFields() {
		if t.Field(i).Name() == name {
			return i
		}
	}
	return 0
}

// literal lowers a function literal.
func (f *fn) literal(e *ast.FuncLit) string {
	g := f.newFn(f.info, f.tparam)
	g.std, g.outer = f.std, f
	g.body(f.info.TypeOf(e).(*types.Signature), e.Body, nil)
	return "func" + g.out.String()
}
