package chat

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/gorlm/rlm/cmd/rlm/internal/screen"
	"github.com/gorlm/rlm/internal/server/client"
	"github.com/gorlm/rlm/termination"
)

// list is all commands of a shared session, in the order of /help. Those that only look, and those that change what comes next, take no turn.
func (g *guest) list() []command {
	return []command{
		{name: "help", help: "this list", aside: g.help},
		{
			name: "context", args: "[add|rm|ls] PATH or text", help: "send a file, folder or text to the context, remove a document, list them",
			run: g.context, words: []string{"add", "rm", "ls"}, takesPath: true, takesDocs: true,
		},
		{name: "docs", help: "list the documents of the context", run: g.docs, beside: true},
		{name: "vars", help: "list the notebook's variables", run: g.vars, beside: true},
		{name: "cells", help: "list the cells that ran", run: g.cells, beside: true},
		{name: "show", args: "N", help: "show cell N and all it printed", run: g.showCell, beside: true},
		{name: "edit", args: "[N]", help: "put cell N into the input; without a number open $EDITOR (Ctrl-X Ctrl-E does too)", run: g.edit, beside: true},
		{name: "run", args: "N", help: "run cell N again, as a cell of yours", run: g.runAgain},
		{name: "retry", help: "take back the last question and ask it again, or go on with it where it broke off", run: g.retry},
		{name: "undo", help: "take back the last question and all that came after it: messages, cells, variables", run: g.undo},
		{name: "stop", help: "stop what is running, also what others began (Esc and Ctrl-C stop what you began)", run: g.stop, beside: true},
		{name: "model", args: "[NAME]", help: "show or change the model", run: g.model, beside: true},
		{name: "sub-model", args: "[NAME]", help: "show or change the model that answers sub-calls", run: g.subModel, beside: true},
		{name: "mode", args: "[response|task]", help: "in task mode an answer waits for a review", run: g.setMode, words: []string{"response", "task"}, beside: true},
		{
			name: "review", args: "approve|reject [NOTE]", help: "decide on an answer that waits for a review; a rejected one goes on with your note",
			run: g.review, words: []string{"approve", "reject"},
		},
		{name: "budget", args: "[" + strings.Join(budgets, "|") + " VALUE]", help: "show or change what one question may use", run: g.budget, words: budgets, beside: true},
		{name: "cost", help: "what the session has used so far", run: g.cost, beside: true},
		{name: "fork", args: "[TURN]", help: "go on in a copy of the session; this one stays as it is. With a turn of the last question the copy ends behind it and goes on live", run: g.fork},
		{name: "sessions", help: "list the sessions of the server", run: g.sessions, beside: true},
		{name: "open", args: "ID", help: "go on with another session", run: g.open, takesIDs: true},
		{name: "rename", args: "NAME", help: "give the session a name", run: g.rename, beside: true},
		{name: "export", args: "FILE", help: "write the session to FILE.md, .html, .ipynb or .jsonl on this machine", run: g.export, takesPath: true, beside: true},
		{name: "quit", help: "leave; the session stays with the server, and what runs goes on", aside: func(string, func() bool) (string, error) { return "", errQuit }},
	}
}

func (g *guest) stop(ctx context.Context, _ string, out sink) error {
	g.mu.Lock()
	state := g.state
	g.mu.Unlock()
	if state.Doing == "" {
		out.show("nothing is running")
		return nil
	}
	_, err := g.opt.Client.Do(ctx, g.here(), "stop")
	return err
}

func (g *guest) context(ctx context.Context, args string, out sink) error {
	switch verb, what := parseContext(args); verb {
	case "add":
		return g.addContext(ctx, what, out)
	case "rm":
		return g.remove(ctx, what, out)
	}
	return g.docs(ctx, "", out)
}

func (g *guest) addContext(ctx context.Context, what string, out sink) error {
	if what == "" {
		return errors.New("say what to add: /context add PATH, or /context add followed by text")
	}
	if isURL(what) {
		return errors.New("a server is sent files and texts, not pages of the web")
	}
	path, err := pathOf(what)
	switch {
	case err != nil:
	case path != "":
		err = g.send(ctx, path)
	default:
		err = g.addPaste(ctx, g.textName("text"), what, out)
	}
	if err == nil {
		out.show("the context is now " + g.look().text)
	}
	return err
}

func (g *guest) remove(ctx context.Context, name string, out sink) error {
	if name == "" {
		return errors.New("say which document: /context rm NAME; /docs lists them")
	}
	err := g.begin(ctx, func(ctx context.Context) (client.Begun, error) { return g.opt.Client.Remove(ctx, g.here(), name) })
	if err != nil {
		return err
	}
	g.refresh(ctx)
	out.show("the context is now " + g.look().text)
	return nil
}

func (g *guest) docs(ctx context.Context, _ string, out sink) error {
	docs, total, err := g.opt.Client.Documents(ctx, g.here())
	if err != nil {
		return err
	}
	text := g.docList(docs)
	if total > len(docs) {
		text += fmt.Sprintf("\n%d documents in all", total)
	}
	out.show(text)
	return nil
}

func (g *guest) vars(ctx context.Context, _ string, out sink) error {
	vars, err := g.opt.Client.Variables(ctx, g.here())
	if err == nil {
		out.show(g.varList(vars))
	}
	return err
}

func (g *guest) cells(_ context.Context, _ string, out sink) error {
	g.mu.Lock()
	all := g.past.cells()
	g.mu.Unlock()
	out.show(g.cellList(all))
	return nil
}

func (g *guest) numbered(args string) (ranCell, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.past.numbered(args)
}

func (g *guest) showCell(_ context.Context, args string, out sink) error {
	cell, err := g.numbered(args)
	if err != nil {
		return err
	}
	text, err := g.cellText(cell)
	if err == nil {
		out.show(text)
	}
	return err
}

func (g *guest) edit(_ context.Context, args string, out sink) error {
	return edit(args, g.numbered, out)
}

func (g *guest) runAgain(ctx context.Context, args string, out sink) error {
	cell, err := g.numbered(args)
	if err != nil {
		return err
	}
	return g.exec(ctx, cell.start.Source, out)
}

// do begins what needs nothing more to be said.
func (g *guest) do(ctx context.Context, what string) error {
	return g.begin(ctx, func(ctx context.Context) (client.Begun, error) { return g.opt.Client.Do(ctx, g.here(), what) })
}

func (g *guest) undo(ctx context.Context, _ string, out sink) error {
	if err := g.do(ctx, "undo"); err != nil {
		return err
	}
	out.show("the last question is taken back, with the cells and variables since then")
	return nil
}

func (g *guest) retry(ctx context.Context, _ string, out sink) error {
	settings, err := g.opt.Client.Settings(ctx, g.here())
	if err != nil {
		return err
	}
	if settings.Pending {
		return g.do(ctx, "resume")
	}
	question, err := g.lastQuestion()
	if err != nil {
		return err
	}
	if err := g.do(ctx, "undo"); err != nil {
		return err
	}
	return g.ask(ctx, question, out)
}

func (g *guest) lastQuestion() (string, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.past.lastQuestion()
}

func (g *guest) review(ctx context.Context, args string, out sink) error {
	approved, note, err := verdict(args)
	if err != nil {
		return err
	}
	key := client.NewKey()
	err = g.begin(ctx, func(ctx context.Context) (client.Begun, error) {
		return g.opt.Client.Review(ctx, g.here(), key, approved, note)
	})
	if err == nil && approved {
		out.show("approved")
	}
	return err
}

// set changes the settings of the questions to come.
func (g *guest) set(ctx context.Context, choice client.Choice, say string, out sink) error {
	if _, err := g.opt.Client.Set(ctx, g.here(), choice); err != nil {
		return err
	}
	g.refresh(ctx)
	out.show(say + " from the next question on")
	return nil
}

func (g *guest) model(ctx context.Context, name string, out sink) error {
	if name == "" {
		out.show("model " + screen.Line(g.look().model))
		return nil
	}
	return g.set(ctx, client.Choice{Model: name}, "model "+name, out)
}

func (g *guest) subModel(ctx context.Context, name string, out sink) error {
	if name != "" {
		return g.set(ctx, client.Choice{SubModel: name}, "sub-model "+name, out)
	}
	settings, err := g.opt.Client.Settings(ctx, g.here())
	if err == nil {
		out.show("sub-model " + screen.Line(settings.SubModel))
	}
	return err
}

func (g *guest) setMode(ctx context.Context, mode string, out sink) error {
	switch mode {
	case "":
		out.show("mode " + string(g.look().mode))
		return nil
	case string(termination.Response), string(termination.Task):
		return g.set(ctx, client.Choice{Mode: mode}, "mode "+mode, out)
	}
	return errors.New("the mode is response or task")
}

func (g *guest) budget(ctx context.Context, args string, out sink) error {
	settings, err := g.opt.Client.Settings(ctx, g.here())
	if err != nil {
		return err
	}
	b := settings.Budgets
	if args == "" {
		out.show(g.budgetText(b))
		return nil
	}
	what, value, _ := strings.Cut(args, " ")
	if err := setBudget(&b, what, strings.TrimSpace(value)); err != nil {
		return err
	}
	b = lifted(b)
	settings, err = g.opt.Client.Set(ctx, g.here(), client.Choice{Budgets: &b})
	if err == nil {
		out.show("each question from now on may use\n" + g.table([][2]string{{what, boundText(settings.Budgets, what)}}))
	}
	return err
}

func (g *guest) cost(ctx context.Context, _ string, out sink) error {
	settings, err := g.opt.Client.Settings(ctx, g.here())
	if err != nil {
		return err
	}
	g.mu.Lock()
	questions := len(g.past.asked)
	g.mu.Unlock()
	out.show(g.costText(questions, totalsOf(settings)))
	return nil
}
