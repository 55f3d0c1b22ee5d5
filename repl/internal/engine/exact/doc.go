// Package exact runs checked cells exactly as the compiled program would run, and fast: a unit is converted to
// go/ssa, and each of its functions becomes, on its first call, Go closures over a typed frame. It implements
// engine.Engine.
//
// # Values
//
// Every value of a cell has the memory layout, and in an interface the run-time type, that the compiler would give
// it. Package rtype makes a real run-time type for every type that a cell declares, with its name, its fields
// (including unexported ones), and a method table. Compiled code therefore treats a cell's value like any other:
// fmt, encoding/json, errors.As, sort, container/heap, comparison, map keys and type switches need no special
// support.
//
//   - Numbers, strings, slices, maps, channels, pointers, structs, arrays: Go's own layout. A slot of a frame,
//     a variable or an element is read and written through a pointer to its Go type.
//   - Interfaces: Go's two words. An interface type that a cell declares is a real interface type, and values
//     in it have real itabs. A call through an interface looks the method up by itab and caches it at the call
//     site.
//   - Functions: one pointer, as in Go. An interpreted function is a closure that begins like a function made
//     by reflect.MakeFunc, so that compiled code can call it; interpreted code recognises it and runs its body
//     directly.
//   - Methods of cells are stubs in method tables: a few bytes of machine code that call a function value in
//     package rtype's table. They call the current version of the method, whichever cell declared it.
//   - Recursive types: all named types of a cycle first get their size, alignment and pointer map, for which
//     go/types suffices; then their fields and elements are filled in. The only placeholder is a header
//     without its elements, and no value exists before it is complete.
//   - A method added to a type by a later cell makes a new version of its run-time type, and of those that
//     mention it, because Go caches what it found out about the old one. Functions are compiled again. Values in
//     interfaces get the new version where they can be found (values_renew.go); type assertions in cells accept
//     both. Versions have one layout, so that code of either uses the same memory, maps, channels and frames.
//
// # Frames
//
// A frame is one allocation: a header, then a typed slot for each value of the function, including its constants,
// so that every operand is an offset. A goroutine's stack keeps frames and reuses them; the garbage collector knows
// their pointer map. A frame records its place in the source only where something may fail or call; the place is
// converted to a line and a column when a panic is described.
//
// A frame has one owner: the call, or the compiled function that it is lent to while that runs (border_lend). With
// the build tag framecheck a frame is never reused, it is cleared when released, and a lent function that is called
// after its call has ended ends the process.
//
// Values that a frame will not read again are dropped when memory is requested (frame_sweep): liveness is computed
// for calls and allocations when a function is compiled (compile_live).
//
// # Identity across units
//
// The front end may remake the objects of a session. Functions, variables, methods and types are identified by
// their names in hoisted files (rtype.Key): a call resolves the name in the engine's table when it first runs in
// its frame's generation.
//
// # Stopping
//
// A builtin that ends a cell panics with the sentinel of the run: frames run their deferred calls for it, recover
// does not see it, no panic of a deferred call replaces it, and the boundary of the goroutine catches it, if it
// belongs to the goroutine's own run. A run that should stop raises a flag that loops check, and closes a channel
// on which every wait selects; goroutines end the same way. A callback without room on the stack ends its goroutine
// with runtime.Goexit, as does a goroutine without a boundary (package unwind).
//
// # Files
//
// Code that does not depend on the engine is in separate packages: mem (memory whose types are known at run time;
// all uses of unsafe), rtype (run-time types and method stubs, which depend on the layout of the Go release, with a
// self-test), skim (regular expressions in long texts). The rest is one package, whose files are grouped by their
// first word:
//
//	engine    New, Load, Run, Var: the engine as the notebook sees it. engine_program: units to go/ssa;
//	          engine_earlier: declarations of earlier units; engine_source: generic standard packages (std);
//	          engine_outcome: how a run ended; engine_release: what ended cells leave behind; engine_locals:
//	          names of types that generic functions declare
//	compile   a function to closures. compile: slots and operands; compile_order: reads after a statement's
//	          calls, as the compiler orders them; compile_plan: what runs as one closure, and which values
//	          share a slot; compile_access: how elements are reached; compile_param: parameters that are only
//	          read; compile_live: what is read later; compile_block: edges and terminators; compile_branch:
//	          edges between blocks; compile_loop: loops of two blocks; compile_step: sequences of closures;
//	          the others: instructions
//	frame     frames and stacks. frame_code: compiled functions and the layout of calls in frames;
//	          frame_sweep: how dead values are dropped
//	call      calls of interpreted functions. call_invoke: through interfaces; call_closure: function values;
//	          call_defer: deferred calls and recover; call_rangefunc: Go's panics of range-over-func loops
//	border    where interpreted and compiled code meet. border_native: calls of compiled functions;
//	          border_passing: calls in registers; border_direct: calls of a few functions that are faster than
//	          that; border_callback: calls from compiled code; border_lend: frames lent to it; border_std:
//	          replacements of functions that print, use the clock, the seed or the scheduler, or are slow
//	values    values_class: copying; values_inspect: showing; values_renew: values whose types have gained
//	          methods
//	stop      stopping, and the stack limit. stop_goroutine: goroutines; stop_chan: channels and select;
//	          stop_trace: the origin of a panic; stop_bounds: panics of indexes
//
// Slots are accessed by address throughout, through package mem, which contains all of the engine's unsafe code and
// states its invariants. They hold because an offset comes from the layout that its type was added to
// (rtype.Record), and is used with that type alone.
package exact
