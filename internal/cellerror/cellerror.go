// Package cellerror names the reasons why cells fail.
package cellerror

// Kind is why a cell failed, in a word that the model sees.
type Kind string

// The kinds of failure. UnfitAnswer, FatalRuntime, SandboxViolation, WorkerExit and ProtocolViolation are reported
// by the host only.
const (
	NotACell          Kind = "NotACell"
	CompileError      Kind = "CompileError"
	Refused           Kind = "Refused" // valid Go that the engine would run incorrectly
	Panic             Kind = "Panic"
	GoroutinePanic    Kind = "GoroutinePanic"
	UnfitAnswer       Kind = "UnfitAnswer" // the answer does not follow the run's schema; found by the host
	BudgetExceeded    Kind = "BudgetExceeded"
	Cancelled         Kind = "Cancelled"
	Timeout           Kind = "Timeout"
	MemoryLimit       Kind = "MemoryLimit"
	StackOverflow     Kind = "StackOverflow"
	FatalRuntime      Kind = "FatalRuntime"
	Deadlock          Kind = "Deadlock"
	SandboxViolation  Kind = "SandboxViolation"
	WorkerExit        Kind = "WorkerExit"
	ProtocolViolation Kind = "ProtocolViolation"
)
