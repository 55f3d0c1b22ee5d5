package main

import (
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/gorlm/rlm/cmd/rlm/internal/screen"
	"github.com/gorlm/rlm/internal/quantity"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/spf13/cobra"
)

func (a *app) cacheCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cache",
		Short: "List or clear the converted documents that are kept",
		Long: `List or clear the converted documents that are kept, so that a document (PDF, Office, mail, …) is converted once. They are found by the
SHA-256 of the document and the version of its converter; what was not used for the longest time goes first when there are
more than --convert-cache allows. Runs keep the texts that they have seen: they do not need the cache.`,
		Args: noArgs,
	}
	var asJSON bool
	list := &cobra.Command{
		Use: "ls", Short: "List the converted documents, what was used last first", Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return a.cacheList(asJSON) },
	}
	list.Flags().BoolVar(&asJSON, "json", false, "print one JSON array")
	cmd.AddCommand(list, &cobra.Command{
		Use: "clear", Short: "Delete the converted documents", Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return a.cacheClear() },
	})
	return cmd
}

func cacheDir() (string, error) {
	data, err := trajectory.DataDir()
	return runner.CacheDir(data), err
}

func (a *app) cacheList(asJSON bool) error {
	dir, err := cacheDir()
	if err != nil {
		return err
	}
	list, err := runner.Cached(dir)
	if err != nil {
		return err
	}
	if asJSON {
		return a.printJSON(list)
	}
	var total int64
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	for _, d := range list {
		total += d.Size
		fmt.Fprintf(w, "%s\t%s\t%s\t%.12s\t%s\n", d.Used.Local().Format(time.DateTime), quantity.Bytes(d.Size), d.Converter, d.Hash, screen.Line(d.Name))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(a.err, "%s, %s in %s\n", quantity.Of(len(list), "converted document"), quantity.Bytes(total), dir)
	return nil
}

func (a *app) cacheClear() error {
	dir, err := cacheDir()
	if err != nil {
		return err
	}
	n, size, err := runner.ClearCache(dir)
	if n > 0 || err == nil {
		fmt.Fprintf(a.err, "deleted %s, %s\n", quantity.Of(n, "converted document"), quantity.Bytes(size))
	}
	return err
}
