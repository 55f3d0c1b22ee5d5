package termination

import (
	"slices"

	"github.com/gorlm/rlm/internal/reply"
)

// State is everything that a policy remembers about a run. Policy.Begin returns the first state, Policy.Next the
// following ones. It is a value: copies are independent, its size does not grow with the run, and it can be stored
// as JSON. Counters for guards count turns in a row, up to the latest.
type State struct {
	// Turns counts the turns so far.
	Turns int `json:"turns"`
	// Limit is the limit that made the next turn the last one.
	Limit *Limit `json:"limit,omitempty"`

	Withheld  int `json:"withheld,omitempty"`   // filtered replies and refusals, without a cell
	Empty     int `json:"empty,omitempty"`      // empty or trivial replies
	Echoes    int `json:"echoes,omitempty"`     // imitated observations
	Prose     int `json:"prose,omitempty"`      // replies without a cell
	Errors    int `json:"errors,omitempty"`     // turns with a failing cell
	SameReply int `json:"same_reply,omitempty"` // identical replies with identical outcomes
	SameCell  int `json:"same_cell,omitempty"`  // identical cells with identical outcomes

	// LastReply, LastCells and Recent are digests of the latest turns; Recent[0] is the last one.
	LastReply digest   `json:"last_reply,omitempty"`
	LastCells digest   `json:"last_cells,omitempty"`
	Recent    []digest `json:"recent,omitempty"`

	// Identifiers are the latest names in the code of the replies, run or not, that could be mistaken for a word:
	// such a name is never an answer. At most 256.
	Identifiers []string `json:"identifiers,omitempty"`

	// SentBack is set when an answer was sent back, which happens once in a run: see Policy.SendBack.
	SentBack bool `json:"sent_back,omitempty"`

	// Unread means that there is a text of which the first message showed at most a part, and that no cell of an
	// earlier turn has succeeded and shown output. The caller sets it after Begin.
	Unread bool `json:"unread,omitempty"`
	// Look is a cell that looks at the text; reminders show it. The caller sets it after Begin.
	Look string `json:"look,omitempty"`
	// Shown means that a cell of the latest turn succeeded and showed output, more than its own words and the size of
	// the text, which the model sees when it writes the next reply.
	Shown bool `json:"shown,omitempty"`
	// Ran means that a cell that does not answer has run; Succeeded means that such a cell has succeeded.
	Ran       bool `json:"ran,omitempty"`
	Succeeded bool `json:"succeeded,omitempty"`

	// Sequences is the progress of each done sequence.
	Sequences []uint64 `json:"sequences,omitempty"`

	// Draft, Offered and Said are the sources of the best partial answer, in this order: the answer map's content,
	// a call in prose that did not count, the latest prose of a reply without cells.
	Draft   string `json:"draft,omitempty"`
	Offered string `json:"offered,omitempty"`
	Said    string `json:"said,omitempty"`
}

// Partial returns the best answer so far, in case the run has to end now: the content of the answer map that is
// not marked ready, else the argument of the latest completion signal in prose that was well-formed but did not
// count, else the latest reply of prose (not a trivial one, not an imitated observation). While the text is
// unread, only the answer map counts.
func (s State) Partial() (answer string, ok bool) {
	candidates := []string{s.Draft, s.Offered, s.Said}
	if s.Unread {
		candidates = candidates[:1]
	}
	for _, a := range candidates {
		if a != "" {
			return a, true
		}
	}
	return "", false
}

// view updates what the model had seen when it wrote the turn's reply, and what it will see for the next one. The
// output of a cell that answers is never shown.
func (s *State) view(t Turn) {
	s.Unread, s.Shown = s.Unread && !s.Shown, false
	for _, c := range t.ran() {
		if c.Final != nil {
			continue
		}
		s.Ran = true
		if c.Error == "" {
			s.Succeeded = true
			s.Shown = s.Shown || c.shows()
		}
	}
}

// maxIdentifiers bounds State.Identifiers.
const maxIdentifiers = 256

// learn records the identifiers in the code of a turn.
func (s *State) learn(t Turn) {
	names := slices.Clone(t.Reply.Identifiers)
	for _, c := range t.Cells {
		names = reply.Identifiers(names, c.Source)
	}
	kept := slices.DeleteFunc(slices.Clone(s.Identifiers), func(n string) bool { return slices.Contains(names, n) })
	kept = append(kept, names...)
	s.Identifiers = kept[max(0, len(kept)-maxIdentifiers):]
}

// remember records the digests of a turn and counts how often it was repeated in a row.
func (s *State) remember(t Turn, keep int) {
	outcome := t.outcome()
	said := outcome.add(normalSpace(t.Reply.Text))
	if said == s.LastReply {
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
		if cells == s.LastCells {
			s.SameCell++
		} else {
			s.SameCell = 1
		}
		s.LastCells, latest = cells, cells
	}
	s.Recent = append([]digest{latest}, s.Recent[:min(len(s.Recent), max(keep-1, 0))]...)
}

// loop returns the period (2 to 10) with which the latest turns repeat for the given number of rounds, or 0.
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

// maxPeriod is the longest period of a loop that is recognised.
const maxPeriod = 10
