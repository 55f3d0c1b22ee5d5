// Package cellerror names why cells fail.
package cellerror

// Kind names why a cell failed, in the words the model is told.
type Kind string

// The kinds of failure. Those below Panic are found by the host when a worker dies.
const (
	NotACell          Kind = "NotACell"
	CompileError      Kind = "CompileError"
	Refused           Kind = "Refused" // valid Go that the engine would run wrongly
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
