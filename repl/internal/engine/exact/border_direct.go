package exact

import (
	"strings"
	"unicode/utf8"

	"github.com/gorlm/rlm/repl/internal/engine/exact/mem"

	"golang.org/x/tools/go/ssa"
)

// callDirectly compiles calls of methods of strings.Builder, which loops make for each piece of a text, as direct
// calls: passing the arguments as words takes longer than the methods do. It returns nil for other functions, and
// if the results are used.
func (c *compiler) callDirectly(in *ssa.Call, fn *ssa.Function) op {
	args := in.Call.Args
	if uses(in) > 0 || len(args) != 2 {
		return nil
	}
	x, y, pc := c.operand(args[0]), c.operand(args[1]), c.point(in)
	switch fn.String() {
	case "(*strings.Builder).WriteString":
		return func(fr *frame) {
			fr.pc = pc
			b, s := *mem.Slot[*strings.Builder](fr, x), *mem.Slot[string](fr, y)
			if b.Len()+len(s) > b.Cap() {
				fr.reserve(pc, b.Len()+len(s))
			}
			b.WriteString(s)
		}
	case "(*strings.Builder).WriteByte":
		return func(fr *frame) {
			fr.pc = pc
			b := *mem.Slot[*strings.Builder](fr, x)
			if b.Len() == b.Cap() {
				fr.reserve(pc, b.Len())
			}
			b.WriteByte(*mem.Slot[byte](fr, y))
		}
	case "(*strings.Builder).WriteRune":
		return func(fr *frame) {
			fr.pc = pc
			b := *mem.Slot[*strings.Builder](fr, x)
			if b.Len()+utf8.UTFMax > b.Cap() {
				fr.reserve(pc, b.Len())
			}
			b.WriteRune(*mem.Slot[rune](fr, y))
		}
	}
	return nil
}
