// Package exact runs checked cells exactly as the compiled program would run, and fast: a unit becomes go/ssa, each
// function of it Go closures over a typed frame, at its first call. It implements engine.Engine.
//
// # Values
//
// Every value of a cell has the memory layout, and in an interface the run-time type, that the compiler would give it. Package rtype
// makes a real run-time type of every type that a cell declares, with its name, its fields (the ones that are not
// exported too), and a method table. What native code does with a value of a cell is therefore what it does with any other: fmt,
// encoding/json, errors.As, sort, container/heap, comparison, keys of maps and type switches need nothing of their own here.
//
//   - Numbers, strings, slices, maps, channels, pointers, structs, arrays: Go's own layout. A slot of a frame, a variable, an element
//     is read and written through a pointer to its Go type.
//   - Interfaces: Go's two words. An interface type that a cell declares is a real interface type, and values in it have real
//     itabs. A call through an interface looks the method up by itab, once for each place of call.
//   - Functions: one pointer, as in Go. An interpreted function is a closure that begins like what reflect.MakeFunc makes, so that native
//     code can call it; a call from interpreted code sees that it is one and goes to its code directly.
//   - Methods of cells stand in method tables as stubs: a few bytes of machine code that call a function value of package
//     rtype's table. They call the current version of the method, whatever cell declared it.
//   - Recursive types: all named types of a cycle get their size, alignment and pointer map first, which follow from go/types alone;
//     then their fields and elements are filled in. The only place-holder is a header without its elements, and no value exists before
//     it is complete.
//   - A method added to a type by a later cell makes a new version of its run-time type, and of those that mention it, since Go keeps
//     answers about the old one. Functions are compiled again. What interfaces hold is given the new version where it can be found
//     (renew.go); type assertions in cells accept both. Versions have one layout, so that memory, maps, channels and frames are used by
//     code of either.
//
// # Frames
//
// A frame is one allocation: a header, then a typed slot for each value of the function, its constants among them, so that every
// operand is an offset. Frames are kept by the stack of a goroutine and used again; the garbage collector knows their pointer map.
// A frame remembers where it is only where something may fail or call; the place becomes line and column when a panic is described.
//
// # Identity across units
//
// The front end may remake the objects of a session. Functions, variables, methods and types are known by their names in hoisted files
// (rtype.Key): a call goes to what the engine's table has under the name when the call first runs in its frame's generation.
//
// # Stopping
//
// A builtin that ends a cell ends its goroutine with runtime.Goexit: nothing of a cell can recover from it. A run that is to stop raises a
// flag that loops look at, and closes a channel that everything that waits looks at; goroutines end the same way, and run what they deferred.
//
// # Rooms
//
//	engine.go       New, Load, Run, Var: the engine as the notebook sees it; outcome.go how a run ended; inspect.go values;
//	                renew.go values whose types have got methods; release.go what ended cells leave
//	program.go      units to go/ssa: packages and earlier declarations; source.go generic standard packages (std)
//	code.go         a compiled function and how calls lie in frames; frame.go frames and stacks; class.go copying values
//	order.go        what a statement reads after its calls, as the compiler has it
//	compile.go      slots and operands; block.go edges and terminators; instruction.go and op_*.go instructions to closures
//	plan.go         what runs as one closure, and which values share a slot; access.go how elements of slices and fields are reached;
//	                param.go parameters that are only read
//	call.go         calls of interpreted functions; native.go of compiled ones, passing.go in registers; invoke.go through interfaces;
//	                builtin.go
//	closure.go      function values; callback.go calls of them by compiled code; lend.go functions lent to compiled code; defer.go deferred calls, recover
//	bounds.go       panics of indexes; trace.go where a panic came from; rangefunc.go Go's panics of loops over functions; print.go print and println
//	goroutine.go    goroutines; stop.go stopping and the limit of the stack; chan.go channels and select
//	std*.go         what stands in for functions that print, ask the clock, the seed or the scheduler, or are slow
//	skim            regular expressions in long texts
//	rtype           run-time types, method stubs: everything that depends on the layout of the Go release, with a self-test
//
// Slots are reached through unsafe pointers everywhere here; what makes that safe is that an offset comes from the layout that its
// type was added to (rtype.Record), and is used with that type alone.
package exact
