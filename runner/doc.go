// Package runner answers questions over contexts far larger than a model's window. A model writes Go cells, a
// notebook in a locked-down worker process runs them, and their output goes back to the model, until there is an
// answer or a policy stops the run.
//
// [New] makes a [Runner] for a model. [Runner.Answer] runs a question to its end, [Runner.Run] yields what happens
// as it happens. A [Session] is a notebook and a conversation that continue from question to question. Everything
// is recorded in a log on disk: an interrupted run continues with [Runner.Resume] without paying for a recorded
// call again, and a session can be opened again with [Runner.OpenSession], forked and replayed. The events are
// those of package trajectory.
//
// A program that imports this package also runs as its own workers: they are copies of the running binary, and run
// the init functions of most of its packages. Keep these cheap. They must not wait, exit or need the network, and
// whatever they start runs in each worker: start servers, database connections and reports in main. A daemon that
// drops root needs a program file that its new user may execute; a chroot needs /proc. Errors and rlm doctor name
// the missing condition; the documentation of package sandbox has details.
//
// The program's functions (tools, models, readers, stops) are called in goroutines of this package. A panic in one
// becomes an error of the call, and one that ignores its context is abandoned half a second after the context is
// done. Options that only the servers and the fleet of this module need are in runner/host.
//
// # Reading the source
//
// The files, in reading order; each uses those below it:
//
//   - Operations on a runner and its logs: recording.go, answeras.go, runner.go, fork.go, resume.go, review.go,
//     replay.go, verify.go
//   - Operations on a session: undo.go, context.go, assist.go, session.go, settings.go, reopen.go, exec.go
//   - One question: question.go, sessionstate.go, paths.go, run.go (the loop), verdict.go, observation.go,
//     turn.go, compact.go
//   - A turn's work: cells.go, endings.go, subcall.go, childcall.go, toolcall.go, outsidecall.go, recordedcalls.go,
//     querycall.go, memo.go, callrecord.go, answerschema.go (whether the answer follows the schema), sendback.go
//     (whether it is sent back), grounding.go and tracerinput.go (what it rests on), evidence.go (whether it occurs
//     in the context)
//   - What all of these use: request.go, deadline.go, contextlog.go, conversion.go, convertfile.go, glob.go,
//     input.go, notebook.go, stream.go, outsidetools.go, prompt.go, samples.go, conversation.go, generate.go,
//     lost.go, lingering.go, window.go, tools.go, options.go, config.go, outside.go, builtins.go, form.go, result.go,
//     cellresult.go
//
// Below the loop are internal/journal (which writes every step to disk before its effect is used, and continues a
// run from there), internal/budget, internal/tool, internal/corpus, internal/schema (the form of an answer) and
// internal/gotype (the JSON forms of Go types).
package runner
