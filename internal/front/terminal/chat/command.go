package chat

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gorlm/rlm/internal/front/terminal/screen"
)

// command is a slash command.
type command struct {
	name, args, help string
	// run runs the command; args is the text after the name, without surrounding blanks.
	run func(ctx context.Context, args string, out sink) error
	// aside, if set, runs the command even while something else is running.
	aside func(args string, stop func() bool) (string, error)
	// What completion offers as arguments.
	words                          []string
	takesPath, takesDocs, takesIDs bool
	beside, shows                  bool // runs without queueing: always (beside), or if it has no arguments (shows)
}

// list returns all commands, in the order of /help.
func (t *terminal) list() []command {
	return slices.Concat(t.notebookCommands(), t.questionCommands(), t.typedCommands(), t.sessionCommands())
}

func (t *terminal) notebookCommands() []command {
	return []command{
		{name: "help", help: "this list", aside: t.help},
		{
			name: "context", args: "[add|text|rm|ls] PATH…",
			help: "add files, folders, web pages (URL) or text to the context, remove a document, list all",
			run:  t.context, words: []string{"add", "text", "rm", "ls"}, takesPath: true, takesDocs: true,
		},
		{
			name: "docs", args: "[reread]",
			help: "list the documents in the context and which of their files have changed, or read them again",
			run:  t.docs, words: []string{"reread"}, shows: true,
		},
		{name: "cells", help: "list the cells that have run", run: t.cells, beside: true},
		{name: "show", args: "N", help: "show cell N and everything it printed", run: t.showCell, beside: true},
		{
			name: "edit", args: "[N]",
			help: "put cell N into the input; without a number open $EDITOR (Ctrl-X Ctrl-E does too)", run: t.edit,
		},
		{name: "run", args: "N", help: "run cell N again as your own cell", run: t.runAgain},
	}
}

func (t *terminal) questionCommands() []command {
	return []command{
		{
			name: "retry", help: "take back the last question and ask it again, or continue it where it broke off",
			run: t.retry,
		},
		{
			name: "stop", help: "stop what is running, including what others started (Esc and Ctrl-C stop what you started)",
			aside: t.stopWork,
		},
		{name: "model", args: "[NAME]", help: "show or change the model", run: t.model, shows: true},
		{
			name: "sub-model", args: "[NAME]", help: "show or change the model that answers sub-calls", run: t.subModel,
			shows: true,
		},
		{
			name: "mode", args: "[response|task]", help: "in task mode an answer waits for your review",
			run: t.setMode, words: []string{"response", "task"}, shows: true,
		},
		{
			name: "engine", args: "[auto|yaegi|exact]",
			help: "show or change what runs the cells; a notebook that has switched to the exact engine stays there",
			run:  t.engine, words: []string{"auto", "yaegi", "exact"}, shows: true,
		},
		{
			name: "budget", args: "[" + strings.Join(budgets, "|") + " VALUE]",
			help: "show or change the budgets of each question",
			run:  t.budget, words: budgets, shows: true,
		},
		{name: "cost", help: "what the session has used so far", run: t.cost, beside: true},
	}
}

func (t *terminal) sessionCommands() []command {
	return []command{
		{name: "sessions", help: "list the sessions", run: t.sessions, beside: true},
		{name: "open", args: "ID", help: "continue another session", run: t.open, takesIDs: true},
		{
			name: "export", args: "FILE", help: "write the session to FILE.md, .html, .ipynb or .jsonl", run: t.export,
			takesPath: true, beside: true,
		},
		{name: "save", help: "where the session is saved (it is saved as it happens)", run: t.save, beside: true},
		{
			name: "quit", help: "leave (so does /exit); the session is kept",
			aside: func(string, func() bool) (string, error) { return "", errQuit },
		},
	}
}

// quitError is returned by a command that leaves the session.
type quitError struct{}

func (quitError) Error() string { return "leaving" }

var errQuit error = quitError{}

// find splits a command line (without its slash) and finds the command; an unambiguous prefix of a name is enough.
func (b *console) find(line string) (command, string, error) {
	name, args, _ := strings.Cut(strings.TrimSpace(line), " ")
	args = strings.TrimSpace(args)
	if name == "exit" { // its name in most programs
		name = "quit"
	}
	var near []command
	var known []string
	for _, cmd := range b.commands {
		known = append(known, "/"+cmd.name)
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
		return command{}, "", fmt.Errorf(
			"there is no command /%s%s", name, cmp.Or(screen.DidYouMean("/"+name, known), "; /help lists them"))
	default:
		var names []string
		for _, n := range near {
			names = append(names, "/"+n.name)
		}
		return command{}, "", fmt.Errorf("/%s could be %s", name, strings.Join(names, ", "))
	}
}

// anytime reports whether text is a command that can run while something else is running.
func (b *console) anytime(text string) bool {
	line, ok := strings.CutPrefix(strings.TrimSpace(text), "/")
	if !ok {
		return false
	}
	cmd, _, err := b.find(line)
	return err != nil || cmd.aside != nil
}

// aside runs a command for which anytime returns true.
func (b *console) aside(text string, stop func() bool) (out string, quit bool, err error) {
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

// command runs a command, including those for aside.
func (b *console) command(ctx context.Context, line string, out sink) (quit bool, err error) {
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
