package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/gorlm/rlm/cmd/rlm/internal/licences"
	"github.com/spf13/cobra"
)

// version returns the version or the commit from which the program was built.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "devel"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return "devel-" + s.Value[:12]
		}
	}
	return "devel"
}

func (std streams) versionCommand() *cobra.Command {
	all := false
	cmd := &cobra.Command{
		Use: "version", Short: "Print the version", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			if all {
				return licences.Write(std.out)
			}
			return std.printVersion()
		},
	}
	cmd.Flags().BoolVar(&all, "licences", false, "print the licences of everything linked into the program")
	return cmd
}

func (std streams) printVersion() error {
	_, err := fmt.Fprintf(std.out, "rlm %s %s %s/%s\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
