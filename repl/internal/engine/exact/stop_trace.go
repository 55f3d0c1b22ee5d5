package exact

import (
	"fmt"
	"go/constant"
	"go/types"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/gorlm/rlm/repl/internal/cell"
	"github.com/gorlm/rlm/repl/internal/engine"
	"github.com/gorlm/rlm/repl/internal/engine/exact/rtype"
)

// trace is the interpreted stack of a panic, innermost function first.
type trace struct{ frames []tracedFrame }

type tracedFrame struct {
	body *body
	pc   int32
}

// mostTraced bounds the recorded frames of a stack.
const mostTraced = 12

// caught records the stack of a panic in the innermost frame that handles it. It does nothing if a frame continues
// a panic that is already recorded.
func (s *stack) caught() {
	if s.again {
		s.again = false
		return
	}
	t := &trace{}
	if g := s.goroutine(); g != nil && g.trace != nil { // the panic passed through compiled code
		t, g.trace = g.trace, nil
	}
	for f := s.top; f != nil && len(t.frames) < mostTraced; f = f.caller {
		t.frames = append(t.frames, tracedFrame{f.body, f.pc &^ swept})
	}
	s.trace = t
}

// forget drops the trace of a panic that was recovered.
func (s *stack) forget() {
	s.trace, s.again = nil, false
	if g := s.goroutine(); g != nil {
		g.trace = nil
	}
}

// left passes on the trace of a panic that leaves this stack for the compiled caller.
func (s *stack) left() {
	s.caught()
	if g := s.goroutine(); g != nil {
		g.trace = s.trace
	}
}

// describe fills in the position and the frames of a panic.
func (t *trace) describe(e *Engine, out *engine.Outcome, own int) {
	for _, f := range t.frames {
		if f.body.synthetic || int(f.pc) >= len(f.body.places) {
			continue
		}
		pos := e.fset.Position(f.body.places[f.pc])
		number, ok := cellNumber(pos.Filename)
		if !ok {
			continue
		}
		if out.Line == 0 {
			out.Cell, out.Line, out.Column = number, pos.Line, pos.Column
		}
		if name := e.display(f.body.code); name != "" && len(out.Frames) < 10 {
			if number != own && number != 0 {
				name += fmt.Sprintf(" (cell %d, line %d)", number, pos.Line)
			}
			out.Frames = append(out.Frames, name)
		}
	}
}

// cellNumber parses the number of a cell from a file name such as "cell 7", and returns 0 for other names. It
// returns false for sources of standard packages, whose names begin with a slash.
func cellNumber(file string) (int, bool) {
	if text, ok := strings.CutPrefix(file, "cell "); ok {
		n, err := strconv.Atoi(text)
		return n, err == nil
	}
	return 0, file != "" && !strings.HasPrefix(file, "/")
}

// display returns a function's name as the cell's author wrote it; empty for the statements of a cell.
func (e *Engine) display(c *code) string {
	name, literal := c.settled, true
	if c.fn != nil {
		name, _, literal = strings.Cut(c.fn.Name(), "$")
	}
	if literal && c.fn != nil {
		name = outermost(c.fn).Name()
	}
	if name == e.entry {
		if literal {
			return "func"
		}
		return ""
	}
	name, _, _ = strings.Cut(name, cell.Mark)
	if recv := c.receiver(); recv != nil {
		t, _, _ := strings.Cut(recv.Type().String(), cell.Mark)
		t = strings.TrimPrefix(strings.ReplaceAll(t, "*", ""), "main.")
		name = t + "." + name
	}
	if literal {
		name += ".func"
	}
	return name
}

func (c *code) receiver() *types.Var {
	if c.fn == nil {
		return nil
	}
	return c.fn.Signature.Recv()
}

// texts makes errors of the language with the runtime's types.
var texts = rtype.NewTexts()

// runtimeError is an error of the runtime for which Go has no value.
type runtimeError string

func (e runtimeError) Error() string { return string(e) }

// RuntimeError makes runtimeError a runtime.Error.
func (runtimeError) RuntimeError() {}

func shortConst(c *ssa.Const) string { return constant.StringVal(c.Value) }

// shortName returns a type's name with its package.
func shortName(c *ssa.Const) string { return "main." + lastName(c) }

func lastName(c *ssa.Const) string {
	name, _, generic := strings.Cut(shortConst(c), "[")
	name = name[strings.LastIndexByte(name, '.')+1:]
	if generic {
		name += "[...]"
	}
	return name
}
