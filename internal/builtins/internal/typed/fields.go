// Package typed turns the static Go type of a cell's variable into a JSON schema and fills the variable from a
// model's reply. It uses go/types rather than reflection, because the run-time types of an engine lose names,
// constants and unexported fields.
//
// It follows encoding/json (tags, embedding, time.Time, json.Unmarshaler of compiled types) but is stricter: a
// missing or unknown value is an error that names the field, never a zero value. A pointer or an omitempty field
// is optional. A named string or integer type with constants is an enumeration (of the constants' values for
// strings, of their names for integers); a tag enum:"a,b,c" allows fewer, or lists the values of any other field.
package typed

import (
	"go/constant"
	"go/token"
	"go/types"
	"reflect"
	"sort"
	"strings"

	"github.com/gorlm/rlm/internal/kit/celltype"
	"github.com/gorlm/rlm/internal/kit/jsonfields"
)

// field is one JSON property of a struct.
type field struct {
	celltype.Field
	optional bool
	about    string
	quote    bool  // the field holds a verbatim quote
	enum     []any // the values that its tag enum allows; nil: any
}

// fields lists the JSON properties of a struct in order.
func fields(s *types.Struct) []field {
	var out []field
	for _, f := range celltype.Fields(s) {
		enum, _ := jsonfields.EnumValues(f.Tag, holdsNumbers(f.Type)) // SchemaOf reports bad tags
		out = append(out, field{
			Field: f, optional: f.OmitEmpty || f.OmitZero ||
				isPointer(f.Type), about: about(f.Tag), quote: f.Tag.Get("cite") == "true", enum: enum,
		})
	}
	return out
}

// about returns a field's description for the model, from the tags commonly used for it.
func about(tag reflect.StructTag) string {
	for _, key := range []string{"description", "desc", "doc"} {
		if text := tag.Get(key); text != "" {
			return text
		}
	}
	for _, part := range strings.Split(tag.Get("jsonschema"), ",") {
		if text, ok := strings.CutPrefix(part, "description="); ok {
			return text
		}
	}
	return ""
}

func isPointer(t types.Type) bool {
	_, ok := types.Unalias(t).Underlying().(*types.Pointer)
	return ok
}

// special names the standard library's types with a special JSON form; "" for all others.
func special(t types.Type) string {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return ""
	}
	switch full := named.Obj().Pkg().Path() + "." + named.Obj().Name(); full {
	case "time.Time", "time.Duration", "encoding/json.Number", "encoding/json.RawMessage", "math/big.Int",
		"math/big.Float", "net/url.URL", "net/netip.Addr":
		return full
	}
	return ""
}

// choice is one value of an enumeration.
type choice struct {
	text  string // the value as it is in JSON
	value constant.Value
}

// choices lists the values of a named string or integer type that has constants, in order of value (integers) or
// of declaration (strings); nil for any other type.
func choices(t types.Type) []choice {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil || special(t) != "" {
		return nil
	}
	basic, ok := named.Underlying().(*types.Basic)
	if !ok || basic.Info()&(types.IsString|types.IsInteger) == 0 {
		return nil
	}
	scope := named.Obj().Pkg().Scope()
	if parent := named.Obj().Parent(); parent != nil {
		scope = parent
	}
	var consts []*types.Const
	for _, name := range scope.Names() {
		if c, ok := scope.Lookup(name).(*types.Const); ok && types.Identical(c.Type(), named) && name != "_" {
			consts = append(consts, c)
		}
	}
	sort.SliceStable(consts, func(i, j int) bool {
		a, b := consts[i], consts[j]
		if a.Val().Kind() == constant.Int && !constant.Compare(a.Val(), token.EQL, b.Val()) {
			return constant.Compare(a.Val(), token.LSS, b.Val())
		}
		return a.Pos() < b.Pos()
	})
	var out []choice
	for _, c := range consts {
		text := c.Name()
		if c.Val().Kind() == constant.String {
			text = constant.StringVal(c.Val())
		}
		out = append(out, choice{text, c.Val()})
	}
	return out
}
