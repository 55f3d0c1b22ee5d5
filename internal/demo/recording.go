package demo

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/gorlm/rlm/runner/llm"
)

// Reply is one line of a recording: a model's reply to a turn of a run, or to a sub-call.
type Reply struct {
	// Path is the path of the child run, "" for the run itself.
	Path string `json:"path,omitempty"`
	// Turn is the index of a turn's reply in its run, from 1; 0 for a sub-call.
	Turn int `json:"turn,omitempty"`
	// Prompt is the hash of a sub-call's prompt, and Head its beginning, for readers of the file.
	Prompt string `json:"prompt,omitempty"`
	Head   string `json:"head,omitempty"`
	// Content is the reply.
	Content string `json:"reply,omitempty"`
	// Model names the model; the first line of a recording holds only this.
	Model string `json:"model,omitempty"`
}

// ModelName is the model's name in a recording: its identity does not matter, and no model has this name.
const ModelName = "recorded"

// Recording answers from recorded replies: a turn by its index in the run, a sub-call by its prompt. So it remains
// valid when a system prompt changes, and fails when a cell makes a call that is not recorded.
type Recording struct {
	Model string
	turns map[turn]string
	calls map[string][]string
}

type turn struct {
	path string
	n    int
}

// Load reads a recording, one JSON object per line.
func Load(r io.Reader) (*Recording, error) {
	rec := &Recording{turns: map[turn]string{}, calls: map[string][]string{}}
	lines := bufio.NewReader(r)
	for n := 1; ; n++ {
		line, err := lines.ReadString('\n')
		if strings.TrimSpace(line) != "" {
			var reply Reply
			if err := json.Unmarshal([]byte(line), &reply); err != nil {
				return nil, fmt.Errorf("read line %d of a recording: %w", n, err)
			}
			rec.add(reply)
		}
		if errors.Is(err, io.EOF) {
			return rec, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read a recording: %w", err)
		}
	}
}

func (rec *Recording) add(r Reply) {
	switch {
	case r.Turn > 0:
		rec.turns[turn{r.Path, r.Turn}] = r.Content
	case r.Prompt != "":
		rec.calls[r.Prompt] = append(rec.calls[r.Prompt], r.Content)
	case r.Model != "":
		rec.Model = r.Model
	}
}

// Empty reports whether nothing is recorded.
func (rec *Recording) Empty() bool { return len(rec.turns) == 0 }

// Answers returns a model that answers from the recording. A repeated prompt gets its replies in order, and the
// last one from then on. Use a new model for each run.
func (rec *Recording) Answers() llm.Model {
	var mu sync.Mutex
	asked := map[string]int{}
	return llm.ScriptedFunc(rec.Model, func(_ context.Context, req llm.Request, _ int) (llm.Response, error) {
		if req.Key.Cell == 0 {
			if reply, ok := rec.turns[turn{req.Key.Path, req.Key.N + 1}]; ok {
				return llm.Response{Content: reply}, nil
			}
			return llm.Response{}, notRecorded(fmt.Sprintf("turn %d", req.Key.N+1))
		}
		prompt := PromptHash(req.Messages[len(req.Messages)-1].Content)
		replies := rec.calls[prompt]
		if len(replies) == 0 {
			return llm.Response{}, notRecorded(fmt.Sprintf("a sub-call of cell %d", req.Key.Cell))
		}
		mu.Lock()
		n := min(asked[prompt], len(replies)-1)
		asked[prompt]++
		mu.Unlock()
		return llm.Response{Content: replies[n]}, nil
	})
}

func notRecorded(what string) error {
	return &llm.Error{
		Kind:    llm.ErrNotRecorded,
		Message: what + " is not in the recording: the run took another course than the recorded one",
	}
}

// PromptHash identifies a sub-call by its prompt.
func PromptHash(prompt string) string {
	sum := sha256.Sum256([]byte(prompt))
	return hex.EncodeToString(sum[:16])
}
