package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/gorlm/rlm/cmd/rlm/internal/screen"
	"github.com/gorlm/rlm/cmd/rlm/internal/typed"
	"github.com/gorlm/rlm/prompts"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/sandbox"
	"github.com/gorlm/rlm/termination"
	"github.com/gorlm/rlm/termination/reply"
	"github.com/spf13/cobra"
)

type execFlags struct {
	context     []string
	json        bool
	stopOnError bool
}

func (a *app) execCommand() *cobra.Command {
	var flags execFlags
	cmd := &cobra.Command{
		Use:   "exec [flags] [FILE.md | FILE.ipynb | -]",
		Short: "Run Go cells in the notebook, without any model",
		Long: `Run the Go cells of a Markdown file or a Jupyter notebook, or a bare Go cell from stdin, in one sandboxed notebook, and print for each
cell exactly what a model would be told of it, and the answer where one is given.

llm_query needs --sub-model (with a key or an endpoint, as for 'rlm run'); without it, it fails.
A cell that fails does not keep the following ones from running, unless --stop-on-error is given; the exit code is 1 if any failed.`,
		Example: "  echo 'strings.Count(context, \"ERROR\")' | rlm exec -c app.log\n  rlm exec -c logs/ cells.md",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return wrongUsage("rlm exec takes one file of cells; give context with -c")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.exec(cmd, flags, args) },
	}
	f := cmd.Flags()
	f.StringArrayVarP(&flags.context, "context", "c", nil, "file or folder of the context, or - for stdin (repeatable)")
	f.BoolVar(&flags.json, "json", false, "print one JSON object a cell")
	f.BoolVar(&flags.stopOnError, "stop-on-error", false, "do not run the cells after one that failed")
	a.subModelFlags(f)
	a.spendingFlags(f)
	a.cellFlags(f)
	a.mcpFlags(f)
	return cmd
}

func (a *app) exec(cmd *cobra.Command, flags execFlags, args []string) error {
	if err := a.ready(cmd); err != nil {
		return err
	}
	if slices.Contains(flags.context, "-") && (len(args) == 0 || args[0] == "-") {
		return wrongUsage("stdin holds the cells; it cannot be the context as well")
	}
	text, err := a.readCells(cmd.Context(), args)
	if err != nil {
		return err
	}
	cells := cellsIn(text)
	if len(args) == 1 && strings.HasSuffix(strings.ToLower(args[0]), ".ipynb") {
		if cells, err = cellsOfNotebook(text); err != nil {
			return wrongUsage("reading %s: %w", args[0], err)
		}
	}
	session, cleanUp, err := a.notebook(cmd, flags.context)
	if err != nil {
		return err
	}
	defer cleanUp()
	if level := session.Level(); level == sandbox.Basic {
		fmt.Fprintln(a.err, "rlm: warning: cells run at sandbox level basic, which is no security boundary (see rlm doctor)")
	}
	return a.execCells(cmd.Context(), session, flags, cells)
}

// readCells reads the file that is named, or stdin.
func (a *app) readCells(ctx context.Context, args []string) (string, error) {
	var (
		data []byte
		err  error
	)
	if len(args) == 0 || args[0] == "-" {
		if isTerminal(a.in) {
			fmt.Fprintln(a.err, "type Go, end with Ctrl-D")
		}
		data, err = typed.Read(ctx, func() ([]byte, error) { return io.ReadAll(a.in) })
	} else {
		data, err = readNamed(args[0])
	}
	if err != nil {
		return "", fmt.Errorf("reading cells: %w", err)
	}
	if strings.TrimSpace(string(data)) == "" {
		return "", wrongUsage("there is no cell to run")
	}
	return string(data), nil
}

// notebook makes a session that leaves nothing behind.
func (a *app) notebook(cmd *cobra.Command, paths []string) (*runner.Session, func(), error) {
	if !cmd.Flags().Changed("sub-model") {
		a.set.SubModel = ""
	}
	model, err := a.subModelOnly(cmd.Context())
	if err != nil {
		return nil, nil, err
	}
	var inputs []runner.Input
	if len(paths) > 0 {
		if inputs, err = a.inputs(paths, false); err != nil {
			return nil, nil, err
		}
	}
	dir, remove, err := scratch()
	if err != nil {
		return nil, nil, err
	}
	var r *runner.Runner
	tools, err := a.tools(cmd.Context(), false, a.asker())
	if err == nil {
		r, err = runner.New(model, append(append(a.options(), runner.WithDataDir(dir), a.tellReading(false)), tools...)...)
	}
	if err != nil {
		return nil, nil, errors.Join(&exit{termination.ExitUsage, err}, remove())
	}
	v := newView(a.err, showing{}, &a.read)
	session, err := r.NewSession(cmd.Context(), inputs...)
	v.close()
	if err != nil {
		return nil, nil, errors.Join(err, remove())
	}
	for ev, err := range trajectory.Read(session.Dir()) {
		if err != nil {
			break
		}
		switch d := ev.Data.(type) {
		case trajectory.ContextAdded:
			v.leftOut("", d)
		case trajectory.Warned:
			if d.About == "documents" {
				v.add(ev)
			}
		}
	}
	return session, func() { _ = errors.Join(session.Close(), remove()) }, nil
}

// subModelOnly is the model for llm_query. Only --sub-model names it: what runs without a key must not begin to
// cost money because one is set in the environment.
func (a *app) subModelOnly(ctx context.Context) (llm.Model, error) {
	if a.set.SubModel == "" {
		return llm.ScriptedFunc("none", func(context.Context, llm.Request, int) (llm.Response, error) {
			return llm.Response{}, &llm.Error{Kind: llm.ErrBadRequest, Message: "there is no model here: start rlm exec with --sub-model NAME"}
		}), nil
	}
	a.set.Model = a.set.SubModel
	m, err := a.models(ctx)
	return m.root, err
}

// execCells runs the cells in order and prints what each did.
func (a *app) execCells(ctx context.Context, session *runner.Session, flags execFlags, ex reply.Reply) error {
	failed := len(ex.Cells) == 0
	for _, cell := range ex.Cells {
		res, err := session.Exec(ctx, cell.Source)
		if err != nil {
			return err
		}
		if err := a.printCell(flags, res); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return &exit{code: termination.ExitInterrupted}
		}
		if res.Error != nil {
			failed = true
			if flags.stopOnError {
				break
			}
		}
	}
	for _, s := range ex.Skipped {
		fmt.Fprint(a.err, prompts.Observation{Skipped: []prompts.Skipped{{Lang: s.Lang, Line: s.Line, Reason: s.Reason}}})
	}
	if failed {
		return &exit{code: termination.ExitFailed}
	}
	return nil
}

func (a *app) printCell(flags execFlags, res sandbox.Result) error {
	if !flags.json {
		cell := runner.CellObservation(res.Result, res.Output, res.Truncated, res.Restore)
		text := prompts.Observation{Cells: []prompts.Cell{cell}}.String()
		if res.Final != nil {
			text += withLineEnd("answer: " + res.Final.Answer)
		}
		if a.out.Colour() {
			text = screen.Charts(screen.Clean(text), res.Items, a.out.Paint)
		}
		if err := a.out.Styled(text); err != nil {
			return fmt.Errorf("writing the observation: %w", err)
		}
		return nil
	}
	enc := json.NewEncoder(a.out)
	enc.SetEscapeHTML(false)
	return enc.Encode(cellOf(res.Result, res.Output, res.Truncated))
}
