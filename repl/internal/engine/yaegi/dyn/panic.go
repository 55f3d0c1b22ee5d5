package dyn

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"sync"

	"github.com/gorlm/rlm/repl/internal/decide"
)

// Panic is a panic of a cell on its way up.
type Panic struct {
	Value  any // as lowered code keeps it in interfaces
	Site   int
	Broken bool // the engine itself failed
}

// RuntimeError is a run-time error with Go's words.
type RuntimeError string

// Error is the text with Go's prefix.
func (e RuntimeError) Error() string { return "runtime error: " + string(e) }

// RuntimeError marks it as a runtime.Error.
func (RuntimeError) RuntimeError() {}

// typeAssertionError has no prefix in Go.
type typeAssertionError string

func (e typeAssertionError) Error() string { return string(e) }
func (typeAssertionError) RuntimeError()   {}

const nilDereference = "invalid memory address or nil pointer dereference"

// Fault is a failure of the engine itself. No cell can recover it.
type Fault struct{ Text string }

func (f *Fault) String() string { return f.Text }

func (r *Runtime) fault(text string) *Fault { return &Fault{text} }

func (r *Runtime) runtimeError(text string, site int) *Panic {
	return &Panic{Value: RuntimeError(text), Site: site}
}

func (r *Runtime) typeError(x any, want, from *Type, site int, missing string) *Panic {
	iface := "interface {}"
	if from != nil {
		iface = from.Name
	}
	text := ""
	switch {
	case x == nil && missing == "":
		text = fmt.Sprintf("interface conversion: %s is nil, not %s", iface, want.Name)
		if isInterface(want) {
			text = fmt.Sprintf("interface conversion: interface is nil, not %s", want.Name)
		}
	case missing != "":
		text = fmt.Sprintf("interface conversion: %s is not %s: missing method %s", r.NameOf(x), want.Name, missing)
	default:
		text = fmt.Sprintf("interface conversion: %s is %s, not %s", iface, r.NameOf(x), want.Name)
		if r.NameOf(x) == want.Name {
			text += " (types from different scopes)"
		}
	}
	return &Panic{Value: typeAssertionError(text), Site: site}
}

// Panic is the panic of a cell.
func (r *Runtime) Panic(v any, site int) {
	if v == nil {
		v = new(runtime.PanicNilError)
	}
	panic(&Panic{Value: v, Site: site})
}

// Translate makes a *Panic of what was recovered natively: failures of the interpreter's reflection become what Go calls
// them. Positions that the value does not carry come from the mark. It returns nil for what is no panic of a cell.
func (r *Runtime) Translate(v any) *Panic {
	site := 0
	if r.mark != nil {
		site = *r.mark
	}
	switch e := v.(type) {
	case *Panic:
		return e
	case *Fault:
		return nil
	}
	if r.Sentinel(v) {
		return nil
	}
	switch e := v.(type) {
	case *reflect.ValueError:
		return r.runtimeError(nilDereference, site)
	case runtime.Error:
		if strings.HasPrefix(e.Error(), "interface conversion: interp") || strings.Contains(e.Error(), "interp.") {
			return nil
		}
		return &Panic{Value: e, Site: site}
	case string:
		switch {
		case strings.Contains(e, "slice index out of range"), strings.Contains(e, "string index out of range"), strings.Contains(e, "array index out of range"):
			return r.runtimeError("index out of range", site)
		case strings.HasPrefix(e, "reflect: call of nil"), strings.HasPrefix(e, "reflect: Value.Call: call of nil function"), strings.HasPrefix(e, "reflect.Value.Call: call of nil function"),
			e == "reflect: Method on nil interface value":
			return r.runtimeError(nilDereference, site)
		case strings.HasPrefix(e, "reflect"):
			return nil
		}
	}
	return &Panic{Value: v, Site: site}
}

// Panics is what a deferred function may recover from.
type Panics struct {
	current   *Panic
	recovered bool
}

// Recover is recover() in a deferred function.
func (r *Runtime) Recover(p *Panics) any {
	if p == nil || p.current == nil || p.recovered {
		return nil
	}
	p.recovered = true
	if r.Recovered != nil {
		r.Recovered()
	}
	return p.current.Value
}

// HandPanics leaves the state of panics to the function value that is called next on this goroutine.
func (r *Runtime) HandPanics(p *Panics) { r.handed.Store(goroutineID(), p) }

// TakePanics is what HandPanics left on this goroutine, if anything.
func (r *Runtime) TakePanics() *Panics {
	p, ok := r.handed.LoadAndDelete(goroutineID())
	if !ok {
		return nil
	}
	return p.(*Panics)
}

// goroutineID is the number in the head of the goroutine's stack trace; only deferred function values need it.
func goroutineID() string {
	var buf [40]byte
	head := strings.TrimPrefix(string(buf[:runtime.Stack(buf[:], false)]), "goroutine ")
	id, _, _ := strings.Cut(head, " ")
	return id
}

// Defers are the deferred calls of one function.
type Defers struct{ calls []func(*Panics) }

// NewDefers starts the list of a function.
func (r *Runtime) NewDefers() *Defers { return &Defers{} }

// Push defers a call.
func (r *Runtime) Push(d *Defers, call func(*Panics)) { d.calls = append(d.calls, call) }

// Protect runs a function's body and then its deferred calls, as Go does for panics, recoveries and runtime.Goexit.
func (r *Runtime) Protect(d *Defers, body func()) {
	current, foreign := r.attempt(d, body)
	r.unwind(d, current, foreign)
}

// ProtectEntry is Protect for a unit's entry function: one whose panic was recovered has come to its end as well.
func (r *Runtime) ProtectEntry(d *Defers, body func()) {
	current, foreign := r.attempt(d, body)
	r.unwind(d, current, foreign)
	if current != nil {
		r.ended.Store(true)
	}
}

// unwind runs what is deferred and goes on panicking unless that was recovered.
func (r *Runtime) unwind(d *Defers, current *Panic, foreign any) {
	for len(d.calls) > 0 {
		call := d.calls[len(d.calls)-1]
		d.calls = d.calls[:len(d.calls)-1]
		state := &Panics{current: current}
		next, other := r.attempt(d, func() { call(state) })
		switch {
		case other != nil:
			foreign, current = other, nil
		case next != nil:
			current = next
		case state.recovered:
			current = nil
		}
	}
	if foreign != nil {
		panic(foreign)
	}
	if current != nil {
		panic(current)
	}
}

// attempt runs body and returns its panic. If the goroutine is exiting, the rest of the deferred calls run on the way.
func (r *Runtime) attempt(d *Defers, body func()) (current *Panic, foreign any) {
	done := false
	defer func() {
		if done {
			return
		}
		v := recover()
		if v == nil { // runtime.Goexit: it cannot be stopped
			r.unwind(d, nil, nil)
			return
		}
		if current = r.Translate(v); current == nil {
			foreign = v
		}
	}()
	body()
	done = true
	return nil, nil
}

// goroutines are those that cells have started.
type goroutines struct {
	count   sync.Mutex
	running int
	current cellRun
	started map[string]*goroutine // by the runtime's name
}

// goroutine is one that a cell has started.
type goroutine struct {
	cellRun
	stream *decide.Stream
}

// cellRun is one run of a cell as its goroutines know it.
type cellRun struct {
	report   chan *Panic // takes the panic of a goroutine
	sentinel any         // what a builtin panics with that ends the cell
}

// goroutineName is what the runtime calls the calling goroutine: "goroutine 12".
func goroutineName() string {
	var buf [32]byte
	text := string(buf[:runtime.Stack(buf[:], false)])
	name, _, _ := strings.Cut(text, " [")
	return name
}

// Stale reports whether the calling goroutine was started by an earlier run than the current one.
func (r *Runtime) Stale() bool {
	r.count.Lock()
	defer r.count.Unlock()
	if len(r.started) == 0 {
		return false
	}
	g, ok := r.started[goroutineName()]
	return ok && g.report != r.current.report
}

// CellSentinel is the sentinel of the run that the calling goroutine belongs to.
func (r *Runtime) CellSentinel() any {
	r.count.Lock()
	defer r.count.Unlock()
	if len(r.started) > 0 {
		if g, ok := r.started[goroutineName()]; ok {
			return g.sentinel
		}
	}
	return r.current.sentinel
}

// Sentinel reports whether a panic's value is the sentinel of the run that the calling goroutine belongs to. That of an
// earlier run, which sync.OnceFunc may have kept, is not.
func (r *Runtime) Sentinel(v any) bool {
	r.count.Lock()
	t := reflect.TypeOf(r.current.sentinel)
	r.count.Unlock()
	return t != nil && reflect.TypeOf(v) == t && v == r.CellSentinel()
}

// Go starts a goroutine of a cell. Its panic becomes the cell's.
func (r *Runtime) Go(site int, body func()) {
	r.launch(r.next(), site, body)
}

// next is what a goroutine gets that the calling one starts.
func (r *Runtime) next() *goroutine {
	stream := r.stream().Fork()
	r.count.Lock()
	defer r.count.Unlock()
	return &goroutine{r.current, stream}
}

// WaitGroupGo is the method Go of a WaitGroup.
func (r *Runtime) WaitGroupGo(wg *sync.WaitGroup, body func()) {
	wg.Add(1)
	r.Go(0, func() {
		defer wg.Done()
		body()
	})
}

// launch starts a goroutine that tells a run of its panic.
func (r *Runtime) launch(g *goroutine, site int, body func()) {
	r.count.Lock()
	r.running++
	r.count.Unlock()
	go r.carry(g, site, body)
}

// carry is the boundary of a goroutine of a cell.
func (r *Runtime) carry(g *goroutine, site int, body func()) {
	id := goroutineName()
	r.count.Lock()
	if r.started != nil {
		r.started[id] = g
	}
	r.count.Unlock()
	defer func() {
		if v := recover(); v != nil && !r.Sentinel(v) {
			p := r.Translate(v)
			if p == nil {
				p = &Panic{Value: v, Site: site, Broken: true}
			}
			select {
			case g.report <- p:
			default:
			}
		}
		r.count.Lock() // after the report, so that a caller who sees none running has received every report
		r.running--
		delete(r.started, id)
		r.count.Unlock()
	}()
	body()
}

// Running is the number of goroutines of cells that have not ended.
func (r *Runtime) Running() int {
	r.count.Lock()
	defer r.count.Unlock()
	return r.running
}

// Begin begins a run: goroutines that are started from now on belong to it, and report a panic on the channel.
func (r *Runtime) Begin(sentinel any) <-chan *Panic {
	r.count.Lock()
	defer r.count.Unlock()
	r.current = cellRun{make(chan *Panic, 1), sentinel}
	if r.started == nil {
		r.started = map[string]*goroutine{}
	}
	return r.current.report
}

// Ended is called at the end of a unit's entry function.
func (r *Runtime) Ended() { r.ended.Store(true) }

// Start runs a unit's entry function and makes sure that it came to its end: an interpreter that leaves it early must
// not pass for a cell that is done.
func (r *Runtime) Start(entry func()) {
	r.ended.Store(false)
	entry()
	if !r.ended.Load() && !r.stopped.Load() {
		panic(r.fault("it left the cell before its end"))
	}
}

// Stop says that the unit is being cancelled.
func (r *Runtime) Stop() { r.stopped.Store(true) }

// Index panics for an index out of range.
func (r *Runtime) Index(i, n, site int) {
	if i < 0 {
		panic(r.runtimeError(fmt.Sprintf("index out of range [%d]", i), site))
	}
	panic(r.runtimeError(fmt.Sprintf("index out of range [%d] with length %d", i, n), site))
}

// Ix checks an index and returns it.
func (r *Runtime) Ix(i, n, site int) int {
	if uint(i) >= uint(n) {
		r.Index(i, n, site)
	}
	return i
}

// None stands for an operand of a slice expression that is not there.
const None = -1 << 62

// Bounds checks the operands of a slice expression as Go does.
func (r *Runtime) Bounds(lo, hi, most, length, capacity, site int) {
	text := ""
	limit, what := capacity, "capacity"
	if most != None {
		switch {
		case most < 0:
			text = fmt.Sprintf("slice bounds out of range [::%d]", most)
		case most > capacity:
			text = fmt.Sprintf("slice bounds out of range [::%d] with capacity %d", most, capacity)
		case hi < 0 && hi != None:
			text = fmt.Sprintf("slice bounds out of range [:%d:]", hi)
		case hi > most:
			text = fmt.Sprintf("slice bounds out of range [:%d:%d]", hi, most)
		case lo < 0 && lo != None:
			text = fmt.Sprintf("slice bounds out of range [%d::]", lo)
		case lo > hi:
			text = fmt.Sprintf("slice bounds out of range [%d:%d:]", lo, hi)
		}
	} else {
		if hi == None {
			hi = length
		}
		switch {
		case hi < 0:
			text = fmt.Sprintf("slice bounds out of range [:%d]", hi)
		case hi > limit:
			text = fmt.Sprintf("slice bounds out of range [:%d] with %s %d", hi, what, limit)
		case lo < 0 && lo != None:
			text = fmt.Sprintf("slice bounds out of range [%d:]", lo)
		case lo > hi:
			text = fmt.Sprintf("slice bounds out of range [%d:%d]", lo, hi)
		}
	}
	if text != "" {
		panic(r.runtimeError(text, site))
	}
}

// Low and High are the operands of a checked slice expression.
func (r *Runtime) Low(lo int) int {
	if lo == None {
		return 0
	}
	return lo
}

// High is the upper bound.
func (r *Runtime) High(hi, length, capacity int) int {
	if hi == None {
		return length
	}
	return hi
}

// Substring is s[lo:hi].
func (r *Runtime) Substring(s string, lo, hi, site int) string {
	if hi == None {
		hi = len(s)
	}
	if lo == None {
		lo = 0
	}
	switch {
	case hi < 0:
		panic(r.runtimeError(fmt.Sprintf("slice bounds out of range [:%d]", hi), site))
	case hi > len(s):
		panic(r.runtimeError(fmt.Sprintf("slice bounds out of range [:%d] with length %d", hi, len(s)), site))
	case lo < 0:
		panic(r.runtimeError(fmt.Sprintf("slice bounds out of range [%d:]", lo), site))
	case lo > hi:
		panic(r.runtimeError(fmt.Sprintf("slice bounds out of range [%d:%d]", lo, hi), site))
	}
	return s[lo:hi]
}

// Nil panics for a nil pointer.
func (r *Runtime) Nil(site int) { panic(r.runtimeError(nilDereference, site)) }

// Divide panics for a division by zero.
func (r *Runtime) Divide(site int) { panic(r.runtimeError("integer divide by zero", site)) }

// Shift checks a shift count.
func (r *Runtime) Shift(n int64, site int) uint {
	if n < 0 {
		panic(r.runtimeError("negative shift amount", site))
	}
	return uint(n)
}

// MakeLen checks the length of a slice to be made.
func (r *Runtime) MakeLen(n, site int) int {
	if n < 0 || n > 1<<46 {
		panic(r.runtimeError("makeslice: len out of range", site))
	}
	return n
}

// MakeCap checks the capacity of a slice to be made.
func (r *Runtime) MakeCap(n, c, site int) int {
	if c < n || c > 1<<46 {
		panic(r.runtimeError("makeslice: cap out of range", site))
	}
	return c
}

// RangeDone panics when an iterator goes on after its loop has ended.
func (r *Runtime) RangeDone(site int) {
	panic(r.runtimeError("range function continued iteration after function for loop body returned false", site))
}
