package yaegi

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/traefik/yaegi/interp"

	"github.com/gorlm/rlm/repl/internal/engine"
	"github.com/gorlm/rlm/repl/internal/engine/yaegi/dyn"
)

// goroutineFailed is the panic of a goroutine as the cell's outcome. It has run what it deferred, and nobody else is hurt, so
// the session can be trusted unless the interpreter itself failed.
func (e *Engine) goroutineFailed(prog *program, p *dyn.Panic) engine.Outcome {
	if p.Broken {
		e.broken = true
	}
	out := e.describe(prog, p)
	out.Goroutine = true
	return out
}

// lateFailure is the panic of a goroutine that comes with the end of the cell.
func (e *Engine) lateFailure(failures <-chan *dyn.Panic) *dyn.Panic {
	for deadline := time.Now().Add(lateness); e.run.Running() > 0 && time.Now().Before(deadline); {
		select {
		case failed := <-failures:
			return failed
		case <-time.After(50 * time.Microsecond):
		}
	}
	select {
	case failed := <-failures:
		return failed
	default:
		return nil
	}
}

func (e *Engine) outcome(ctx context.Context, prog *program, err error) engine.Outcome {
	out := engine.Outcome{Sound: !e.broken, Running: e.run.Running()}
	switch {
	case err == nil:
		return out
	case ctx.Err() != nil:
		e.broken = true
		out.Cancelled, out.Sound = true, false
		return out
	}
	failed, ok := err.(interp.Panic)
	if !ok {
		out.Panic, out.PanicType = err, "error"
		return out
	}
	v := failed.Value
	if e.run.Sentinel(v) {
		return out
	}
	if rv, ok := v.(reflect.Value); ok && rv.IsValid() && rv.CanInterface() {
		v = rv.Interface()
	}
	if cp := e.run.Translate(v); cp != nil {
		return e.describe(prog, cp)
	}
	e.broken = true
	out.Sound = false
	out.Panic, out.PanicType = fmt.Sprintf("the interpreter failed: %v", v), "engine"
	return out
}

// describe turns a panic of a cell into an outcome.
func (e *Engine) describe(prog *program, p *dyn.Panic) engine.Outcome {
	out := engine.Outcome{Sound: !e.broken, Running: e.run.Running()}
	out.Panic, out.PanicType = p.Value, e.run.NameOf(p.Value)
	out.Frames = e.frames(e.stderr.take())
	site := e.run.SiteOf(p.Site)
	out.Cell, out.Line, out.Column = site.Cell, site.Line, site.Column
	if site.Cell != prog.cell && site.Cell != 0 && len(out.Frames) == 0 {
		out.Frames = append(out.Frames, fmt.Sprintf("%s (cell %d, line %d)", e.session.Display(site.Func), site.Cell, site.Line))
	}
	return out
}

// frames are the interpreted functions that a panic left, innermost first, at most ten.
func (e *Engine) frames(trace string) []string {
	var out []string
	for _, line := range strings.Split(trace, "\n") {
		_, name, ok := strings.Cut(line, "panic: main.")
		if !ok {
			continue
		}
		name = strings.TrimSuffix(name, "(...)")
		name, literal := strings.CutSuffix(name, ".func")
		for strings.HasSuffix(name, ".func") {
			name = strings.TrimSuffix(name, ".func")
		}
		display := e.session.Display(name)
		if display == "" {
			continue
		}
		if literal {
			display += ".func"
		}
		if len(out) > 0 && out[len(out)-1] == display && literal {
			continue
		}
		if out = append(out, display); len(out) == 10 {
			break
		}
	}
	return out
}
