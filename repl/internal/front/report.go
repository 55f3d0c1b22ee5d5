package front

import (
	"go/types"
)

// report makes the checker's errors presentable; nil if there are none.
func (s *Session) report(c *cell, pkg *types.Package, info *types.Info, found []types.Error) Errors {
	var out Errors
	for _, e := range found {
		out = append(out, s.errorAt(c, e.Pos, display(e.Msg), ""))
	}
	return out
}
