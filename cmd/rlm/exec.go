package main

import (
	"context"
	"errors"
	"fmt"
	"go/scanner"
	"go/token"
	"slices"
	"strings"

	"github.com/gorlm/rlm/internal/exitcode"
	"github.com/gorlm/rlm/internal/front/terminal"
	"github.com/gorlm/rlm/internal/front/terminal/input"
	"github.com/gorlm/rlm/internal/front/terminal/screen"
	"github.com/gorlm/rlm/internal/front/terminal/transcript"
	"github.com/gorlm/rlm/internal/kit/scratch"
	"github.com/gorlm/rlm/internal/observation"
	"github.com/gorlm/rlm/internal/reply"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
	"github.com/spf13/cobra"
)

type execFlags struct {
	context     []string
	json        bool
	stopOnError bool
}

func (l *launcher) execCommand() *cobra.Command {
	var flags execFlags
	cmd := &cobra.Command{
		Use:   "exec [flags] [FILE.md | FILE.ipynb | -]",
		Short: "Run Go cells in the notebook, without a model",
		Long: `Run the Go cells of a Markdown file or a Jupyter notebook, or a bare Go cell from stdin, in one sandboxed
notebook. For each cell, print exactly what a model would be told about it, and the answer if the cell gives
one.

llm_query needs --sub-model (with a key or an endpoint, as for 'rlm run') and fails without it. When a cell
fails, the following ones still run, unless --stop-on-error is given; the exit code is 1 if any failed.`,
		Example: "  echo 'strings.Count(context, \"ERROR\")' | rlm exec -c app.log\n  rlm exec -c logs/ cells.md",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return wrongUsage("rlm exec takes one file of cells; give context with -c")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return l.exec(cmd, flags, args) },
	}
	f := cmd.Flags()
	f.StringArrayVarP(&flags.context, "context", "c", nil, "file or folder to use as context, or - for stdin (repeatable)")
	f.BoolVar(&flags.json, "json", false, "print one JSON object per cell")
	f.BoolVar(&flags.stopOnError, "stop-on-error", false, "do not run the cells after one that fails")
	l.set.subModelFlags(f)
	l.set.spendingFlags(f)
	l.set.cellFlags(f)
	l.set.mcpFlags(f)
	return cmd
}

func (l *launcher) exec(cmd *cobra.Command, flags execFlags, args []string) error {
	if err := l.set.ready(); err != nil {
		return err
	}
	if slices.Contains(flags.context, "-") && (len(args) == 0 || args[0] == "-") {
		return wrongUsage("stdin contains the cells; it cannot also be the context")
	}
	if len(args) == 1 && args[0] != "-" && !slices.Contains(flags.context, "-") {
		defer l.unread(false, "-c - makes it the context")()
	}
	text, err := l.readCells(cmd.Context(), args)
	if err != nil {
		return err
	}
	cells := cellsIn(text)
	if len(args) == 1 && strings.HasSuffix(strings.ToLower(args[0]), ".ipynb") {
		if cells, err = input.NotebookCells(text); err != nil {
			return wrongUsage("reading %s: %w", args[0], err)
		}
	}
	session, cleanUp, err := l.notebook(cmd, flags.context)
	if err != nil {
		return err
	}
	defer cleanUp()
	if level := session.Level(); level == sandbox.Basic {
		fmt.Fprintln(l.err, "rlm: warning: cells run at sandbox level basic, which is no security boundary (see rlm doctor)")
	}
	return l.execCells(cmd.Context(), session, flags, cells)
}

// readCells reads the named file, or stdin.
func (std streams) readCells(ctx context.Context, args []string) (string, error) {
	named := "-"
	if len(args) > 0 {
		named = args[0]
	}
	if named == "-" && isTerminal(std.in) {
		fmt.Fprintln(std.err, "type Go, end with Ctrl-D")
	}
	text, err := std.readText(ctx, named)
	if err != nil {
		return "", err
	}
	if strings.TrimSpace(text) == "" {
		return "", wrongUsage("there is no cell to run")
	}
	return text, nil
}

// notebook makes a session in a temporary folder. Call the function to remove it.
func (l *launcher) notebook(cmd *cobra.Command, paths []string) (*runner.Session, func(), error) {
	if !cmd.Flags().Changed("sub-model") {
		l.set.SubModel = ""
	}
	model, err := l.subModelOnly(cmd.Context())
	if err != nil {
		return nil, nil, err
	}
	var inputs []runner.Input
	if len(paths) > 0 {
		if inputs, err = l.inputs(paths, false); err != nil {
			return nil, nil, err
		}
	}
	dir, remove, err := scratch.Folder()
	if err != nil {
		return nil, nil, err
	}
	var r *runner.Runner
	tools, err := l.tools(cmd.Context(), false, l.asker())
	if err == nil {
		r, err = runner.New(model,
			append(append(l.options(), runner.WithDataDir(dir), l.tellReading(false)), tools...)...)
	}
	if err != nil {
		return nil, nil, errors.Join(asUsage(err), remove())
	}
	v := terminal.NewView(l.err, false, false, &l.read)
	session, err := r.NewSession(cmd.Context(), inputs...)
	v.Close()
	if err != nil {
		return nil, nil, errors.Join(err, remove())
	}
	log := transcript.New(l.err.Renderer(), transcript.Steps)
	log.Session = true
	for ev, err := range trajectory.Read(session.Dir()) {
		if err != nil {
			break
		}
		d, warned := ev.Data.(trajectory.Warned)
		if _, read := ev.Data.(trajectory.ContextAdded); !read && (!warned || d.About != "documents") {
			continue
		}
		if text := log.Event(ev); text != "" {
			_ = l.err.Styled(text + "\n") // stdout is for the output of cells
		}
	}
	return session, func() { _ = errors.Join(session.Close(), remove()) }, nil
}

// subModelOnly returns the model for llm_query, which only --sub-model can name: a command that needs no key must
// not cost money merely because there is a key in the environment.
func (ms *modelSet) subModelOnly(ctx context.Context) (llm.Model, error) {
	if ms.set.SubModel == "" {
		return llm.ScriptedFunc("none", func(context.Context, llm.Request, int) (llm.Response, error) {
			return llm.Response{}, &llm.Error{
				Kind: llm.ErrBadRequest, Message: "no model is available: start rlm exec with --sub-model NAME",
			}
		}), nil
	}
	ms.set.Model = ms.set.SubModel
	m, err := ms.models(ctx)
	return m.root, err
}

// execCells runs the cells in order and prints their results.
func (std streams) execCells(ctx context.Context, session *runner.Session, flags execFlags, ex reply.Reply) error {
	failed := len(ex.Cells) == 0
	for _, cell := range ex.Cells {
		res, err := session.Exec(ctx, cell.Source)
		if err != nil {
			return err
		}
		if err := std.printCell(flags, res); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return &exit{Code: exitcode.Interrupted}
		}
		if res.Error != nil {
			failed = true
			if flags.stopOnError {
				break
			}
		}
	}
	for _, s := range ex.Skipped {
		if s.Line == 0 { // a Jupyter notebook has no line numbers
			fmt.Fprintf(std.err, "rlm: not run: %s\n", s.Reason)
			continue
		}
		fmt.Fprint(std.err, observation.Observation{
			Skipped: []observation.SkippedBlock{{Lang: s.Lang, Line: s.Line, Reason: s.Reason}},
		})
	}
	if failed {
		return &exit{Code: exitcode.Failed}
	}
	return nil
}

func (std streams) printCell(flags execFlags, res sandbox.Result) error {
	if !flags.json {
		cell := observation.Of(res.Result, res.Output, res.Truncated, res.Restore)
		text := observation.Observation{Cells: []observation.Cell{cell}}.String()
		if res.Final != nil {
			text += screen.WithLineEnd("answer: " + res.Final.Answer)
		}
		if std.out.Terminal() {
			columns, _ := std.out.Size()
			fitted, items := screen.FitItems(screen.Clean(text), res.Items, columns)
			text = screen.Charts(fitted, items, std.out.Paint)
		}
		if err := std.out.Styled(text); err != nil {
			return fmt.Errorf("writing the observation: %w", err)
		}
		return nil
	}
	return std.out.JSONLine(cellOf(res.Result, res.Output, res.Truncated))
}

// cellsIn returns the cells of a text: the Go blocks of Markdown, or the whole text if it is not Markdown.
func cellsIn(text string) reply.Reply {
	ex := reply.Parse(text, reply.Names{}, false)
	if len(ex.Cells)+len(ex.Skipped) == 0 || bareGo(text) {
		return reply.Reply{Cells: []reply.Cell{{Source: text, Line: 1}}}
	}
	return ex
}

// bareGo reports whether all fences of a text are within Go's strings and comments: the text is then code that
// contains Markdown, not the reverse. Elsewhere, a fence scans as two adjacent strings (```) or as adjacent tildes.
func bareGo(text string) bool {
	file := token.NewFileSet().AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, []byte(text), nil, 0)
	for previous := token.EOF; s.ErrorCount == 0; {
		_, tok, _ := s.Scan()
		switch {
		case tok == token.EOF:
			return s.ErrorCount == 0
		case tok == previous && (tok == token.STRING || tok == token.TILDE):
			return false
		}
		previous = tok
	}
	return false
}
