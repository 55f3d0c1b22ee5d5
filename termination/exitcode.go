package termination

import "github.com/gorlm/rlm/internal/exitcode"

// ExitCode is the exit code of a run that ended in this way. It is 0 for an answer, even a partial one (see Status)
// or one that a person still has to review. An interruption, a failure of the endpoint (or a reply that its content
// filter withheld) and any other failure each have their own code. All other ends have the code of a limit: no
// answer, a refusal, part of an answer that was cut off, an answer without required evidence or grounding, and a
// guess after which a limit or a guard ended the run.
func (e End) ExitCode() int {
	switch e.Fired {
	case ByInterrupt:
		return exitcode.Interrupted
	case ByEndpoint:
		return exitcode.Endpoint
	case ByError:
		return exitcode.Failed
	}
	switch {
	case e.Status == ContentFilter:
		return exitcode.Endpoint
	case !e.HasAnswer, e.Status == Failed, e.Status == NotGrounded, e.Status == EvidenceMissing,
		e.Status == Refused, e.Guess && (e.Fired == ByLimit || e.Fired == byGuard):
		return exitcode.Limit
	}
	return exitcode.Answered
}
