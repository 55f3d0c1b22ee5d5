package termination

// Policy decides when a run stops. It is a plain value; all that it knows of a run is in State.
type Policy struct {
	// Mode decides which signals count and which statuses a run can end with.
	Mode Mode `json:"mode"`
	// Names are the registered names of the builtins.
	Names Names `json:"names"`
	// Interactive is a conversation with a person: a reply of prose ends the turn as the answer at once.
	Interactive bool `json:"interactive,omitempty"`

	// MaxTurns is the turn limit (0: none).
	MaxTurns int `json:"max_turns"`
	// MaxErrors is the number of failing turns in a row that reaches the error limit (0: none).
	MaxErrors int `json:"max_errors"`

	// TrivialChars: a reply without cells and with fewer characters is trivial.
	TrivialChars int `json:"trivial_chars"`
	// EmptyReplies is the number of empty or trivial replies in a row that stops the run.
	EmptyReplies int `json:"empty_replies"`
	// SameReplies is the number of identical replies with identical outcomes in a row that stops the run.
	SameReplies int `json:"same_replies"`
	// SameCells is the number of turns in a row with the same cells and the same outcomes that stops the run.
	SameCells int `json:"same_cells"`
	// LoopRounds is the number of rounds of an alternating loop (period 2 to 4) that stops the run.
	LoopRounds int `json:"loop_rounds"`
	// ProseReplies is the number of replies without any cell in a row that is an implicit completion.
	ProseReplies int `json:"prose_replies"`
	// Echoes is the number of replies in a row that imitate observations without a cell that stops the run.
	Echoes int `json:"echoes"`
	// ObservationMarks are the beginnings of lines that only observations have; a reply with such a
	// line imitates one.
	ObservationMarks []string `json:"observation_marks,omitempty"`

	// SingleRound ends the run after the first turn.
	SingleRound bool `json:"single_round,omitempty"`
	// DoneIfTool ends the run after a turn whose cells called a builtin or tool.
	DoneIfTool bool `json:"done_if_tool,omitempty"`
	// DoneIfResponse ends the run when one of these entities responds, DoneIfNoResponse when it does not.
	DoneIfResponse   []Entity `json:"done_if_response,omitempty"`
	DoneIfNoResponse []Entity `json:"done_if_no_response,omitempty"`
	// StringSignals are words that end the run when they stand at the start or the end of a line of
	// prose. None by default.
	StringSignals []string `json:"string_signals,omitempty"`
	// Sequences are done sequences; the first one listed that matches wins.
	Sequences []Sequence `json:"sequences,omitempty"`
}

// Entity is one who takes part in a run.
type Entity string

// The entities.
const (
	LLM   Entity = "llm"   // the model: its replies
	Agent Entity = "agent" // the notebook: its observations
	User  Entity = "user"  // a person: questions, notes of a review
)

// DefaultPolicy has every threshold at its documented default.
func DefaultPolicy(m Mode) Policy {
	return Policy{
		Mode:         m,
		Names:        DefaultNames(),
		MaxTurns:     30,
		MaxErrors:    5,
		TrivialChars: 10,
		EmptyReplies: 3,
		SameReplies:  3,
		SameCells:    3,
		LoopRounds:   3,
		ProseReplies: 3,
		Echoes:       3,
	}
}

// Guard names a guard.
type Guard string

// The guards, in order of precedence.
const (
	GuardEmpty         Guard = "empty_reply"
	GuardEcho          Guard = "echoed_observation"
	GuardRepeatedReply Guard = "repeated_reply"
	GuardRepeatedCell  Guard = "repeated_cell"
	GuardLoop          Guard = "alternating_loop"
	GuardProse         Guard = "prose_only"
	GuardErrors        Guard = "consecutive_errors"
)

// State is all that a policy remembers of a run. The zero value is the state of a fresh run;
// Begin makes it. It is copied by assignment and can be stored as JSON.
type State struct {
	// Turns counts the turns so far.
	Turns int `json:"turns"`
	// Limit is the limit that made the coming turn the last one.
	Limit *Limit `json:"limit,omitempty"`
}

// Begin is the state of a fresh run. It fails when the policy cannot work: a sequence that does
// not compile, no completion signal, an unknown mode.
func (p Policy) Begin(question string) (State, error) {
	return State{}, p.Names.Check(p.Mode)
}

// Wants names the variable whose value Next will need (a call in prose refers to it): look it up
// and set Turn.Vars before Next. It is to be asked after the cells of the turn have run.
func (p Policy) Wants(t Turn) (name string, ok bool) { return "", false }

// Next is the verdict on a turn and the state after it.
func (p Policy) Next(s State, t Turn) (State, Verdict) {
	s.Turns++
	for _, c := range t.Cells {
		if c.Final != nil {
			return s, Verdict{Action: Stop, End: &End{
				Status: Completed, Fired: ByFinal, Name: c.Final.Signal,
				Answer: c.Final.Answer, HasAnswer: true, From: FromFinal,
			}}
		}
	}
	if p.MaxTurns > 0 && s.Turns >= p.MaxTurns {
		return s, p.Abort(s, ByLimit, MaxIterations, "the turn limit is reached")
	}
	return s, Verdict{Action: Continue}
}

// Abort ends a run outside of a turn: the endpoint failed, the run was interrupted, a limit left no
// room for a last turn. The best partial answer is kept.
func (p Policy) Abort(s State, by Fired, status Status, reason string) Verdict {
	return Verdict{Action: Stop, End: &End{Status: status, Fired: by, Name: string(by), Reason: reason}}
}
