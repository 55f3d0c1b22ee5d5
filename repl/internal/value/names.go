package value

import (
	"go/types"
	"strings"
)

// TypeName is a type as the one who wrote the cell would write it; of structs without a name the tags are left out.
func TypeName(t types.Type) string {
	if t == nil {
		return ""
	}
	return Display(types.TypeString(untagged(t, 0), func(p *types.Package) string {
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

// Display drops the marks that tell the declarations of one name apart.
func Display(s string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(s, mark)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		s = strings.TrimLeft(after, "0123456789")
	}
}

// mark stands between a name and the number of its declaration.
const mark = "ʹ"
