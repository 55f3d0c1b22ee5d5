package main

import (
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/gorlm/rlm/internal/documents/cache"
	"github.com/gorlm/rlm/internal/front/terminal/screen"
	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/spf13/cobra"
)

func (std streams) cacheCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cache",
		Short: "List or clear the cache of converted documents",
		Long: `List or clear the cache of converted documents, which saves converting a document (PDF, Office, mail, …)
twice. Entries are found by the SHA-256 of the document and the version of its converter; when the cache grows
beyond --convert-cache, the least recently used entries are deleted. Runs keep the texts that they have seen
and do not need the cache.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }, // else arguments would be ignored
	}
	var asJSON bool
	list := &cobra.Command{
		Use: "ls", Short: "List the converted documents, most recently used first", Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return std.cacheList(asJSON) },
	}
	list.Flags().BoolVar(&asJSON, "json", false, "print one JSON array")
	cmd.AddCommand(list, &cobra.Command{
		Use: "clear", Short: "Delete the converted documents", Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return std.cacheClear() },
	})
	return cmd
}

func cacheDir() (string, error) {
	data, err := trajectory.DataDir()
	return cache.Dir(data), err
}

func (std streams) cacheList(asJSON bool) error {
	dir, err := cacheDir()
	if err != nil {
		return err
	}
	list, err := cache.List(dir)
	if err != nil {
		return err
	}
	if asJSON {
		return std.out.JSON(list)
	}
	var total int64
	w := tabwriter.NewWriter(std.out, 0, 0, 2, ' ', 0)
	for _, d := range list {
		total += d.Size
		fmt.Fprintf(w, "%s\t%s\t%s\t%.12s\t%s\n", d.Used.Local().Format(time.DateTime), units.Bytes(d.Size),
			d.Converter, d.Hash, screen.Line(d.Name))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(std.err, "%s, %s in %s\n", units.Of(len(list), "converted document"), units.Bytes(total), dir)
	return nil
}

func (std streams) cacheClear() error {
	dir, err := cacheDir()
	if err != nil {
		return err
	}
	n, size, err := cache.Clear(dir)
	if n > 0 || err == nil {
		fmt.Fprintf(std.err, "deleted %s, %s\n", units.Of(n, "converted document"), units.Bytes(size))
	}
	return err
}
