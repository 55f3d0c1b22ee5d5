package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/gorlm/rlm/internal/wholefile"
)

// turn is a question that came over the API and where its run is: what a later request that builds upon it needs to find.
type turn struct {
	ID      string `json:"id"` // of the response
	Who     string `json:"who"`
	Session string `json:"session"`
	Run     int    `json:"run"` // number of the question in its session
	// Said names the conversation up to the answer, so that a client that sends it again goes on with the notebook.
	Said         string            `json:"said,omitempty"`
	Schema       string            `json:"schema,omitempty"` // hash of the answer's schema
	Conversation string            `json:"conversation,omitempty"`
	Question     string            `json:"question,omitempty"` // hash of the conversation up to the question
	Model        string            `json:"model"`
	Background   bool              `json:"background,omitempty"`
	Metadata     map[string]string `json:"metadata,omitempty"`
	Instructions string            `json:"instructions,omitempty"`
	Created      time.Time         `json:"created"`
	Deleted      bool              `json:"deleted,omitempty"`
}

// turns are those of a data folder, in a file of lines of which the last one of a turn counts.
type turns struct {
	mu   sync.Mutex
	file *os.File
	all  map[string]turn   // by id
	said map[string]string // ids by who and what was said
	conv map[string]string // ids by who and conversation
}

// mostTurns bounds the turns that are kept. Sessions stay when theirs are forgotten.
const mostTurns = 100_000

func openTurns(file string) (*turns, error) {
	t := &turns{all: map[string]turn{}, said: map[string]string{}, conv: map[string]string{}}
	b, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the turns of the API: %w", err)
	}
	if n := bytes.Count(b, []byte("\n")); n > mostTurns {
		for range n - mostTurns {
			_, b, _ = bytes.Cut(b, []byte("\n"))
		}
	}
	for line := range bytes.Lines(b) {
		var one turn
		if json.Unmarshal(line, &one) == nil && one.ID != "" { // a crash can leave half a line
			t.index(one)
		}
	}
	if len(b) > 0 && b[len(b)-1] != '\n' {
		b = append(b, '\n')
	}
	if err := wholefile.Replace(file, b); err != nil {
		return nil, fmt.Errorf("keep the turns of the API: %w", err)
	}
	t.file, err = os.OpenFile(file, os.O_WRONLY|os.O_APPEND, 0o600)
	return t, err
}

func (t *turns) close() error { return t.file.Close() }

// index enters a turn. The caller holds mu or is alone.
func (t *turns) index(one turn) {
	if one.Deleted {
		delete(t.all, one.ID)
		return
	}
	t.all[one.ID] = one
	if one.Said != "" {
		t.said[one.Who+" "+one.Said] = one.ID
	}
	if one.Conversation != "" {
		t.conv[one.Who+" "+one.Conversation] = one.ID
	}
}

// keep writes a turn down.
func (t *turns) keep(one turn) error {
	line, err := json.Marshal(one)
	if err != nil {
		return fmt.Errorf("keep a turn: %w", err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, err := t.file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("keep a turn: %w", err)
	}
	t.index(one)
	return nil
}

// of is the turn with an id, if it is somebody's.
func (t *turns) of(who, id string) (turn, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	one, ok := t.all[id]
	return one, ok && one.Who == who
}

// after is the turn that ended with what was said.
func (t *turns) after(who, said string) (turn, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	one, ok := t.all[t.said[who+" "+said]]
	return one, ok
}

// in is the last turn of a conversation.
func (t *turns) in(who, conversation string) (turn, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	one, ok := t.all[t.conv[who+" "+conversation]]
	return one, ok
}
