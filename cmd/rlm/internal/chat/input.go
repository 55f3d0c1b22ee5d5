package chat

import (
	"fmt"
	"strings"

	"github.com/gorlm/rlm/termination/reply"
)

// inputKind says what a person typed.
type inputKind int

const (
	inputEmpty inputKind = iota
	inputCommand
	inputCell
	inputQuestion
)

// input is one entry of a person: a command, own cells, or a question to the model.
type input struct {
	kind  inputKind
	text  string   // the question, or the command without its slash
	cells []string // the person's own cells, in order
}

// parseInput sorts what a person typed. A slash starts a command, `>` or a fence a cell of the person's own;
// everything else is a question. A fenced block in another language is an error, never a question: nobody
// wants to pay for a mistyped fence.
func parseInput(text string) (input, error) {
	trimmed := strings.TrimSpace(text)
	switch {
	case trimmed == "":
		return input{kind: inputEmpty}, nil
	case strings.HasPrefix(trimmed, "/") && !strings.HasPrefix(trimmed, "//"):
		return input{kind: inputCommand, text: trimmed[1:]}, nil
	case strings.HasPrefix(trimmed, ">"):
		return input{kind: inputCell, cells: []string{unquote(trimmed)}}, nil
	case strings.HasPrefix(trimmed, "```"), strings.HasPrefix(trimmed, "~~~"):
		found := reply.Parse(trimmed, reply.Names{}, false)
		if len(found.Cells) == 0 {
			reason := "it is empty"
			if len(found.Skipped) > 0 {
				reason = found.Skipped[0].Reason
			}
			return input{}, fmt.Errorf("the fenced block is not run: %s", reason)
		}
		in := input{kind: inputCell}
		for _, c := range found.Cells {
			in.cells = append(in.cells, c.Source)
		}
		return in, nil
	default:
		return input{kind: inputQuestion, text: trimmed}, nil
	}
}

// unquote takes the leading `>` off each line, and one blank after it. Lines without one are kept as they are, so that a
// cell can be pasted behind a single `>`.
func unquote(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if rest, ok := strings.CutPrefix(line, ">"); ok {
			lines[i] = strings.TrimPrefix(rest, " ")
		}
	}
	return strings.Join(lines, "\n")
}

// complete reports whether text can be sent as it stands; an open fence waits for its end.
func complete(text string) bool {
	trimmed := strings.TrimSpace(text)
	for _, fence := range []string{"```", "~~~"} {
		if !strings.HasPrefix(trimmed, fence) {
			continue
		}
		lines := strings.Split(trimmed, "\n")
		last := strings.TrimSpace(lines[len(lines)-1])
		return len(lines) > 1 && strings.HasPrefix(last, fence) && strings.Trim(last, fence[:1]) == ""
	}
	return true
}
