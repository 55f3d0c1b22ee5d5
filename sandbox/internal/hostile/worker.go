// Package hostile is a compromised worker for tests: it starts like an honest one, and then sends its host whatever
// its act sends. Only tests import it.
package hostile

import (
	"io"
	"os"
	"strings"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/sandbox/internal/jail"
	"github.com/gorlm/rlm/sandbox/internal/wire"
	"github.com/gorlm/rlm/sandbox/internal/worker"
)

// Env is the environment variable that turns a process of a test binary into a hostile worker; see Name.
const Env = "RLM_TEST_HOSTILE"

// Phase is the moment at which a worker performs its act.
type Phase string

// The phases. Until its phase begins, a worker obeys the rules.
const (
	InCells  Phase = ""         // the worker acts in each cell
	Waiting  Phase = "waiting"  // as a spare, before the host asks for anything
	Starting Phase = "starting" // when it gets its notebook, instead of the answer
	Started  Phase = "started"  // after it has answered that it has its notebook
	Again    Phase = "again"    // in the first cell that is replayed
	Moving   Phase = "moving"   // in the first cell that moves to the worker's engine
	Moved    Phase = "moved"    // in the same cell, once the worker has reported that the engine accepted it
)

// Phases are all phases but InCells.
var Phases = []Phase{Waiting, Starting, Started, Again, Moving, Moved}

// Name is the value of Env that makes a worker perform an act in a phase.
func Name(act string, in Phase) string {
	if in == InCells {
		return act
	}
	return act + " @ " + string(in)
}

// An Act is what a compromised worker does. cell is the running cell, or the next one.
type Act = func(h *Worker, cell int)

// Worker is a hostile worker.
type Worker struct {
	*wire.Conn
	raw      io.Writer
	act      Act // nil: it is honest
	odd      func(h *Worker, op wire.Op)
	phase    Phase
	bounds   wire.Bounds
	poisoned bool
}

// TakeOver turns this process into a worker that misbehaves as name describes, and never returns; without a name it
// does nothing. For acts in Native and Large the worker first locks itself in, as an honest one does.
func TakeOver(name string) {
	if name == "" {
		return
	}
	if name == "exits in init" {
		_, _ = os.Stderr.WriteString("config: there is no database\n")
		os.Exit(3)
	}
	_ = os.Setenv(worker.Env, worker.Marker(worker.Cells, worker.Open, 0, 0))
	_, rw, ok := worker.Started(worker.Cells)
	if !ok {
		os.Exit(9)
	}
	act, phase, _ := strings.Cut(name, " @ ")
	h := &Worker{Conn: wire.Worker(rw), raw: rw, phase: Phase(phase), odd: Odd[act]}
	var layers jail.Layers
	for _, acts := range []map[string]Act{Rules, Lies, Native, Large} {
		if acts[act] != nil {
			h.act = acts[act]
		}
	}
	if Native[act] != nil || Large[act] != nil {
		layers = jail.Lock(jail.Options{})
	}
	worker.Divide()
	code := make(chan int)
	go func() {
		h.send(wire.Header{Op: wire.Locked}, wire.LockedMeta{Layers: layers}, nil)
		h.serve()
		code <- 0
	}()
	os.Exit(<-code)
}

// serve answers the host's frames until there are no more.
func (h *Worker) serve() {
	if h.phase == Waiting {
		h.act(h, 1)
	}
	for {
		f, err := h.Receive()
		if err != nil {
			return
		}
		switch f.Op {
		case wire.Init:
			var meta wire.InitMeta
			_ = f.Decode(&meta)
			h.bounds = meta.Bounds
			if h.now(Starting, 1) {
				continue
			}
			h.send(wire.Header{Op: wire.Ready}, wire.ReadyMeta{}, nil)
			h.now(Started, 1)
		case wire.Context:
			h.send(wire.Header{Op: wire.Ready}, wire.ReadyMeta{}, nil)
		case wire.Vars, wire.Members, wire.Assist:
			if h.odd != nil {
				h.odd(h, f.Op)
			}
		case wire.Run:
			h.run(f)
		}
	}
}

// run handles a cell.
func (h *Worker) run(f wire.Frame) {
	var meta wire.RunMeta
	_ = f.Decode(&meta)
	if meta.Muted && h.now(Again, f.Cell) || meta.Tell && h.now(Moving, f.Cell) {
		return
	}
	if meta.Tell {
		h.send(wire.Header{Op: wire.Began, Cell: f.Cell}, nil, nil)
	}
	if !meta.Muted && h.now(Moved, f.Cell) {
		return
	}
	if h.act != nil && h.phase == InCells {
		h.act(h, f.Cell)
		return
	}
	h.honest(f)
}

// now does the act, once, if this is its phase.
func (h *Worker) now(phase Phase, cell int) bool {
	if h.phase != phase || h.act == nil {
		return false
	}
	act := h.act
	h.act = nil
	act(h, cell)
	return true
}

// honest handles a cell as an honest worker would handle one that sets a variable or answers with a text. After a
// cell that contains "poison" it exits.
func (h *Worker) honest(f wire.Frame) {
	source := string(f.Body)
	if h.poisoned {
		os.Exit(3)
	}
	h.poisoned = strings.Contains(source, "poison")
	if text, ends := strings.CutPrefix(source, `FINAL("`); ends {
		text, _, _ = strings.Cut(text, `"`)
		h.send(wire.Header{Op: wire.Final, Cell: f.Cell}, answer.FinalOutput{Type: answer.Direct, Signal: "FINAL"},
			[]byte(text))
	}
	var changed []repl.Var
	if name, _, sets := strings.Cut(source, " := "); sets {
		changed = []repl.Var{{Name: name, Type: "int"}}
	}
	h.result(f.Cell, repl.Result{Changed: changed}, "")
}
