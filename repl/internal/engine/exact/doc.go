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
//     (values_renew.go); type assertions in cells accept both. Versions have one layout, so that memory, maps, channels and frames are used by
//     code of either.
//
// # Frames
//
// A frame is one allocation: a header, then a typed slot for each value of the function, its constants among them, so that every
// operand is an offset. Frames are kept by the stack of a goroutine and used again; the garbage collector knows their pointer map.
// A frame remembers where it is only where something may fail or call; the place becomes line and column when a panic is described.
//
// A frame has one owner: the call, or the compiled function that it is lent to for as long as that runs (border_lend). With the build tag
// framecheck a frame is never used twice, is emptied when it is given back, and a lent function that is called after its call ends
// the process.
//
// What a frame will not read again is let go of when memory is asked for (frame_sweep): liveness is computed for the places of calls and
// allocations when a function is compiled (compile_live).
//
// # Identity across units
//
// The front end may remake the objects of a session. Functions, variables, methods and types are known by their names in hoisted files
// (rtype.Key): a call goes to what the engine's table has under the name when the call first runs in its frame's generation.
//
// # Stopping
//
// A builtin that ends a cell panics with the sentinel of the run: frames run their deferred calls for it, recover does not see it, no panic of
// a deferred call replaces it, and the boundary of the goroutine catches it, if it is its own. A run that is to stop raises a flag that loops
// look at, and closes a channel that everything that waits looks at; goroutines end the same way. A callback without room on the stack
// ends its goroutine with runtime.Goexit, and so does what has no boundary (package unwind).
//
// # Rooms
//
// What depends on nothing of the engine is a package: mem (memory whose types are known at run time; all that is unsafe), rtype (run-time
// types, method stubs: what depends on the layout of the Go release, with a self-test), skim (regular expressions in long texts). The
// rest is one package, sorted by the first word of its files:
//
//	engine    New, Load, Run, Var: the engine as the notebook sees it. engine_program units to go/ssa, engine_earlier the declarations of earlier
//	          units, engine_source generic standard packages (std), engine_outcome how a run ended, engine_release what ended cells leave,
//	          engine_locals the names of types that generic functions declare
//	compile   a function to closures. compile slots and operands; compile_order what a statement reads after its calls, as the compiler has it;
//	          compile_plan what runs as one closure, and which values share a slot; compile_access how elements are reached, compile_param
//	          parameters that are only read, compile_live what is read later; compile_block edges and terminators, compile_branch the ways between blocks, compile_loop loops of
//	          two blocks, compile_step closures one after the other; the others instructions
//	frame     frames, stacks; frame_code compiled functions and how calls lie in frames; frame_sweep how dead values are let go of
//	call      calls of interpreted functions; call_invoke through interfaces, call_closure function values, call_defer deferred calls and
//	          recover, call_rangefunc Go's panics of loops over functions
//	border    where interpreted and compiled code meet. border_native calls of compiled functions, border_passing in registers, border_direct
//	          of a few that take less than that; border_callback calls by them, border_lend functions lent to them; border_std what stands
//	          in for functions that print, ask the clock, the seed or the scheduler, or are slow
//	values    values_class copying them, values_inspect showing them, values_renew those whose types have got methods
//	stop      stopping, and the limit of the stack; stop_goroutine goroutines, stop_chan channels and select, stop_trace where a panic came
//	          from, stop_bounds panics of indexes
//
// Slots are reached by address everywhere here, through package mem, which holds all that is unsafe of the engine, with its invariants.
// Theirs is kept because an offset comes from the layout that its type was added to (rtype.Record), and is used with that type alone.
package exact
