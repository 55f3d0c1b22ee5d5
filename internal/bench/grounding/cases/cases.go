// Package cases reads labelled cases of grounded and invented answers, and measures the tracer on them.
package cases

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/gorlm/rlm/internal/grounding"
)

// Case is a run with its answer, and labels for the answer's values.
type Case struct {
	ID       string  `json:"id"`
	Kind     string  `json:"kind"`
	Question string  `json:"question"`
	Context  string  `json:"context"`
	Unseen   string  `json:"unseen"`
	Turns    []Turn  `json:"turns"`
	Subcalls []Call  `json:"subcalls"`
	Answer   string  `json:"answer"`
	Values   []Label `json:"values"`
	Verdict  string  `json:"verdict"`
}

// Turn is a turn of a case, with exactly one cell.
type Turn struct {
	Cell      string         `json:"cell"`
	Output    string         `json:"output"`
	Value     any            `json:"value"`
	Error     any            `json:"error"`
	Variables map[string]any `json:"variables"`
	Prose     string         `json:"prose"`
}

// Call is a sub-call of a case.
type Call struct {
	Prompt string `json:"prompt"`
	Reply  string `json:"reply"`
}

// Label is what a value of the answer is based on.
type Label struct {
	Text     string `json:"text"`
	Grounded bool   `json:"grounded"`
	Where    string `json:"where"`
	Why      string `json:"why"`
}

// Read reads cases, one JSON object a line.
func Read(r io.Reader) ([]Case, error) {
	var out []Case
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 16<<20)
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var c Case
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		out = append(out, c)
	}
	return out, lines.Err()
}

// Run is the case in the tracer's form. A case does not record the turn of its sub-calls: Run takes the first turn
// whose cell has the prompt as a literal, or else the first one whose cell asks a model.
func (c Case) Run() grounding.Run {
	r := grounding.Run{Question: c.Question, Shown: c.Context, Whole: whole(c.Context), Answer: c.Answer}
	r.Stands = func(line string) bool { return strings.Contains(c.Unseen, line) || strings.Contains(c.Context, line) }
	asked := -1
	for i, t := range c.Turns {
		if asked < 0 && (strings.Contains(t.Cell, "llm_query") || strings.Contains(t.Cell, "rlm_query")) {
			asked = i
		}
	}
	for i, t := range c.Turns {
		cell := grounding.Cell{
			Number: 1, Code: t.Cell, Output: t.Output, Value: text(t.Value),
			Failed: t.Error != nil && text(t.Error) != "",
		}
		for _, name := range sortedKeys(t.Variables) {
			cell.Variables = append(cell.Variables, grounding.Variable{Name: name, Value: text(t.Variables[name])})
		}
		for n, s := range c.Subcalls {
			in := slices.IndexFunc(c.Turns, func(t Turn) bool { return strings.Contains(t.Cell, s.Prompt) })
			if in < 0 {
				in = max(asked, 0)
			}
			if i == in {
				cell.Calls = append(cell.Calls, grounding.Call{Number: n + 1, Prompt: s.Prompt, Reply: s.Reply})
			}
		}
		turn := grounding.Turn{Number: i + 1}
		if t.Cell != "" {
			turn.Cells = []grounding.Cell{cell}
		}
		r.Turns = append(r.Turns, turn)
	}
	return r
}

// whole reports whether the first message of a case shows the text itself rather than facts about it: it mentions
// no size.
func whole(context string) bool {
	if strings.Contains(context, "First line") || strings.Contains(context, "First:") {
		return false
	}
	for _, w := range strings.FieldsFunc(
		strings.ToLower(context), func(r rune) bool { return strings.ContainsRune(" ,.;:()\n", r) }) {
		switch w {
		case "kb", "mb", "gb", "bytes", "documents", "pages", "files", "seiten", "páginas", "pages,", "records",
			"mails", "documente", "dokumente", "lines":
			return false
		}
	}
	return len(strings.Fields(context)) >= 6
}

func text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}
