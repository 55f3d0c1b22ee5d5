package openai

import (
	"fmt"
	"sync"
	"time"

	"github.com/gorlm/rlm/internal/kit/files"
)

// turn is a question that came over the API and where its run is: what a later request that builds upon it needs to find.
type turn struct {
	ID      string `json:"id"` // of the response
	Who     string `json:"who"`
	Session string `json:"session"`
	Run     int    `json:"run"` // number of the question in its session
	// Said names the conversation up to the answer, so that a client that sends it again goes on with the notebook.
	Said   string `json:"said,omitempty"`
	Schema string `json:"schema,omitempty"` // hash of the answer's schema
	// Pair names the question and its answer alone, and Before the turn that this one goes on from: so a client is known
	// that leaves its oldest messages out.
	Pair   string `json:"pair,omitempty"`
	Before string `json:"before,omitempty"`
	System string `json:"system,omitempty"` // hash of what the system says
	Sent   string `json:"sent,omitempty"`   // hash of the request
	// Unstored says that the client does not ask for the answer later.
	Unstored     bool              `json:"unstored,omitempty"`
	Conversation string            `json:"conversation,omitempty"`
	Model        string            `json:"model"`
	Background   bool              `json:"background,omitempty"`
	Metadata     map[string]string `json:"metadata,omitempty"`
	Instructions string            `json:"instructions,omitempty"`
	Created      time.Time         `json:"created"`
	Deleted      bool              `json:"deleted,omitempty"`
}

// turns are those of a data folder.
type turns struct {
	kept files.Journal[string, turn]

	mu   sync.Mutex
	said map[string]string // ids by who and what was said
	conv map[string]string // ids by who and conversation
	sent map[string]string // ids by who and request
	pair map[string]string // ids by who and pair; empty where several sessions have it
}

// mostTurns bounds the turns that are kept. Sessions stay when theirs are forgotten.
const mostTurns = 100_000

func openTurns(file string) (*turns, error) {
	t := &turns{said: map[string]string{}, conv: map[string]string{}, sent: map[string]string{}, pair: map[string]string{}}
	t.kept = files.Journal[string, turn]{
		Key: func(one turn) string { return one.ID }, Counts: func(one turn) bool { return one.ID != "" }, Most: mostTurns,
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

// index enters a turn. The caller holds mu or is alone.
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

// keep writes a turn down.
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

// scope names somebody among those whose turns, files and keys are kept: another one of the same name is somebody else.
func scope(who Caller) string {
	if who.Identity == "" {
		return who.Name
	}
	return who.Name + "/" + who.Identity
}

// of is the turn with an id, if it is somebody's and was to be kept.
func (t *turns) of(who Caller, id string) (turn, bool) {
	one, ok := t.get(id)
	return one, ok && one.Who == scope(who) && !one.Unstored
}

// find is a turn of somebody by one of the indexes.
func (t *turns) find(who Caller, index map[string]string, what string) (turn, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.get(index[scope(who)+" "+what])
}

// after is the turn that ended with what was said.
func (t *turns) after(who Caller, said string) (turn, bool) { return t.find(who, t.said, said) }

// in is the last turn of a conversation.
func (t *turns) in(who Caller, conversation string) (turn, bool) {
	return t.find(who, t.conv, conversation)
}

// again is the turn of a request that came before.
func (t *turns) again(who Caller, sent string) (turn, bool) { return t.find(who, t.sent, sent) }

// tail is the turn that ended with the last of some answers, if all of them follow each other in one conversation whose
// beginning is left out.
func (t *turns) tail(who Caller, answers []answer) (turn, bool) {
	if len(answers) == 0 || !answers[len(answers)-1].whole {
		return turn{}, false
	}
	last, ok := t.find(who, t.pair, answers[len(answers)-1].pair)
	for at, i := last, len(answers)-1; ok && i >= 0; i-- {
		if i == 0 && !answers[i].whole { // the cut goes between a question and its answer
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
