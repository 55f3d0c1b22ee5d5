package dyn

import (
	"go/types"
	"strings"

	"github.com/gorlm/rlm/repl/internal/value"
)

// fieldNamed finds the field for a key: by its exact name, else without regard to case.
func fieldNamed(t *types.Struct, key string) (value.Field, bool) {
	fields := value.Fields(t)
	for _, f := range fields {
		if f.Name == key {
			return f, true
		}
	}
	for _, f := range fields {
		if strings.EqualFold(f.Name, key) {
			return f, true
		}
	}
	return value.Field{}, false
}
