package eval

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/gorlm/rlm/internal/eval/score"
	"github.com/gorlm/rlm/internal/eval/suite"
	"github.com/gorlm/rlm/internal/kit/units"
)

// Score is how right an answer is.
type Score = score.Score

// Result is one answer of one arm with its score.
type Result struct {
	Arm string `json:"arm"`
	// Settings are those of the arm, for people who compare.
	Settings string `json:"settings,omitempty"`
	Item     string `json:"item"`
	Suite    string `json:"suite,omitempty"`
	Length   int    `json:"length,omitempty"`
	Kind     string `json:"kind,omitempty"`
	// Key identifies the item's text and the arm with its settings. A result with another key belongs to another
	// evaluation.
	Key string `json:"key"`
	// Scored identifies the right answer and how it is scored. A stored answer with another Scored is scored again,
	// but its question is not asked again; "" means that it could not be scored yet.
	Scored string   `json:"scored,omitempty"`
	Scorer string   `json:"scorer,omitempty"` // name of the scorer
	Score  Score    `json:"score"`
	Judge  *Verdict `json:"judge,omitempty"` // the model's verdict; nil if no model scored the answer
	Reply
}

// failed reports whether there is no answer to score: none, or the remains of a failed endpoint. An answer that a
// limit ended counts.
func (r Result) failed() bool { return r.Answer == "" || r.Error != "" }

// Ended describes how the answer ended and, if not all of its values were found in the run, what it rests on.
func (r Result) Ended() string {
	ended := r.Status
	switch r.Grounding {
	case "not", "partly":
		ended += ", " + r.Grounding + " grounded"
	case "untraced":
		ended += ", untraced"
	}
	if r.Guess {
		ended += ", a guess"
	}
	if r.CutReplies > 0 {
		ended += ", " + units.Of(r.CutReplies, "incomplete reply")
	}
	return ended
}

// keyOf identifies an answer to be made: first the item's text, then the arm.
func keyOf(a Arm, item suite.Item) (string, error) {
	text, err := digest(struct {
		ID, Question string
		Documents    []suite.Document
	}{item.ID, item.Question, item.Documents})
	if err != nil {
		return "", err
	}
	arm, err := digest([]string{a.Name, a.Settings})
	return text + "." + arm, err
}

// sameText reports whether two results are of one item with the same text.
func sameText(a, b Result) bool {
	x, _, _ := strings.Cut(a.Key, ".")
	y, _, _ := strings.Cut(b.Key, ".")
	return x == y
}

func digest(v any) (string, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("writing it as JSON: %w", err)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8]), nil
}
