package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gorlm/rlm/cmd/rlm/internal/outfile"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/runner/trajectory/export"
	"github.com/spf13/cobra"
)

func (a *app) exportCommand() *cobra.Command {
	var format, output string
	cmd := &cobra.Command{
		Use:   "export ID [--format html|ipynb|markdown|rlm-jsonl] [-o FILE]",
		Short: "Write a run for other readers",
		Long: `Write a run as a transcript (markdown), as one page that needs nothing else (html), as a Jupyter notebook (ipynb), whose Go
cells 'rlm exec' runs, or in the log format of the original RLM implementation (rlm-jsonl), which its visualizer opens. The
visualizer wants a file whose name ends in .jsonl. Without --format the ending of FILE decides.`,
		Args: exactly(1), ValidArgsFunction: completeRuns,
		RunE: func(cmd *cobra.Command, args []string) error { return a.export(cmd.Context(), args[0], format, output) },
	}
	cmd.Flags().StringVarP(&format, "format", "f", "", "html, ipynb, markdown (or md) or rlm-jsonl (default what the ending of FILE says, else markdown)")
	cmd.Flags().StringVarP(&output, "output", "o", "-", "file to write, - for stdout")
	return cmd
}

// writers are the formats that a run can be written in.
func writers() map[string]func(io.Writer, iter.Seq2[trajectory.Event, error]) error {
	return map[string]func(io.Writer, iter.Seq2[trajectory.Event, error]) error{
		"html": export.HTML, "ipynb": export.Notebook, "markdown": export.Markdown, "rlm-jsonl": export.Visualizer,
	}
}

// formatOf is the format that the name of a file asks for.
func formatOf(file string) string {
	switch strings.ToLower(filepath.Ext(file)) {
	case ".html", ".htm":
		return "html"
	case ".ipynb":
		return "ipynb"
	case ".jsonl":
		return "rlm-jsonl"
	}
	return "markdown"
}

func exportFormats() []string { return slices.Sorted(maps.Keys(writers())) }

func (a *app) export(ctx context.Context, id, format, output string) (err error) {
	switch {
	case format == "md":
		format = "markdown"
	case format == "":
		format = formatOf(output)
	}
	write, ok := writers()[format]
	if !ok {
		return wrongUsage("--format is html, ipynb, markdown or rlm-jsonl, not %q", format)
	}
	dir, err := findRun(id)
	if err != nil {
		return err
	}
	export := func(w io.Writer) error { return write(w, until(ctx, trajectory.Salvage(dir))) }
	if output == "-" {
		w := bufio.NewWriter(a.out)
		if err = export(w); err == nil {
			err = w.Flush()
		}
	} else {
		err = outfile.Write(output, export)
	}
	if place := (*outfile.PlaceError)(nil); errors.As(err, &place) {
		return wrongUsage("exporting the run: %w", err)
	}
	if err != nil {
		return fmt.Errorf("exporting the run: %w", err)
	}
	return nil
}

// until is what events yields until ctx ends, then the error of ctx.
func until(ctx context.Context, events iter.Seq2[trajectory.Event, error]) iter.Seq2[trajectory.Event, error] {
	return func(yield func(trajectory.Event, error) bool) {
		for ev, err := range events {
			if err == nil {
				err = ctx.Err()
			}
			if !yield(ev, err) || err != nil {
				return
			}
		}
	}
}
