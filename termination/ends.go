package termination

// Exit codes of the command.
const (
	ExitAnswered    = 0   // there is an answer
	ExitFailed      = 1   // the run failed, or ended without an answer
	ExitUsage       = 2   // wrong usage; nothing ran
	ExitLimit       = 3   // stopped by a limit without an answer
	ExitEndpoint    = 4   // the model could not be reached or refused
	ExitInterrupted = 130 // interrupted
)

// ExitCode is the exit code of a run that ended. An answer makes it 0, also a partial one (the status tells), also
// one that a person still has to review; but not when the endpoint failed or the run was interrupted.
func ExitCode(e End) int {
	switch {
	case e.Fired == ByInterrupt:
		return ExitInterrupted
	case e.Fired == ByEndpoint:
		return ExitEndpoint
	case e.Fired == ByError:
		return ExitFailed
	case e.HasAnswer:
		return ExitAnswered
	case e.Fired == ByLimit:
		return ExitLimit
	}
	return ExitFailed
}

// Way is one way for a run to end.
type Way struct {
	Fired    Fired
	What     string // what ends the run
	Response Status // the status in response mode; empty if it cannot happen there
	Task     Status // the status in task mode
	Answer   string // where the answer comes from
	Exit     string // exit codes
}

// Ways lists every way for a run to end, in order of precedence: the table of the documentation as data.
func Ways() []Way {
	const partial = "the best partial answer"
	const atDone = "what the last cell printed, else the reply's prose, else " + partial
	return []Way{
		{ByFinal, "FINAL or FINAL_VAR in a cell", Completed, PendingReview, "its argument", "0"},
		{BySignal, "the answer map, marked ready, at the end of its cell", Completed, PendingReview, "its content", "0"},
		{BySignal, "finish_response", Completed, "", "its summary, else the reply's prose, else " + partial, "0, or 1 without an answer"},
		{BySignal, "finish_task", "", PendingReview, "its summary, else the reply's prose, else " + partial + "; the finish status is done, partial or blocked", "0, or 1 without an answer"},
		{BySignal, "a tool registered as a completion signal", Completed, PendingReview, "what it recorded", "0"},
		{ByFinal, "FINAL in prose that counts (other signals too, as kind signal)", Completed, PendingReview, "its argument", "0"},
		{ByStop, "an outside condition", Stopped, Stopped, partial, "0, or 1 without an answer"},
		{BySequence, "a done sequence", Completed, PendingReview, atDone, "0, or 1 without an answer"},
		{BySwitch, "done_if_tool, done_if_response, done_if_no_response", Completed, PendingReview, atDone, "0, or 1 without an answer"},
		{BySignal, "a string signal", Completed, PendingReview, "the reply's prose without it; beside cells what the last one printed", "0, or 1 without an answer"},
		{BySwitch, "single_round", Completed, PendingReview, atDone, "0, or 1 without an answer"},
		{ByProse, "a reply of prose in a conversation", Completed, "", "that prose", "0"},
		{ByGuard, "empty_reply: replies without any content", EmptyResponseError, EmptyResponseError, partial, "0, or 1 without an answer"},
		{ByGuard, "empty_reply: trivial replies", ImplicitCompletion, ImplicitCompletion, partial + ", else the trivial reply", "0"},
		{ByGuard, "prose_only", ImplicitCompletion, ImplicitCompletion, "the last of the replies; if that was cut off or says nothing, the status is error", "0, or 1 without an answer"},
		{
			ByGuard, "echoed_observation, repeated_reply, repeated_cell, alternating_loop", ImplicitCompletion, ImplicitCompletion,
			partial + "; without one the status is error", "0, or 1 without an answer",
		},
		{ByLimit, "the turn limit", MaxIterations, IterationsExceeded, "the signal or the prose of the last turn, else " + partial, "0, or 3 without an answer"},
		{
			ByLimit, "a budget: token_limit, cost_limit, time_limit, sub_call_limit, depth_limit, error_limit", "its own", "its own",
			"the signal or the prose of the last turn, else " + partial, "0, or 3 without an answer",
		},
		{ByEndpoint, "the model cannot be reached, or refuses", Failed, Failed, partial, "4"},
		{ByError, "any other failure", Failed, Failed, partial, "1"},
		{ByInterrupt, "an interrupt", Stopped, Stopped, partial, "130"},
	}
}
