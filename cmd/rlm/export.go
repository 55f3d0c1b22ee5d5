package main

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"os"

	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/runner/trajectory/export"
	"github.com/spf13/cobra"
)

func (a *app) exportCommand() *cobra.Command {
	var format, output string
	cmd := &cobra.Command{
		Use:   "export ID --format markdown|rlm-jsonl",
		Short: "Write a run for other readers",
		Long: `Write a run as a transcript (markdown), or in the log format of the original RLM implementation (rlm-jsonl), which its
visualizer opens. The visualizer wants a file whose name ends in .jsonl.`,
		Args: exactly(1), ValidArgsFunction: completeRuns,
		RunE: func(_ *cobra.Command, args []string) error { return a.export(args[0], format, output) },
	}
	cmd.Flags().StringVarP(&format, "format", "f", "markdown", "markdown or rlm-jsonl")
	cmd.Flags().StringVarP(&output, "output", "o", "-", "file to write, - for stdout")
	return cmd
}

func (a *app) export(id, format, output string) (err error) {
	formats := map[string]func(io.Writer, iter.Seq2[trajectory.Event, error]) error{
		"markdown": export.Markdown, "rlm-jsonl": export.Visualizer,
	}
	write, ok := formats[format]
	if !ok {
		return wrongUsage("--format is markdown or rlm-jsonl, not %q", format)
	}
	dir, err := findRun(id)
	if err != nil {
		return err
	}
	if output == "-" {
		w := bufio.NewWriter(a.out)
		if err := write(w, trajectory.Read(dir)); err != nil {
			return err
		}
		return w.Flush()
	}
	f, err := os.Create(output)
	if err != nil {
		return fmt.Errorf("exporting the run: %w", err)
	}
	if err := write(f, trajectory.Read(dir)); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("exporting the run: %w", err)
	}
	return nil
}
