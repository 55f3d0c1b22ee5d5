package openai

import (
	"fmt"
	"sync"
	"time"

	"github.com/gorlm/rlm/internal/kit/files"
)

// turn is a question of the API, with the session and the number of its run, so that later requests can continue
// it.
type turn struct {
	ID      string `json:"id"` // id of its response
	Who     string `json:"who"`
	Session string `json:"session"`
	Run     int    `json:"run"` // number of the question in its session
	// Said is a hash of the conversation up to the answer. A client that sends this conversation again continues in
	// the notebook.
	Said   string `json:"said,omitempty"`
	Schema string `json:"schema,omitempty"` // hash of the answer's schema
	// Pair is a hash of only the question and its answer, and Before is the id of the turn that this one continues.
	// They are for clients that leave out the oldest messages.
	Pair   string `json:"pair,omitempty"`
	Before string `json:"before,omitempty"`
	System string `json:"system,omitempty"` // hash of the system prompt
	Sent   string `json:"sent,omitempty"`   // hash of the request
	// Unstored means that the client will not retrieve the answer later.
	Unstored     bool              `json:"unstored,omitempty"`
	Conversation string            `json:"conversation,omitempty"`
	Model        string            `json:"model"`
	Background   bool              `json:"background,omitempty"`
	Metadata     map[string]string `json:"metadata,omitempty"`
	Instructions string            `json:"instructions,omitempty"`
	Created      time.Time         `json:"created"`
	Deleted      bool              `json:"deleted,omitempty"`
}

// turns stores the turns of a data folder.
type turns struct {
	kept files.Journal[string, turn]

	mu   sync.Mutex
	said map[string]string // ids by caller and Said
	conv map[string]string // ids by caller and conversation id
	sent map[string]string // ids by caller and request
	pair map[string]string // ids by caller and Pair; "" if turns of several sessions have the same
}

// mostTurns is the maximum number of stored turns. Sessions stay longer than their turns.
const mostTurns = 100_000

func openTurns(file string) (*turns, error) {
	t := &turns{
		said: map[string]string{}, conv: map[string]string{}, sent: map[string]string{},
		pair: map[string]string{},
	}
	t.kept = files.Journal[string, turn]{
		Key: func(one turn) string { return one.ID }, Counts: func(one turn) bool {
			return one.ID != ""
		}, Most: mostTurns,
	}
	all, err := t.kept.Open(file)
	if err != nil {
		return nil, fmt.Errorf("read the turns of the API: %w", err)
	}
	for _, one := range all {
		t.index(one)
	}
	return t, nil
}

func (t *turns) close() error { return t.kept.Close() }

// index adds a turn to the indexes. The caller holds mu, or is the only user of t.
func (t *turns) index(one turn) {
	if one.Deleted {
		return
	}
	if one.Said != "" {
		t.said[one.Who+" "+one.Said] = one.ID
	}
	if one.Sent != "" {
		t.sent[one.Who+" "+one.Sent] = one.ID
	}
	if one.Pair != "" {
		id, other := t.pair[one.Who+" "+one.Pair]
		if before, ok := t.get(id); other && (!ok || before.Session != one.Session) {
			one.ID = ""
		}
		t.pair[one.Who+" "+one.Pair] = one.ID
	}
	if one.Conversation != "" {
		t.conv[one.Who+" "+one.Conversation] = one.ID
	}
}

// keep stores a turn.
func (t *turns) keep(one turn) error {
	if err := t.kept.Put(one); err != nil {
		return fmt.Errorf("keep a turn: %w", err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.index(one)
	return nil
}

// get returns a turn, unless it was deleted.
func (t *turns) get(id string) (turn, bool) {
	one, ok := t.kept.Get(id)
	return one, ok && !one.Deleted
}

// of returns the turn with an id, if it is the caller's and may be retrieved.
func (t *turns) of(who Caller, id string) (turn, bool) {
	one, ok := t.get(id)
	return one, ok && one.Who == who.Scope() && !one.Unstored
}

// find returns a caller's turn, using one of the indexes.
func (t *turns) find(who Caller, index map[string]string, what string) (turn, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.get(index[who.Scope()+" "+what])
}

// after returns the turn that ended with the conversation with the hash said.
func (t *turns) after(who Caller, said string) (turn, bool) { return t.find(who, t.said, said) }

// in returns the last turn of a conversation.
func (t *turns) in(who Caller, conversation string) (turn, bool) {
	return t.find(who, t.conv, conversation)
}

// again returns the turn of an earlier, equal request.
func (t *turns) again(who Caller, sent string) (turn, bool) { return t.find(who, t.sent, sent) }

// tail returns the turn of the last of some answers, if they belong to consecutive turns of one conversation. It is
// for clients that leave out the beginning of a conversation.
func (t *turns) tail(who Caller, answers []answer) (turn, bool) {
	if len(answers) == 0 || !answers[len(answers)-1].whole {
		return turn{}, false
	}
	last, ok := t.find(who, t.pair, answers[len(answers)-1].pair)
	for at, i := last, len(answers)-1; ok && i >= 0; i-- {
		if i == 0 && !answers[i].whole { // the cut is between a question and its answer
			break
		}
		if at.Pair != answers[i].pair {
			return turn{}, false
		}
		if i > 0 {
			at, ok = t.get(at.Before)
		}
	}
	return last, ok
}
