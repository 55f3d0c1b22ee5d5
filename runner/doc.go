// Package runner answers questions over contexts far larger than a model's window. A model writes Go cells, a notebook in
// a locked-down worker process runs them, and their output goes back to the model, until there is an answer or a policy
// says stop.
//
// [New] makes a [Runner] for a model. [Runner.Answer] runs a question to its end, [Runner.Run] yields what happens as it happens.
// A [Session] is a notebook and a conversation that go on from question to question. Everything that happens stands in a log
// on disk, so that a run that was interrupted continues with [Runner.Resume] without paying for a recorded call again, and so
// that a session opens again with [Runner.OpenSession], forks and replays. The events are those of package trajectory.
//
// A program that imports this package is also the program of its own workers: they are copies of the running binary, and run the init
// functions of most of its packages. Keep these cheap. They must not wait, exit or need the network, and what they start goes on in
// each worker: begin servers, database connections and reports in main. A daemon that drops root needs a program file that its new
// user may execute; a chroot needs /proc. Errors and rlm doctor say which of these it is; the page of package sandbox says more.
//
// Functions of the program (tools, models, readers, stops) are called in goroutines of this package. A panic of theirs is an error of
// the call, and one that ignores its context is left behind half a second after the context is done. What only the servers and the fleet
// of this module need of a runner lies in runner/host.
//
// # Reading the source
//
// The files in the order in which they read from top to bottom; each uses what stands below it:
//
//   - What is done with a runner and its logs: recording.go, answeras.go, runner.go, fork.go, resume.go, review.go, replay.go, verify.go
//   - What is done with a session: undo.go, context.go, assist.go, session.go, settings.go, reopen.go, exec.go
//   - One question: question.go, sessionstate.go, paths.go, run.go (the loop), verdict.go, observation.go, turn.go, compact.go
//   - What a turn brings: cells.go, endings.go, subcall.go, childcall.go, toolcall.go, outsidecall.go, recordedcalls.go, querycall.go, memo.go, callrecord.go,
//     answerschema.go (whether the answer follows the schema), sendback.go (whether it is sent back), grounding.go (what it rests on),
//     evidence.go (whether it stands in the context)
//   - What all of these stand on: request.go, deadline.go, contextlog.go, conversion.go, convertfile.go, glob.go, input.go, notebook.go,
//     stream.go, outsidetools.go, prompt.go, samples.go, conversation.go, generate.go, lost.go, lingering.go, window.go, tools.go, options.go,
//     config.go, outside.go, builtins.go,
//     form.go, result.go, cellresult.go
//
// Below the loop stand internal/journal (how every step is on disk before its effect is used, and how a run continues from
// there), internal/budget, internal/tool, internal/corpus, internal/schema (the form of an answer) and internal/gotype (Go types as JSON has them).
package runner
