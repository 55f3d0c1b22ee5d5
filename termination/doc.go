// Package termination decides when a run stops and with which answer. It consists of pure functions and small
// values: no I/O, no clock, no interpreter, no state in the package.
//
// A turn passes through it like this:
//
//	said := reply.Parse(text, policy.Names, cut) // cells, prose, signals in prose
//	...                                          // the reply's cells run
//	name, ok := policy.Wants(turn)               // a variable that a signal in prose names
//	state, verdict := policy.Next(state, turn)   // continue, one last turn, or stop
//
// Package reply reads what a model wrote. Package answer defines answers; the notebook needs only that package.
//
// # Where things come from
//
// The package implements five descriptions of how agents end. It deviates where they contradict each other or have
// a known defect.
//
//	system            feature                                where it lives here
//	RLM patterns      FINAL, FINAL_VAR, the sentinel         answer.FinalOutput, answer.Sentinel
//	                  detection in text                      reply.Signal, reply.Position
//	                  an unknown variable                    answer.NoVariable
//	                  code blocks                            reply.Cell, reply.SkippedBlock
//	                  formatting an answer                   answer.Format, answer.Value
//	                  the answer map (content, ready)        answer.Ready
//	explicit signals  finish_response                        reply.Names, answer.ResponseOutput
//	                  finish_task, task_completed            reply.Names, answer.ParseFinish
//	                  [FINISH_STATUS:x]                      answer.Finish.Output
//	                  completion statuses                    Status, End.RequiresReview
//	one loop          response and task mode                 Mode, Policy.Mode
//	                  state of a run                         State, Policy.Begin
//	                  the guard against waste                Guard, Policy (thresholds)
//	sequences         DSL, objects, names                    ParseSequence, Sequence
//	                  strict matching                        sequence.Matcher, Turn.Events
//	                  turn limit, single round, done-if      Policy.MaxTurns, SingleRound, DoneIf…
//	                  string signals                         Policy.StringSignals
//	self-documenting  a signal must be available             Policy.Begin fails
//	completion        custom tools as signals                reply.Names.Signals
//	                  no name is written literally           reply.Names; all texts are rendered from it
//
// # What is done differently, and why
//
//   - Detection scans instead of matching regular expressions: parentheses and quotes balance, code is never text,
//     and a signal that is only mentioned is not a call. Such expressions end runs on "I will call FINAL("x") when
//     done".
//   - A signal in prose is evaluated after the reply's cells ran, not before, and never in the text of the cells.
//   - An unknown FINAL_VAR never ends a run; the model gets the list of existing names.
//   - Code blocks are found by a Markdown parser; all run in order, and none is dropped silently.
//   - A reply counts as repeated if its whole text and its outcome are the same three times, rather than its first
//     200 characters twice. Guards warn the model before they stop it, and progress resets them.
//   - Every threshold is a field of Policy, and every counter is in State, which starts afresh for each run.
//   - The model alone never completes a task: FINAL and done sequences also lead to pending_review.
//   - The finish status is at the very end of the signal's own output, so a summary cannot forge it; an unknown
//     status is an error and not "done".
//   - String signals (DONE) are off by default: models write the word for many reasons, and it counts only as a
//     whole word at the start or end of a line of prose.
//   - A done sequence follows the run's events with one machine word of progress instead of searching the history
//     again.
//   - An answer is read before any limit is checked; a limit leaves one last turn.
package termination
