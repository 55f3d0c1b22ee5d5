package lower

import (
	"go/types"
)

// subst returns t with its type parameters replaced; these occur only in functions of the standard library.
func (s *Session) subst(t types.Type, m map[*types.TypeParam]types.Type) types.Type {
	if len(m) == 0 || t == nil {
		return t
	}
	switch t := t.(type) {
	case *types.Alias:
		return s.subst(types.Unalias(t), m)
	case *types.TypeParam:
		if r, ok := m[t]; ok {
			return r
		}
		return t
	case *types.Named:
		if t.TypeArgs().Len() == 0 {
			return t
		}
		args := make([]types.Type, t.TypeArgs().Len())
		changed := false
		for i := range args {
			args[i] = s.subst(t.TypeArgs().At(i), m)
			changed = changed || args[i] != t.TypeArgs().At(i)
		}
		if !changed {
			return t
		}
		r, err := types.Instantiate(nil, t.Origin(), args, false)
		if err != nil {
			return t
		}
		return r
	case *types.Pointer:
		return types.NewPointer(s.subst(t.Elem(), m))
	case *types.Slice:
		return types.NewSlice(s.subst(t.Elem(), m))
	case *types.Map:
		return types.NewMap(s.subst(t.Key(), m), s.subst(t.Elem(), m))
	case *types.Tuple:
		return s.substTuple(t, m)
	case *types.Signature:
		return types.NewSignatureType(
			nil, nil, nil, s.substTuple(t.Params(), m), s.substTuple(t.Results(), m), t.Variadic())
	}
	return t
}

func (s *Session) substTuple(t *types.Tuple, m map[*types.TypeParam]types.Type) *types.Tuple {
	if t == nil {
		return nil
	}
	vars := make([]*types.Var, t.Len())
	for i := range vars {
		v := t.At(i)
		vars[i] = types.NewParam(v.Pos(), v.Pkg(), v.Name(), s.subst(v.Type(), m))
	}
	return types.NewTuple(vars...)
}
