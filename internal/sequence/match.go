package sequence

import (
	"math/bits"
	"slices"
)

// Event is one message of a run as done sequences see it.
type Event struct {
	Type EventType `json:"event"`
	// Tools are the builtins and tools that a reply's cells called (T).
	Tools []string `json:"tools,omitempty"`
	// Content is the message: a reply's text, an observation, a user's words.
	Content string `json:"-"`
}

// Letter is the event in the notation of sequences: "T", "A", "L", "U" or "N".
func (e Event) Letter() string { return string(e.Type) }

// Responder returns the author of the message.
func (e Event) Responder() Entity {
	switch e.Type {
	case AgentEvent:
		return Agent
	case UserEvent:
		return User
	}
	return LLM
}

func (p *Pattern) matches(e Event) bool {
	if p.Responder != "" && p.Responder != e.Responder() {
		return false
	}
	switch p.Type {
	case ContentMatch:
		return p.re != nil && p.re.MatchString(e.Content)
	case ToolEvent:
		return e.Type == ToolEvent && (p.Tool == "" || slices.Contains(e.Tools, p.Tool))
	}
	return p.Type == e.Type
}

// Matcher follows the events of a run and reports when a done sequence is complete. The cost of an event does not
// depend on the number before it: for each sequence it only keeps the set of its prefixes that the latest events
// match.
type Matcher struct {
	seqs     []Sequence
	progress []uint64
	best     []int
}

// NewMatcher returns a matcher for a fresh run. The order of the sequences is their precedence.
func NewMatcher(seqs []Sequence) (*Matcher, error) {
	m := &Matcher{}
	for _, s := range seqs {
		c, err := s.Compile()
		if err != nil {
			return nil, err
		}
		m.seqs = append(m.seqs, c)
	}
	m.Resume(nil)
	return m, nil
}

// Check reports the first sequence that can never match.
func (m *Matcher) Check() error {
	for _, s := range m.seqs {
		if err := s.Check(nil); err != nil {
			return err
		}
	}
	return nil
}

// Resume continues from the state of another matcher of the same sequences; see Matched.
func (m *Matcher) Resume(progress []uint64) {
	m.best, m.progress = make([]int, len(m.seqs)), make([]uint64, len(m.seqs))
	copy(m.progress, progress)
}

// Matched returns, for each sequence, the set of its prefixes that the latest events match.
func (m *Matcher) Matched() []uint64 { return m.progress }

// Observe handles the next event. done is set when it completes a sequence; seq is the first in the list that it
// completes.
func (m *Matcher) Observe(e Event) (seq Sequence, done bool) {
	for i := range m.seqs {
		patterns := m.seqs[i].Patterns
		var hit uint64 // bit k: pattern k matches this event
		for k := range patterns {
			if patterns[k].matches(e) {
				hit |= 1 << k
			}
		}
		// Bit k of progress: the latest k+1 events match patterns 0 to k.
		m.progress[i] = (m.progress[i]<<1 | 1) & hit
		m.best[i] = max(m.best[i], bits.Len64(m.progress[i]))
		if m.progress[i]>>(len(patterns)-1)&1 == 1 && !done {
			seq, done = m.seqs[i], true
		}
	}
	return seq, done
}

// Progress is the progress of a sequence.
type Progress struct {
	Name string `json:"name"`
	// Matched is how many of its patterns the latest events match, Best the maximum so far, Of the number of
	// patterns.
	Matched int `json:"matched"`
	Best    int `json:"best"`
	Of      int `json:"of"`
}

// Progress reports the progress of each sequence.
func (m *Matcher) Progress() []Progress {
	out := make([]Progress, len(m.seqs))
	for i, s := range m.seqs {
		out[i] = Progress{Name: s.Name, Matched: bits.Len64(m.progress[i]), Best: m.best[i], Of: len(s.Patterns)}
	}
	return out
}
