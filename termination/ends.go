package termination

// Exit codes of the command.
const (
	ExitAnswered    = 0
	ExitFailed      = 1
	ExitUsage       = 2
	ExitLimit       = 3
	ExitEndpoint    = 4
	ExitInterrupted = 130
)

// ExitCode is the exit code of a run that ended.
func ExitCode(e End) int {
	switch {
	case e.Fired == ByInterrupt:
		return ExitInterrupted
	case e.HasAnswer && e.Fired != ByEndpoint && e.Fired != ByError:
		return ExitAnswered
	case e.Fired == ByEndpoint:
		return ExitEndpoint
	case e.Fired == ByLimit:
		return ExitLimit
	}
	return ExitFailed
}
