package typed

import (
	"encoding/json"
	"fmt"
	"go/types"
	"slices"
	"strings"

	"github.com/gorlm/rlm/internal/kit/jsondoc"
)

// holdsNumbers reports whether a field's values, or those of its elements, are whole numbers in JSON.
func holdsNumbers(t types.Type) bool {
	if special(t) != "" || decodesItself(t) {
		return special(t) == "math/big.Int"
	}
	switch u := types.Unalias(t).Underlying().(type) {
	case *types.Basic:
		return u.Info()&types.IsInteger != 0 && choices(t) == nil
	case *types.Pointer:
		return holdsNumbers(u.Elem())
	case *types.Slice:
		return holdsNumbers(u.Elem())
	case *types.Array:
		return holdsNumbers(u.Elem())
	case *types.Map:
		return holdsNumbers(u.Elem())
	}
	return false
}

// checkEnum returns an error for the first value of a field, or of its elements, that the field's tag does not
// allow.
func checkEnum(tree any, allowed []any, path string) error {
	switch tree := tree.(type) {
	case []any:
		for i, item := range tree {
			if item == nil { // the element's type decides whether null is allowed
				continue
			}
			if err := checkEnum(item, allowed, fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return err
			}
		}
		return nil
	case map[string]any:
		for _, name := range sortedKeys(tree) {
			if tree[name] == nil {
				continue
			}
			if err := checkEnum(tree[name], allowed, join(path, name)); err != nil {
				return err
			}
		}
		return nil
	}
	got := tree
	if n, ok := tree.(json.Number); ok {
		got = json.Number(whole(string(n)))
	}
	if slices.Contains(allowed, got) {
		return nil
	}
	words := make([]string, len(allowed))
	for i, v := range allowed {
		words[i], _ = jsondoc.Compact(v) // text and numbers can always be encoded
	}
	return mismatch(path, "one of "+strings.Join(words, ", "), tree)
}
