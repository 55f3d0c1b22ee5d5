// Package exitcode defines the exit codes of the command.
package exitcode

// The exit codes.
const (
	Answered    = 0   // there is an answer
	Failed      = 1   // the program failed
	Usage       = 2   // wrong usage; nothing ran
	Limit       = 3   // there is no answer, or none that meets the caller's conditions
	Endpoint    = 4   // the model could not be reached, or its endpoint rejected the call or withheld the replies
	Interrupted = 130 // interrupted
)
