package chat

import (
	"errors"
	"fmt"
	"strings"

	"github.com/gorlm/rlm/internal/kit/startup"
	"github.com/gorlm/rlm/internal/reply"
)

// entryKind is the kind of a person's input.
type entryKind int

const (
	entryEmpty entryKind = iota
	entryCommand
	entryCell
	entryQuestion
	entryHelp   // a name with a question mark: explain it
	entryToggle // a lone >: switch between questions and cells
)

// entry is one submitted input: a command, the person's own cells, or a question to the model.
type entry struct {
	kind  entryKind
	text  string   // the question, the command without its slash, or the name to explain
	cells []string // the person's own cells, in order
}

var (
	helpWanted   = startup.Regexp(`^\?{0,2}([\pL_][\pL\pN_.]*)\?{1,2}$|^\?{1,2}([\pL_][\pL\pN_.]*)$`)
	shellCommand = startup.Regexp(`^!\s*[\pL./~$]`)
)

// errShell is the reply to input that looks like a shell command. Such input is not sent as a question, because
// nobody wants to pay for that.
var errShell = errors.New(
	"there is no shell here: cells are Go (> CODE), and /context add PATH or @PATH adds files; " +
		"put a word before the ! if it is a question")

// parseEntry classifies input. A slash starts a command; `>` or a fence starts a cell of the person's own.
// Everything else is a question, or a cell where cells are typed. A fenced block in another language is an error,
// because nobody wants to pay for a question that is a mistyped fence.
func parseEntry(text string, typesCells bool) (entry, error) {
	trimmed := strings.TrimSpace(text)
	switch {
	case trimmed == "":
		return entry{kind: entryEmpty}, nil
	case trimmed == ">":
		return entry{kind: entryToggle}, nil
	case isCommand(trimmed):
		return entry{kind: entryCommand, text: trimmed[1:]}, nil
	case strings.HasPrefix(trimmed, ">"):
		return entry{kind: entryCell, cells: []string{joined(unquote(trimmed))}}, nil
	case isFence(trimmed):
		return fencedCells(trimmed)
	}
	if m := helpWanted().FindStringSubmatch(trimmed); m != nil {
		return entry{kind: entryHelp, text: m[1] + m[2]}, nil
	}
	switch {
	case typesCells:
		return entry{kind: entryCell, cells: []string{joined(trimmed)}}, nil
	case shellCommand().MatchString(trimmed):
		return entry{}, errShell
	default:
		return entry{kind: entryQuestion, text: trimmed}, nil
	}
}

// isCommand reports whether text is a command. A Go comment is not a command, nor is a path, whose first word has a
// second slash.
func isCommand(text string) bool {
	name, slash := strings.CutPrefix(text, "/")
	word, _, _ := strings.Cut(name, " ")
	return slash && !strings.HasPrefix(name, "*") && !strings.Contains(word, "/")
}

func isFence(text string) bool {
	return strings.HasPrefix(text, "```") || strings.HasPrefix(text, "~~~")
}

func fencedCells(text string) (entry, error) {
	found := reply.Parse(text, reply.Names{}, false)
	if len(found.Cells) == 0 {
		reason := "it is empty"
		if len(found.Skipped) > 0 {
			reason = found.Skipped[0].Reason
		}
		return entry{}, fmt.Errorf("the fenced block was not run: %s", reason)
	}
	in := entry{kind: entryCell}
	for _, c := range found.Cells {
		in.cells = append(in.cells, c.Source)
	}
	return in, nil
}

// unquote strips the leading `>` of each line, and one blank after it. Lines without one are kept, so that a cell
// can be pasted behind a single `>`.
func unquote(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if rest, ok := strings.CutPrefix(line, ">"); ok {
			lines[i] = strings.TrimPrefix(rest, " ")
		}
	}
	return strings.Join(lines, "\n")
}

// complete reports whether text can be sent as it is. An open fence must be closed first; an unfinished cell
// continues until a blank line.
func complete(text string, typesCells bool) bool {
	trimmed := strings.TrimSpace(text)
	switch {
	case isFence(trimmed):
		return fenceEnds(trimmed)
	case !isCellEntry(trimmed, typesCells):
		return true
	}
	lines := strings.Split(strings.TrimRight(text, " \t"), "\n")
	if last := lines[len(lines)-1]; len(lines) > 1 && (last == "" || last == ">") {
		return true
	}
	return !unfinished(unquote(trimmed))
}

// isCellEntry reports whether input is a cell without a fence.
func isCellEntry(trimmed string, typesCells bool) bool {
	if strings.HasPrefix(trimmed, ">") {
		return trimmed != ">"
	}
	return typesCells && trimmed != "" && !isCommand(trimmed) && !isFence(trimmed) && !helpWanted().MatchString(trimmed)
}

func fenceEnds(trimmed string) bool {
	lines := strings.Split(trimmed, "\n")
	last := strings.TrimSpace(lines[len(lines)-1])
	return len(lines) > 1 && isFence(last) && last[0] == trimmed[0] && strings.Trim(last, trimmed[:1]) == ""
}
