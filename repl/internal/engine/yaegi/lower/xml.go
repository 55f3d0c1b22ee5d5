package lower

import (
	"go/token"
	"go/types"

	"github.com/gorlm/rlm/repl/internal/engine/yaegi/dyn"
)

// xmlFuncs see the shape of a struct, its tags and the names of its fields: they get the lowered value itself where it
// has all that encoding/xml would look at.
var xmlFuncs = map[string]bool{
	"encoding/xml.Unmarshal": true, "(*encoding/xml.Decoder).Decode": true,
	"encoding/xml.Marshal": true, "encoding/xml.MarshalIndent": true, "(*encoding/xml.Encoder).Encode": true,
}

var xmlMethods = []string{
	"MarshalXML", "UnmarshalXML", "MarshalXMLAttr", "UnmarshalXMLAttr", "MarshalText", "UnmarshalText",
}

// checkXML refuses what encoding/xml would treat by names or methods that the lowered type does not have.
func (f *fn) checkXML(o *types.Func, t types.Type, pos token.Pos) {
	root := t
	if p, ok := root.Underlying().(*types.Pointer); ok {
		root = p.Elem()
	}
	encodes := o.Name() == "Marshal" || o.Name() == "MarshalIndent" || o.Name() == "Encode"
	st, ok := root.Underlying().(*types.Struct)
	if encodes && !f.run.Faithful(t) && !(ok && hasXMLName(st)) {
		refuse(pos, o.FullName()+" of a type without an XMLName", "the element would be called after the type, whose name the interpreter does not keep",
			"give the struct a field XMLName xml.Name with a tag")
	}
	if what := f.xmlTrouble(t, map[string]bool{}); what != "" {
		refuse(pos, o.FullName()+" with "+what, "encoding/xml cannot see it here", "use a plain struct with named fields and tags")
	}
}

func hasXMLName(st *types.Struct) bool {
	for i := range st.NumFields() {
		if st.Field(i).Name() == "XMLName" {
			return true
		}
	}
	return false
}

func (f *fn) xmlTrouble(t types.Type, above map[string]bool) string {
	if f.run.Faithful(t) {
		return ""
	}
	key := dyn.Key(t)
	if above[key] {
		return "a recursive type"
	}
	above[key] = true
	defer delete(above, key)
	if n, ok := types.Unalias(t).(*types.Named); ok && dyn.IsUser(n) {
		set := types.NewMethodSet(types.NewPointer(n))
		for _, name := range xmlMethods {
			if set.Lookup(n.Obj().Pkg(), name) != nil {
				return "a type that has a method " + name
			}
		}
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return f.xmlTrouble(u.Elem(), above)
	case *types.Slice:
		return f.xmlTrouble(u.Elem(), above)
	case *types.Array:
		return f.xmlTrouble(u.Elem(), above)
	case *types.Basic:
		return ""
	case *types.Struct:
		for i := range u.NumFields() {
			switch fd := u.Field(i); {
			case fd.Embedded():
				return "an embedded field"
			case fd.Exported():
				if what := f.xmlTrouble(fd.Type(), above); what != "" {
					return what
				}
			}
		}
		return ""
	}
	return "a value of type " + dyn.TypeName(t)
}
