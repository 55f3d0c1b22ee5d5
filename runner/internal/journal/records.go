package journal

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/gorlm/rlm/internal/cellerror"
	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
)

// Cells returns, by path, the cells that ran and the replies to their calls, for restoring a notebook.
func Cells(events []trajectory.Event) map[string][]sandbox.CellRecord {
	b := recordBook{
		started: map[cellAt]trajectory.CellStarted{}, calls: map[cellAt][]sandbox.CallRecord{},
		out: map[string][]sandbox.CellRecord{},
	}
	for _, ev := range events {
		b.add(ev)
	}
	return b.out
}

type cellAt struct {
	path string
	cell int
}

type recordBook struct {
	started map[cellAt]trajectory.CellStarted
	calls   map[cellAt][]sandbox.CallRecord
	out     map[string][]sandbox.CellRecord
}

func (b *recordBook) add(ev trajectory.Event) {
	switch d := ev.Data.(type) {
	case trajectory.CellStarted:
		b.started[cellAt{ev.Path, d.Cell}] = d
	case trajectory.SubCallEnded:
		k := cellAt{ev.Path, d.Cell}
		b.calls[k] = append(b.calls[k], sandbox.CallRecord{Hash: d.Hash, N: d.N, Reply: Reply(d)})
	case trajectory.CellEnded:
		b.ended(ev.Path, d)
	case trajectory.Restored:
		b.out[ev.Path] = slices.DeleteFunc(
			b.out[ev.Path], func(c sandbox.CellRecord) bool { return slices.Contains(d.LeftOut, c.Cell) })
	}
}

func (b *recordBook) ended(path string, d trajectory.CellEnded) {
	k := cellAt{path, d.Cell}
	s := b.started[k]
	if d.Kept == "" && LeftNothing(cellerror.Kind(d.ErrorKind)) {
		return
	}
	res, err := Result(d)
	if err != nil {
		return
	}
	record := sandbox.CellRecord{
		Cell: d.Cell, Source: s.Source, Untagged: s.Untagged, Seed: s.Seed, Clock: res.Clock, Fired: res.Fired,
		Calls: b.calls[k], Took: res.Duration, Computed: d.Computed, Changed: res.Changed,
	}
	if d.Kept != "" {
		record = record.As(repl.Kept{Source: d.Kept})
	}
	b.out[path] = append(b.out[path], record)
}

// Result returns the result of a cell as a type of package repl; trajectory.CellResult has the same form for users
// without repl.
func Result(d trajectory.CellEnded) (res repl.Result, err error) {
	if err = json.Unmarshal(d.Result, &res); err != nil {
		err = fmt.Errorf("reading cell %d from the log: %w", d.Cell, err)
	}
	return res, err
}

// Marks returns, by path, the marks of all cells, including cells that are not run again.
func Marks(events []trajectory.Event) map[string][]trajectory.Mark {
	marks := map[string][]trajectory.Mark{}
	for _, ev := range events {
		if d, ok := ev.Data.(trajectory.CellEnded); ok {
			marks[ev.Path] = append(marks[ev.Path], d.Marks...)
		}
	}
	return marks
}

// LeftNothing reports whether a cell with this error must not be run again, because it never ran or ended its
// worker.
func LeftNothing(k cellerror.Kind) bool {
	switch k {
	case cellerror.NotACell, cellerror.CompileError, cellerror.Refused,
		cellerror.Timeout, cellerror.MemoryLimit, cellerror.StackOverflow, cellerror.FatalRuntime, cellerror.Deadlock,
		cellerror.SandboxViolation, cellerror.WorkerExit, cellerror.ProtocolViolation, cellerror.Cancelled:
		return true
	}
	return false
}

// LastCell is the highest number of a cell of the root that was started.
func LastCell(events []trajectory.Event) int {
	last := 0
	for _, ev := range events {
		if d, ok := ev.Data.(trajectory.CellStarted); ok && ev.Path == "" {
			last = max(last, d.Cell)
		}
	}
	return last
}

// Engine is the engine of the last cell of the run at a path; empty if none ran.
func Engine(events []trajectory.Event, path string) repl.Engine {
	last := ""
	for _, ev := range events {
		if ev.Path != path {
			continue
		}
		switch d := ev.Data.(type) {
		case trajectory.CellStarted:
			last = d.Engine
		case trajectory.EngineMoved:
			last = d.To
		}
	}
	return repl.Engine(last)
}
