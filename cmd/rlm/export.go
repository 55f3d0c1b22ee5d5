package main

import (
	"context"
	"fmt"
	"io"
	"iter"
	"maps"
	"path/filepath"
	"slices"

	"github.com/gorlm/rlm/internal/front"
	"github.com/gorlm/rlm/internal/session/formats"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/spf13/cobra"
)

func (std streams) exportCommand(at *serverConn) *cobra.Command {
	var format, output string
	cmd := &cobra.Command{
		Use:   "export ID [--format html|ipynb|markdown|rlm-jsonl] [-o FILE]",
		Short: "Export a run to other formats",
		Long: `Export a run as a transcript (markdown), as a single self-contained page (html), as a Jupyter notebook (ipynb)
whose Go cells 'rlm exec' can run, or in the log format of the original RLM implementation (rlm-jsonl) for its
visualizer, which needs a file name that ends in .jsonl. Without --format, the extension of FILE decides.`,
		Args: exactly(1), ValidArgsFunction: completeRuns,
		RunE: func(cmd *cobra.Command, args []string) error {
			return std.export(cmd.Context(), at, args[0], format, output)
		},
	}
	cmd.Flags().StringVarP(&format, "format", "f", "",
		"html, ipynb, markdown (or md) or rlm-jsonl (default: from the extension of FILE; markdown to stdout)")
	cmd.Flags().StringVarP(&output, "output", "o", "-", "file to write, - for stdout")
	return cmd
}

func exportFormats() []string { return slices.Sorted(maps.Keys(formats.All())) }

func (std streams) export(ctx context.Context, at *serverConn, id, format, output string) (err error) {
	switch {
	case format == "" && filepath.Ext(output) == "": // stdout, or a file without an extension
		format = "markdown"
	case format == "":
		if format = formats.Of(output); format == "" {
			return wrongUsage("the extension of %s implies no format: use .md, .html, .ipynb or .jsonl, or give --format", output)
		}
	case format == "md":
		format = "markdown"
	}
	write, ok := formats.All()[format]
	if !ok {
		return wrongUsage("--format must be html, ipynb, markdown or rlm-jsonl, not %q", format)
	}
	run, err := at.exporting(ctx, id, format, write)
	if err != nil {
		return err
	}
	if err := front.WriteTo(std.out, output, run); err != nil {
		return fmt.Errorf("exporting the run: %w", err)
	}
	return nil
}

// exporting returns the function that writes a run, which is in the data folder or on a server.
func (at *serverConn) exporting(
	ctx context.Context, id, format string, write formats.Writer,
) (func(io.Writer) error, error) {
	c, err := at.remote(ctx)
	if err != nil {
		return nil, err
	}
	if c == nil {
		dir, err := findRun(id)
		return func(w io.Writer) error { return write(w, eventsIn(ctx, dir)) }, err
	}
	s, err := sessionOf(ctx, c, id)
	return func(w io.Writer) error { return c.Export(ctx, s.ID, format, w) }, err
}

// eventsIn yields the events of a run in a folder until ctx is done.
func eventsIn(ctx context.Context, dir string) iter.Seq2[trajectory.Event, error] {
	return until(ctx, runner.Recorded(ctx, dir))
}

// until yields events until ctx is done, and then the error of ctx.
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
