package check

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/gorlm/rlm/repl/internal/cell"
)

// LookOver finds errors in an unfinished cell. Unlike Check, it adds no names to the session, and may miss errors
// that occur only in the hoisted cell. The error is of type cell.Errors.
func (s *Session) LookOver(number int, source string) error {
	if errs := s.tryLookOver(number, source); errs != nil {
		return errs
	}
	return nil
}

func (s *Session) tryLookOver(number int, source string) (errs cell.Errors) {
	defer func() {
		if r := recover(); r != nil {
			errs = cell.Errors{{Message: fmt.Sprintf("the cell cannot be checked (%v); write it in another way", r)}}
		}
	}()
	c, errs := cell.Parse(s.fset, number, source)
	if errs != nil {
		return errs
	}
	r, errs := s.resolve(c)
	if errs != nil {
		return errs
	}
	if failed := s.longConstants(c); failed != nil {
		return cell.Errors{failed}
	}
	s.endings(c)
	a := s.redeclare(c, r)
	if a.errs != nil || len(a.added) > 0 { // to check added methods, the earlier types would have to be made again
		return a.errs
	}
	first := s.firstFile(c, r)
	done := s.scratch(first)
	if len(done.errs) > 0 && embeddedNames(c, done.info) {
		done = s.scratch(first)
	}
	statements := declaredIn(done.info, c.Body)
	found := done.errs
	done.errs = s.firstErrors(c, slices.Clone(found))
	for _, e := range found { // add errors in functions, except for names that the cell's statements declare
		name, undefined := strings.CutPrefix(e.Msg, "undefined: ")
		if !slices.Contains(done.errs, e) && s.inFunction(c, e) && !(undefined && statements[name]) {
			done.errs = append(done.errs, e)
		}
	}
	return s.report(c, done)
}

// inFunction reports whether an error is in a function that the cell declares.
func (s *Session) inFunction(c *cell.Cell, e types.Error) bool {
	return slices.ContainsFunc(c.File.Decls, func(d ast.Decl) bool {
		fd, ok := d.(*ast.FuncDecl)
		return ok && fd.Body != nil && e.Pos >= fd.Body.Pos() && e.Pos <= fd.Body.End()
	})
}

// declaredIn returns the names that are declared anywhere in a block.
func declaredIn(info *types.Info, block *ast.BlockStmt) map[string]bool {
	out := map[string]bool{}
	for id := range info.Defs {
		if id.Pos() >= block.Pos() && id.Pos() <= block.End() {
			out[id.Name] = true
		}
	}
	return out
}
