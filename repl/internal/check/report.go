package check

import (
	"cmp"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"github.com/gorlm/rlm/internal/kit/startup"
	"github.com/gorlm/rlm/repl/internal/cell"
	"github.com/gorlm/rlm/repl/internal/engine"
)

// reporter turns the type checker's errors into errors for the cell's author.
type reporter struct {
	s    *Session
	c    *cell.Cell
	done typedFile
	info *types.Info
	file *ast.File
}

// report returns the type checker's errors with advice, in order of position and at most one for each line; nil if
// there are none.
func (s *Session) report(c *cell.Cell, done typedFile) cell.Errors {
	found := done.errs
	if len(found) == 0 {
		return nil
	}
	r := &reporter{s: s, c: c, done: done, info: done.info, file: done.file}
	lines := map[int]bool{}
	var out cell.Errors
	var kept []types.Error
	for _, e := range found {
		if strings.HasPrefix(e.Msg, "\t") { // continues the previous error
			continue
		}
		if err := c.ErrorAt(e.Pos, r.wording(e.Msg), ""); !lines[err.Line] {
			lines[err.Line] = true
			out, kept = append(out, err), append(kept, e)
		}
	}
	for i := range min(len(out), maxHints) {
		out[i].Hint = r.hint(kept[i], out[i].Message)
	}
	slices.SortStableFunc(out, func(a, b *cell.Error) int { return cmp.Or(a.Line-b.Line, a.Column-b.Column) })
	return out
}

// maxHints bounds the errors of a cell that get advice.
const maxHints = 10

// wording removes from a message whatever makes sense only in a compiler's output.
func (r *reporter) wording(msg string) string {
	msg = strings.ReplaceAll(cell.Display(msg), "main.", "")
	msg = strings.ReplaceAll(msg, engine.HostPath+".", "")
	return r.plainly(strings.ReplaceAll(msg, "interface{}", "any"))
}

var (
	undefinedName   = startup.Regexp(`^undefined: (\S+)$`)
	undefinedMember = startup.Regexp(`^(.+)\.(\S+) undefined \(type (.+) has no field or method (\S+)\)$`)
	typesMeet       = startup.Regexp(
		`cannot use|mismatched types|impossible type|cannot convert|has no field or method|missing method|does not satisfy`)
	wrongCount = startup.Regexp(`^assignment mismatch: 1 variable but (\S+?)(\(.*\))? returns 2 values$`)
	notCalled  = startup.Regexp(`^invalid operation: cannot call (?:non-function )?(\S+) `)
)

// hint returns advice about an error; empty if the message is enough.
func (r *reporter) hint(e types.Error, msg string) string {
	if m := undefinedName().FindStringSubmatch(msg); m != nil {
		return r.undefined(e, m[1])
	}
	if advice := gateAdvice(msg); advice != "" {
		return advice
	}
	if advice := r.untyped(e, msg); advice != "" {
		return advice
	}
	if m := undefinedMember().FindStringSubmatch(msg); m != nil {
		return r.member(e, m[2])
	}
	if usage := r.usage(e, msg); usage != "" {
		return usage
	}
	if advice := r.operands(e, msg); advice != "" {
		return advice
	}
	if advice := r.mistake(e, msg); advice != "" {
		return advice
	}
	if typesMeet().MatchString(msg) {
		return r.versions(msg)
	}
	if m := wrongCount().FindStringSubmatch(msg); m != nil {
		return "the second value may be an error: write x, err := …, or x, _ := … to ignore it"
	}
	if m := notCalled().FindStringSubmatch(msg); m != nil && r.callable(m[1]) {
		return m[1] + " is a variable of this cell here; give the variable another name to call the function"
	}
	return ""
}
