package lower

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/gorlm/rlm/repl/internal/cell"
	"github.com/gorlm/rlm/repl/internal/engine"
)

// refuseConcurrent refuses concurrency.
func refuseConcurrent(pos token.Pos, why string) {
	refuse(pos, "goroutines and channels", why,
		"do one thing after the other; llm_query_batched asks many things at once")
}

// refuseGeneric refuses a declaration with type parameters.
func refuseGeneric(list *ast.FieldList) {
	if list != nil {
		refuse(list.Pos(), "a generic declaration", "the interpreter has no types with parameters",
			"declare it for the types that you need")
	}
}

// refuse ends the lowering of the unit with a RefusedError.
func refuse(pos token.Pos, construct, why, instead string) {
	panic(&engine.RefusedError{Pos: pos, Construct: construct, Why: why, Instead: instead})
}

// soughtMethods lists the methods that compiled code and the host look for to format, encode or check a value.
var soughtMethods = []string{
	"Error", "String", "GoString", "Format", "MarshalJSON", "UnmarshalJSON", "MarshalText", "UnmarshalText", "IsZero",
}

// refuseMethod refuses a method if it is one of the soughtMethods.
func refuseMethod(name string, pos token.Pos) {
	if slices.Contains(soughtMethods, name) {
		refuse(pos, "a method "+name,
			"compiled code would not find it: the interpreter's values have lost their methods",
			"give it another name and call it yourself")
	}
}

// refuseField refuses a blank field, and an embedded field with soughtMethods.
func refuseField(v *types.Var, pos token.Pos) {
	if v.Name() == "_" {
		refuse(pos, "a field named _", "the interpreter compares and prints it", "give it a name, or leave it out")
	}
	if v.Embedded() {
		t := v.Type()
		if _, pointer := t.Underlying().(*types.Pointer); !pointer && !types.IsInterface(t) {
			t = types.NewPointer(t)
		}
		for m := range types.NewMethodSet(t).Methods() {
			refuseMethod(m.Obj().Name(), pos)
		}
	}
}

// refuseEarly refuses code that can be recognised almost without type information.
func (l *unit) refuseEarly() {
	ast.Inspect(l.u.File, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.TypeSpec:
			refuseGeneric(n.TypeParams)
		case *ast.FuncDecl:
			l.refuseFunction(n)
		case *ast.GoStmt, *ast.SelectStmt:
			refuseConcurrent(n.Pos(), "the interpreter runs one thing at a time")
		case *ast.RangeStmt:
			if isFunc(l.u.Info.TypeOf(n.X)) {
				refuse(n.X.Pos(), "a range over a function", "its body would be a function of its own",
					"collect the values first: for _, x := range slices.Collect(f)")
			}
		case *ast.InterfaceType:
			if t, ok := l.u.Info.TypeOf(n).Underlying().(*types.Interface); ok {
				interfaceType(t, n.Pos())
			}
		}
		return true
	})
}

// refuseFunction refuses generic functions, soughtMethods, and methods of types from earlier cells.
func (l *unit) refuseFunction(fd *ast.FuncDecl) {
	refuseGeneric(fd.Type.TypeParams)
	if fd.Recv == nil {
		return
	}
	refuseMethod(fd.Name.Name, fd.Name.Pos())
	if name := recvName(fd.Recv.List[0].Type); !l.declares(name) {
		refuse(fd.Pos(), "a method for a type of an earlier cell", cell.Display(name)+" is compiled by now",
			"declare the type again with all its methods")
	}
}
