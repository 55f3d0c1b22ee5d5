package value

import (
	"go/types"

	"github.com/gorlm/rlm/repl/internal/cell"
)

// TypeName is a type as the one who wrote the cell would write it; of structs without a name the tags are left out.
func TypeName(t types.Type) string {
	if t == nil {
		return ""
	}
	return cell.Display(types.TypeString(untagged(t, 0), func(p *types.Package) string {
		if p.Path() == "main" || p.Name() == "main" {
			return ""
		}
		return p.Name()
	}))
}

// untagged is a type whose unnamed structs have no tags.
func untagged(t types.Type, depth int) types.Type {
	if depth > maxDepth {
		return t
	}
	depth++
	switch t := t.(type) {
	case *types.Pointer:
		return types.NewPointer(untagged(t.Elem(), depth))
	case *types.Slice:
		return types.NewSlice(untagged(t.Elem(), depth))
	case *types.Array:
		return types.NewArray(untagged(t.Elem(), depth), t.Len())
	case *types.Map:
		return types.NewMap(untagged(t.Key(), depth), untagged(t.Elem(), depth))
	case *types.Chan:
		return types.NewChan(t.Dir(), untagged(t.Elem(), depth))
	case *types.Struct:
		fields := make([]*types.Var, t.NumFields())
		for i := range fields {
			f := t.Field(i)
			fields[i] = types.NewField(f.Pos(), f.Pkg(), f.Name(), untagged(f.Type(), depth), f.Embedded())
		}
		return types.NewStruct(fields, nil)
	}
	return t
}
