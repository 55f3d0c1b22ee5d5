package session

import (
	"errors"
	"strconv"
	"strings"
)

// How people type the commands of the table.
var (
	typedVariables = &SlashSyntax{Name: "vars", Help: "list the notebook's variables"}
	typedTakeOver  = &SlashSyntax{
		Help: "open here a session that another terminal has open but is not using; that terminal then follows it",
	}
	typedUndo = &SlashSyntax{
		Help: "take back the last question and everything after it: messages, cells, variables",
		Done: func(any) string { return "the last question was taken back, with the cells and variables since then" },
	}
	typedReview = &SlashSyntax{
		Args:  "approve|reject [NOTE]",
		Help:  "approve or reject an answer that waits for your review; after a rejection the run continues with your note",
		Words: []string{"approve", "reject"}, Parse: parseReview,
		Done: func(args any) string {
			if args.(ReviewRequest).Approved {
				return "approved"
			}
			return ""
		},
	}
	typedFork = &SlashSyntax{
		Args: "[TURN]", Help: "continue in a copy of the session; this one stays as it is. With a turn of the last question, the copy ends after that turn and continues from there",
		Parse: parseFork,
	}
	typedRename = &SlashSyntax{
		Name: "rename", Args: "NAME", Help: "give the session a name",
		Parse: func(name string) (any, error) {
			if name == "" {
				return nil, errors.New("give the name: /rename NAME")
			}
			return ChangeRequest{Name: &name}, nil
		},
		Done: func(args any) string { return "named " + *args.(ChangeRequest).Name },
	}
	typedServer = &SlashSyntax{
		Args:  "[add COMMAND… or URL]",
		Help:  "start an MCP server, whose tools become functions of the notebook; without arguments, list the servers' tools",
		Words: []string{"add"},
		Parse: func(line string) (any, error) {
			verb, server, _ := strings.Cut(line, " ")
			if server = strings.TrimSpace(server); verb != "add" || server == "" {
				return nil, errors.New("name the server: /mcp add COMMAND ARGS… or /mcp add URL")
			}
			return ServerRequest{Server: server}, nil
		},
		Done: func(any) string {
			return "its tools are now functions of the notebook; the model sees them with the next question"
		},
	}
)

// parseReview parses the arguments of /review.
func parseReview(line string) (any, error) {
	word, note, _ := strings.Cut(line, " ")
	note = strings.TrimSpace(note)
	switch {
	case word == "approve":
		return ReviewRequest{Approved: true, Note: note}, nil
	case word == "reject" && note != "":
		return ReviewRequest{Note: note}, nil
	case word == "reject":
		return nil, errors.New("say what is missing: /review reject NOTE")
	}
	return nil, errors.New("choose one: /review approve, or /review reject NOTE")
}

// parseFork parses the arguments of /fork.
func parseFork(line string) (any, error) {
	if line == "" {
		return ForkRequest{}, nil
	}
	turn, err := strconv.Atoi(line)
	if err != nil || turn < 0 {
		return nil, errors.New("give the last turn of the last question to keep, or nothing to copy the whole session: /fork TURN")
	}
	return ForkRequest{Turn: &turn}, nil
}
