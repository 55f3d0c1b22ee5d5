package check

import (
	"errors"
	"fmt"
	"go/token"
	"go/types"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/repl/internal/cell"
	"github.com/gorlm/rlm/repl/internal/stdlib"
)

// foreign matches unsafe.Pointer and the types of package reflect, except Type and Kind, in the text of a type.
// Cells cannot import these packages.
var foreign = regexp.MustCompile(`\bunsafe\.Pointer\b|\breflect\.([A-JL-SU-Z]\w*|T[^y]\w*|K[^i]\w*)`)

// expressions returns one expression for each function, variable, method and field that a package's exported
// objects give access to, and their types as text.
func expressions(pkg *types.Package) (exprs, typs []string) {
	add := func(e string, t types.Type) {
		exprs, typs = append(exprs, e), append(typs, types.TypeString(t, (*types.Package).Name))
	}
	for _, name := range pkg.Scope().Names() {
		obj := pkg.Scope().Lookup(name)
		if !token.IsExported(name) {
			continue
		}
		in := pkg.Name() + "." + name
		switch obj := obj.(type) {
		case *types.Var:
			add(in, obj.Type())
		case *types.Func:
			if obj.Signature().TypeParams().Len() == 0 {
				add(in, obj.Type())
			}
		case *types.TypeName:
			named, ok := obj.Type().(*types.Named)
			if !ok || named.TypeParams().Len() > 0 {
				break
			}
			recv := types.Type(types.NewPointer(named))
			if types.IsInterface(named) {
				recv = named
			}
			for sel := range types.NewMethodSet(recv).Methods() {
				if sel.Obj().Exported() {
					text := "(*" + in + ")." + sel.Obj().Name()
					if recv == types.Type(named) {
						text = in + "." + sel.Obj().Name()
					}
					add(text, sel.Type())
				}
			}
			if s, ok := named.Underlying().(*types.Struct); ok {
				for f := range s.Fields() {
					if f.Exported() {
						add("new("+in+")."+f.Name(), f.Type())
					}
				}
			}
		}
	}
	return exprs, typs
}

// Of all functions, variables, methods and fields that packages export, the gate refuses exactly those whose
// types mention something that reaches memory, both when a cell is run and while it is being written.
func TestGateOnWhatPackagesExport(t *testing.T) {
	s := newTestSession(t)
	refused, all := 0, 0
	for i, path := range stdlib.Packages {
		pkg, err := s.importer.Import(path)
		require.NoError(t, err)
		exprs, typs := expressions(pkg)
		source, want := fmt.Sprintf("import %q\n", path), map[int]string{}
		for line, e := range exprs {
			source += "_ = " + e + "\n"
			if found := foreign.FindString(typs[line]); found != "" {
				want[line+2] = found
			}
		}
		all, refused = all+len(exprs), refused+len(want)
		_, checked := s.Check(i+1, source)
		for _, err := range []error{checked, s.LookOver(i+1, source)} {
			got := map[int]string{}
			var errs cell.Errors
			if errors.As(err, &errs) {
				for _, e := range errs {
					got[e.Line], _ = strings.CutPrefix(e.Message, "cells cannot use ")
				}
			}
			require.Equal(t, want, got, "%s: %v", path, err)
		}
	}
	require.Greater(t, all, 1900)
	require.Greater(t, refused, 5)
	t.Logf("%d expressions, of which %d are refused", all, refused)
}
