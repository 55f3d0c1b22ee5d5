package termination

// Turn is what one turn brought, as plain values: feeding the turns of a log again yields the
// same verdicts.
type Turn struct {
	// Reply is the parsed reply (Parse).
	Reply Reply `json:"reply"`
	// Cells are the cells that ran, in order. A cell that was not run because an earlier one failed is
	// not among them.
	Cells []CellOutcome `json:"cells,omitempty"`
	// Observation is what the model gets to see of the cells; empty when none ran. Done sequences
	// match their C[…] against it.
	Observation string `json:"observation,omitempty"`
	// Vars holds the formatted value of the variable that Policy.Wants asked for, if there is one.
	Vars map[string]string `json:"vars,omitempty"`
	// Names are the names of the notebook's variables, for messages.
	Names []string `json:"names,omitempty"`
	// Draft is the content of the answer map while it is not ready.
	Draft string `json:"draft,omitempty"`
	// Limits are the budgets that are used up, the most important first. The policy itself counts
	// turns and failing turns.
	Limits []Limit `json:"limits,omitempty"`
	// Stop is the reason that an outside condition gave for stopping; empty if none did.
	Stop string `json:"stop,omitempty"`
}

// CellOutcome is what one cell did.
type CellOutcome struct {
	Source string `json:"source"`
	// Output is everything the model sees of it: what it printed, its value, its error.
	Output string `json:"output,omitempty"`
	// Changed is a digest of the variables that the cell changed, empty if none. Two runs of the same
	// cell that print the same but change something else are progress.
	Changed string `json:"changed,omitempty"`
	// Error is the kind of failure; empty for a cell that succeeded or ended by a signal.
	Error string `json:"error,omitempty"`
	// Final is the answer that the cell recorded.
	Final *FinalOutput `json:"final,omitempty"`
	// Called are the builtins and tools that the cell called.
	Called []string `json:"called,omitempty"`
}

// NotACell is the CellOutcome.Error of an untagged block that turned out not to be Go: it counts
// as prose.
const NotACell = "NotACell"

// Limit is a budget that is used up.
type Limit struct {
	Status Status `json:"status"` // TokenLimit, CostLimit, …
	Used   string `json:"used"`   // for people, with unit
	Bound  string `json:"bound"`
}
