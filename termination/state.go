package termination

import (
	"slices"

	"github.com/gorlm/rlm/termination/reply"
)

// State is all that a policy remembers of a run. Policy.Begin makes it, Policy.Next returns the
// one after. It is a value: a copy is independent, its size does not depend on the run's length, and it can be
// stored as JSON. What a guard counts is always "in a row", up to the latest turn.
type State struct {
	// Turns counts the turns so far.
	Turns int `json:"turns"`
	// Limit is the limit that made the coming turn the last one.
	Limit *Limit `json:"limit,omitempty"`

	Empty     int `json:"empty,omitempty"`      // empty or trivial replies
	Echoes    int `json:"echoes,omitempty"`     // imitated observations
	Prose     int `json:"prose,omitempty"`      // replies without a cell
	Errors    int `json:"errors,omitempty"`     // turns with a failing cell
	SameReply int `json:"same_reply,omitempty"` // identical replies with identical outcomes
	SameCell  int `json:"same_cell,omitempty"`  // identical cells with identical outcomes

	// LastReply, LastCells and Recent are digests of the latest turns, Recent[0] of the last one.
	LastReply digest   `json:"last_reply,omitempty"`
	LastCells digest   `json:"last_cells,omitempty"`
	Recent    []digest `json:"recent,omitempty"`

	// Identifiers are the latest names in the code of the replies, run or not, that could be mistaken for a word: no such name is
	// an answer. At most 256.
	Identifiers []string `json:"identifiers,omitempty"`

	// SentBack is set when an answer was sent back because it lacked evidence.
	SentBack bool `json:"sent_back,omitempty"`

	// Sequences is how far each done sequence got.
	Sequences []uint64 `json:"sequences,omitempty"`

	// Draft, Offered and Said are what the best partial answer is taken from, in this order: the answer map's
	// content, a call in prose that did not count, the latest prose of a reply without cells.
	Draft   string `json:"draft,omitempty"`
	Offered string `json:"offered,omitempty"`
	Said    string `json:"said,omitempty"`
}

// Partial is the best answer that the run has brought so far, should it have to end now: the content of the answer
// map that is not marked ready, else the argument of the latest completion signal in prose that was well-formed but did
// not count, else the latest reply of prose (not a trivial one, not an imitated observation).
func (s State) Partial() (answer string, ok bool) {
	for _, a := range []string{s.Draft, s.Offered, s.Said} {
		if a != "" {
			return a, true
		}
	}
	return "", false
}

// maxIdentifiers bounds State.Identifiers.
const maxIdentifiers = 256

// learn takes the names that the code of a turn uses.
func (s *State) learn(t Turn) {
	names := slices.Clone(t.Reply.Identifiers)
	for _, c := range t.Cells {
		names = reply.Identifiers(names, c.Source)
	}
	kept := slices.DeleteFunc(slices.Clone(s.Identifiers), func(n string) bool { return slices.Contains(names, n) })
	kept = append(kept, names...)
	s.Identifiers = kept[max(0, len(kept)-maxIdentifiers):]
}

// remember takes the digests of a turn and counts how often it came in a row.
func (s *State) remember(t Turn, keep int) {
	outcome := t.outcome()
	said := outcome.add(normalSpace(t.Reply.Text))
	if s.SameReply > 0 && said == s.LastReply {
		s.SameReply++
	} else {
		s.SameReply = 1
	}
	s.LastReply = said

	latest := said
	if ran := t.ran(); len(ran) == 0 {
		s.SameCell, s.LastCells = 0, 0
	} else {
		cells := outcome
		for _, c := range ran {
			cells = cells.add(normalSpace(c.Source))
		}
		if s.SameCell > 0 && cells == s.LastCells {
			s.SameCell++
		} else {
			s.SameCell = 1
		}
		s.LastCells, latest = cells, cells
	}
	s.Recent = append([]digest{latest}, s.Recent[:min(len(s.Recent), max(keep-1, 0))]...)
}

// loop is the period (2 to 10) with which the latest turns repeat for the given number of rounds, or 0.
func (s State) loop(rounds int) int {
	for period := 2; period <= maxPeriod; period++ {
		n := period * rounds
		if rounds < 2 || len(s.Recent) < n {
			continue
		}
		repeats := slices.Equal(s.Recent[:n-period], s.Recent[period:n])
		if repeats && s.Recent[0] != s.Recent[1] {
			return period
		}
	}
	return 0
}

// maxPeriod is the longest alternating loop that is recognised.
const maxPeriod = 10
