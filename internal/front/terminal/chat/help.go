package chat

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gorlm/rlm/internal/front/terminal/screen"
	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/internal/session"
	"github.com/gorlm/rlm/runner/trajectory"
)

// help lists everything that can be typed.
func (b *console) help(string, func() bool) (string, error) {
	rows := [][2]string{
		{"TEXT", "a question to the model; @PATH or @URL in it adds a file, a folder or a page to the context"},
		{"> CODE  or ```go", "a cell of your own, run at once without the model; an unfinished one continues on the next line"},
		{">", "alone: switch to typing cells without the >, and back"},
		{"NAME?", "what a builtin does or a variable contains"},
		{"Tab", "completes commands, names, members and paths"},
		{"Alt-Enter, Esc Enter", "a new line"},
		{"Up, Down, Ctrl-R", "browse and search the history"},
		{"Ctrl-X Ctrl-E", "edit the input in $EDITOR"},
		{"Esc, Ctrl-C", "stop what is running; Ctrl-C twice or Ctrl-D leaves, Ctrl-Z suspends"},
	}
	for _, cmd := range b.commands {
		rows = append(rows, [2]string{strings.TrimSpace("/" + cmd.name + " " + cmd.args), cmd.help})
	}
	return b.table(rows), nil
}

// hostVars are variables that every notebook has besides the builtins.
var hostVars = []string{"context", "docs", "history"}

// hostVarDocs documents them.
var hostVarDocs = map[string]string{
	"context": "context string\nThe text of all documents, one after another.",
	"docs":    "docs []Doc\nThe documents of the context, each with its Name and its Text, which is a part of context.",
	"history": "history []string\nThe questions and answers so far, in order.",
}

// helpFor explains a name: a builtin, or a variable of the notebook.
func (b *console) helpFor(name string) (string, bool) {
	now := b.look()
	if i := slices.IndexFunc(now.vars, func(v session.Variable) bool { return v.Name == name }); i >= 0 {
		return b.variableText(now.vars[i]), true
	}
	if text := b.builtins(now.mode)[name]; text != "" {
		return b.helpText(text), true
	}
	text, ok := hostVarDocs[name]
	return b.helpText(text), ok
}

func (b *console) helpText(text string) string {
	signature, about, _ := strings.Cut(text, "\n")
	return b.render.Paint(screen.Bold, b.render.Wrap(signature, 0)) + "\n" +
		screen.Indent("  ", b.render.Wrap(about, 2))
}

func (b *console) variableText(v session.Variable) string {
	about := screen.Line(strings.TrimSpace(v.Type + " " + v.Size))
	if v.Cell > 0 {
		about += fmt.Sprintf(", set by cell %d", v.Cell)
	}
	return b.render.Paint(screen.Bold, screen.Line(v.Name)+" "+about) + "\n" +
		screen.Indent("  ", b.render.Wrap(screen.Clean(v.Preview), 2))
}

// table sets rows in two columns; a long first cell gets its own line.
func (b *console) table(rows [][2]string) string {
	const column = 24
	var lines []string
	for _, row := range rows {
		first := row[0]
		if len(first) > column-2 {
			lines = append(lines, "  "+b.render.Wrap(first, 2))
			first = ""
		}
		lines = append(lines, screen.Indent(fmt.Sprintf("  %-*s", column, first), b.render.Wrap(row[1], column+2)))
	}
	return strings.Join(lines, "\n")
}

func (t *terminal) cost(ctx context.Context, _ string, out sink) error {
	settings, err := do[session.Settings](ctx, t, "settings", nil)
	if err != nil {
		return err
	}
	t.mu.Lock()
	questions := len(t.past.asked)
	t.mu.Unlock()
	out.show(t.costText(questions, settings.Totals))
	return nil
}

// costText lists what a session has used, in total and by model.
func (b *console) costText(questions int, totals session.Totals) string {
	rows := [][2]string{{"questions", fmt.Sprint(questions)}, {"all", spent(totals)}}
	models := make([]string, 0, len(totals.Usage))
	for m := range totals.Usage {
		models = append(models, m)
	}
	slices.Sort(models)
	for _, m := range models {
		rows = append(rows, [2]string{m, usageText(totals.Usage[m])})
	}
	return b.table(rows)
}

// usageText describes the usage of one model.
func usageText(u trajectory.Usage) string {
	text := units.Count(u.Prompt) + " tokens in, " + units.Count(u.Completion) + " out"
	if u.Cached > 0 {
		text += ", " + units.Count(u.Cached) + " of them cached"
	}
	if u.Cost == nil {
		return text + ", cost unknown"
	}
	return text + ", " + units.Dollars(*u.Cost)
}
