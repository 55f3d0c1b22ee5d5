package chat

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gorlm/rlm/cmd/rlm/internal/screen"
	"github.com/gorlm/rlm/internal/quantity"
	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/repl/builtins"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/trajectory"
)

// help is the list of all that can be typed.
func (b *board) help(string, func() bool) (string, error) {
	rows := [][2]string{
		{"TEXT", "a question to the model; @PATH or @URL in it adds a file, a folder or a page to the context"},
		{"> CODE  or ```go", "a cell of your own, run at once without the model; what is open goes on in the next line"},
		{">", "alone: type cells without the > from here on, and back"},
		{"NAME?", "what a builtin does, what a variable holds"},
		{"Tab", "completes commands, names, members and paths"},
		{"Alt-Enter, Esc Enter", "a new line"},
		{"Up, Down, Ctrl-R", "walk and search the history"},
		{"Ctrl-X Ctrl-E", "edit the input in $EDITOR"},
		{"Esc, Ctrl-C", "stop what runs; Ctrl-C twice leaves, Ctrl-D too, Ctrl-Z suspends"},
	}
	for _, cmd := range b.commands {
		rows = append(rows, [2]string{strings.TrimSpace("/" + cmd.name + " " + cmd.args), cmd.help})
	}
	return b.table(rows), nil
}

// hostVars are variables that every notebook has besides the builtins.
var hostVars = []string{"context", "docs", "history"}

// hostVarDocs says what they are.
var hostVarDocs = map[string]string{
	"context": "context string\nThe text of all documents, one after another.",
	"docs":    "docs []Doc\nThe documents of the context, each with its Name and its Text, which is a part of context.",
	"history": "history []string\nThe questions and answers so far, in order.",
}

// helpFor says what a name stands for: a builtin, or a variable of the notebook.
func (b *board) helpFor(name string) (string, bool) {
	now := b.look()
	if i := slices.IndexFunc(now.vars, func(v repl.Var) bool { return v.Name == name }); i >= 0 {
		return b.variableText(now.vars[i]), true
	}
	for _, f := range builtins.Docs(builtins.Standard(now.mode, 0)) {
		if f.Name == name {
			return b.helpText(f.Text), true
		}
	}
	text, ok := hostVarDocs[name]
	return b.helpText(text), ok
}

func (b *board) helpText(text string) string {
	signature, about, _ := strings.Cut(text, "\n")
	return b.render.paint(bold, b.render.wrap(signature, 0)) + "\n" + indent("  ", b.render.wrap(about, 2))
}

func (b *board) variableText(v repl.Var) string {
	about := screen.Line(strings.TrimSpace(v.Type + " " + v.Size))
	if v.Cell > 0 {
		about += fmt.Sprintf(", set by cell %d", v.Cell)
	}
	return b.render.paint(bold, screen.Line(v.Name)+" "+about) + "\n" + indent("  ", b.render.wrap(screen.Clean(v.Preview), 2))
}

// table sets rows in two columns; a long first cell takes a line of its own.
func (b *board) table(rows [][2]string) string {
	const column = 24
	var lines []string
	for _, row := range rows {
		first := row[0]
		if len(first) > column-2 {
			lines = append(lines, "  "+b.render.wrap(first, 2))
			first = ""
		}
		lines = append(lines, indent(fmt.Sprintf("  %-*s", column, first), b.render.wrap(row[1], column+2)))
	}
	return strings.Join(lines, "\n")
}

func (c *core) cost(string, func() bool) (string, error) {
	asked, err := c.exchanges()
	if err != nil {
		return "", err
	}
	return c.costText(len(asked), c.look().totals), nil
}

// costText lists what a session has used, in all and by model.
func (b *board) costText(questions int, totals runner.Totals) string {
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

// usageText writes what one model was used for.
func usageText(u trajectory.Usage) string {
	text := quantity.Count(u.Prompt) + " tokens in, " + quantity.Count(u.Completion) + " out"
	if u.Cached > 0 {
		text += ", " + quantity.Count(u.Cached) + " of them cached"
	}
	if u.Cost == nil {
		return text + ", cost unknown"
	}
	return text + ", " + quantity.Dollars(*u.Cost)
}
