package check

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
)

// operandModes makes type information for expressions that are added to a checked file. Only go/types can set an
// operand's mode, so the mode is copied from expressions that it has checked.
type operandModes struct {
	constants, types, values, variables types.TypeAndValue
}

func newOperandModes() operandModes {
	const source = "package p; func f() { var x []int; _ = x; _ = []int{}; _ = 1 }"
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", source, parser.SkipObjectResolution)
	if err != nil {
		return operandModes{}
	}
	info := newInfo()
	if _, err := new(types.Config).Check("p", fset, []*ast.File{file}, info); err != nil {
		return operandModes{}
	}
	var m operandModes
	for e, tv := range info.Types {
		switch e.(type) {
		case *ast.BasicLit:
			m.constants = tv
		case *ast.ArrayType:
			m.types = tv
		case *ast.CompositeLit:
			m.values = tv
		}
		if id, ok := e.(*ast.Ident); ok && id.Name == "x" && tv.Addressable() {
			m.variables = tv
		}
	}
	return m
}

func (m operandModes) constant(v constant.Value) types.TypeAndValue {
	tv := m.constants
	tv.Type, tv.Value = types.Typ[types.Int], v
	return tv
}

func (m operandModes) typ(t types.Type) types.TypeAndValue {
	tv := m.types
	tv.Type = t
	return tv
}

func (m operandModes) value(t types.Type) types.TypeAndValue {
	tv := m.values
	tv.Type = t
	return tv
}

func (m operandModes) variable(t types.Type) types.TypeAndValue {
	tv := m.variables
	tv.Type = t
	return tv
}
