package chat

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// command is one slash command.
type command struct {
	name, args, help string
	// run does it; args is what stands behind the name, without blanks around it.
	run func(ctx context.Context, args string, out sink) error
	// aside, if set, does it beside whatever runs.
	aside func(args string, stop func() bool) (string, error)
	// What completion offers for the arguments.
	words                          []string
	takesPath, takesDocs, takesIDs bool
	beside                         bool // in a session that others share: it takes no turn
}

// list is all commands, in the order of /help.
func (c *core) list() []command {
	return slices.Concat(c.notebookCommands(), c.questionCommands(), c.sessionCommands())
}

func (c *core) notebookCommands() []command {
	return []command{
		{name: "help", help: "this list", aside: c.help},
		{
			name: "context", args: "[add|rm|ls] PATH or text", help: "add a file, folder or text to the context, remove a document, list them",
			run: c.context, words: []string{"add", "rm", "ls"}, takesPath: true, takesDocs: true,
		},
		{name: "docs", args: "[reread]", help: "list the documents of the context and which of their files changed; read them again", run: c.docs, words: []string{"reread"}},
		{name: "vars", help: "list the notebook's variables", run: c.vars},
		{name: "cells", help: "list the cells that ran", run: c.cells},
		{name: "show", args: "N", help: "show cell N and all it printed", run: c.show},
		{name: "edit", args: "[N]", help: "put cell N into the input; without a number open $EDITOR (Ctrl-X Ctrl-E does too)", run: c.edit},
		{name: "run", args: "N", help: "run cell N again, as a cell of yours", run: c.runAgain},
	}
}

func (c *core) questionCommands() []command {
	return []command{
		{name: "retry", help: "take back the last question and ask it again", run: c.retry},
		{name: "undo", help: "take back the last question and all that came after it: messages, cells, variables", run: c.undo},
		{name: "stop", help: "stop what is running (Esc and Ctrl-C do too)", aside: c.stopWork},
		{name: "model", args: "[NAME]", help: "show or change the model", run: c.model},
		{name: "sub-model", args: "[NAME]", help: "show or change the model that answers sub-calls", run: c.setSubModel},
		{
			name: "mode", args: "[response|task]", help: "in task mode an answer waits for your review",
			run: c.setMode, words: []string{"response", "task"},
		},
		{
			name: "engine", args: "[auto|yaegi|exact]", help: "show or change what runs the cells; a notebook moves to the exact engine once, and stays there",
			run: c.engine, words: []string{"auto", "yaegi", "exact"},
		},
		{
			name: "review", args: "approve|reject [NOTE]", help: "decide on an answer that waits for your review; a rejected one goes on with your note",
			run: c.review, words: []string{"approve", "reject"},
		},
		{name: "mcp", args: "add COMMAND… or URL", help: "start an MCP server: its tools become functions of the notebook", run: c.mcp, words: []string{"add"}},
		{name: "answer", args: "TEXT", help: "answer what is asked while something runs, such as whether a tool may be called", aside: c.answer},
		{name: "budget", args: "[" + strings.Join(budgets, "|") + " VALUE]", help: "show or change what one question may use", run: c.budget, words: budgets},
		{name: "cost", help: "what the session has used so far", aside: c.cost},
	}
}

func (c *core) sessionCommands() []command {
	return []command{
		{name: "fork", help: "go on in a copy of the session; this one stays as it is", run: c.fork},
		{name: "sessions", help: "list the sessions on this machine", run: c.sessions},
		{name: "open", args: "ID", help: "go on with another session", run: c.open, takesIDs: true},
		{name: "rename", args: "NAME", help: "give the session a name", run: c.rename},
		{name: "export", args: "FILE", help: "write the session to FILE.md, .html, .ipynb or .jsonl", run: c.export, takesPath: true},
		{name: "save", help: "where the session is kept (it is kept as it happens)", run: c.save},
		{name: "quit", help: "leave; the session is kept", aside: func(string, func() bool) (string, error) { return "", errQuit }},
	}
}

// quitError is how a command asks to leave.
type quitError struct{}

func (quitError) Error() string { return "leaving" }

var errQuit error = quitError{}

// find splits a command line (without its slash) and finds the command; a unique beginning of a name will do.
func (b *board) find(line string) (command, string, error) {
	name, args, _ := strings.Cut(strings.TrimSpace(line), " ")
	args = strings.TrimSpace(args)
	var near []command
	for _, cmd := range b.commands {
		if cmd.name == name {
			return cmd, args, nil
		}
		if name != "" && strings.HasPrefix(cmd.name, name) {
			near = append(near, cmd)
		}
	}
	switch len(near) {
	case 1:
		return near[0], args, nil
	case 0:
		return command{}, "", fmt.Errorf("there is no command /%s; /help lists them", name)
	default:
		var names []string
		for _, n := range near {
			names = append(names, "/"+n.name)
		}
		return command{}, "", fmt.Errorf("/%s could be %s", name, strings.Join(names, ", "))
	}
}

// anytime reports whether text is a command that runs beside the work.
func (b *board) anytime(text string) bool {
	line, ok := strings.CutPrefix(strings.TrimSpace(text), "/")
	if !ok {
		return false
	}
	cmd, _, err := b.find(line)
	return err != nil || cmd.aside != nil
}

// aside runs such a command.
func (b *board) aside(text string, stop func() bool) (out string, quit bool, err error) {
	cmd, args, err := b.find(strings.TrimPrefix(strings.TrimSpace(text), "/"))
	if err != nil {
		return "", false, err
	}
	out, err = cmd.aside(args, stop)
	if err == errQuit {
		return "", true, nil
	}
	return out, false, err
}

// command runs any command.
func (b *board) command(ctx context.Context, line string, out sink) (quit bool, err error) {
	cmd, args, err := b.find(line)
	if err != nil {
		return false, err
	}
	if cmd.aside != nil {
		text, quit, err := b.aside("/"+line, func() bool { return false })
		if text != "" {
			out.show(text)
		}
		return quit, err
	}
	return false, cmd.run(ctx, args, out)
}

func (*core) stopWork(_ string, stop func() bool) (string, error) {
	if stop() {
		return "", nil
	}
	return "nothing is running", nil
}
