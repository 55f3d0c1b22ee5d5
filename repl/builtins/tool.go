package builtins

import (
	"errors"

	"github.com/gorlm/rlm/repl"
)

func (m *maker) tool(s Spec, b repl.Builtin) ([]repl.Builtin, error) {
	return nil, errors.New("tools are not built yet")
}
