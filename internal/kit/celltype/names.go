// Package celltype writes Go types of cells as their authors wrote them, and lists the fields of structs as
// encoding/json does.
package celltype

import (
	"go/types"
	"strings"
)

// Mark is a letter that cells may not use in names. After a name from a cell it makes the name unique in a session
// (xʹ2), and the host's own names end with it.
const Mark = "ʹ"

// maxDepth bounds the nesting of a type.
const maxDepth = 100

// Display replaces names of generated code in a text by those that cells wrote: it removes marks and the digits after
// them.
func Display(text string) string {
	if !strings.Contains(text, Mark) {
		return text
	}
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, Mark)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		text = strings.TrimLeft(after, "0123456789")
	}
}

// TypeName returns a type as the author of the cell would write it, without the tags of unnamed structs.
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

// untagged returns a type whose unnamed structs have no tags.
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
