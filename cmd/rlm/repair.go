package main

import (
	"fmt"

	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/spf13/cobra"
)

func (std streams) repairCommand() *cobra.Command {
	var dry bool
	cmd := &cobra.Command{
		Use:   "repair ID",
		Short: "Repair a run whose log is damaged",
		Long: `Repair a run whose log was damaged, for example by a bad disk: the log then ends before its first damaged
line, and everything from that line on is moved to a file beside it, never deleted. If the run is resumed, it
continues from there, and what was recorded after the damage is paid for again.`,
		Args: exactly(1), ValidArgsFunction: completeRuns,
		RunE: func(_ *cobra.Command, args []string) error {
			dir, err := findRun(args[0])
			if err != nil {
				return err
			}
			look := trajectory.Repair
			if dry {
				look = trajectory.Inspect
			}
			damage, err := look(dir)
			if err != nil {
				return err
			}
			return std.reportDamage(damage, dry)
		},
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "report the damage and change nothing")
	return cmd
}

// reportDamage prints what was damaged and what was done about it.
func (std streams) reportDamage(d trajectory.Damage, dry bool) error {
	std.out.Wrap()
	if d.First == nil {
		_, err := fmt.Fprintln(std.out, "the log is intact: there is nothing to repair")
		return err
	}
	fmt.Fprintf(std.out, "damaged: %v\n", d.First)
	fmt.Fprintf(std.out, "before it: %s; from there on: %s with %s that could be read\n",
		units.Of(d.Kept, "event"), units.Bytes(d.Bytes), units.Of(d.Events, "event"))
	done := "the log now ends before the damage; the rest is in " + d.Aside
	if dry {
		done = "nothing was changed (without --dry-run, the log would end before the damage and the rest would be moved to a file beside it)"
	}
	_, err := fmt.Fprintln(std.out, done)
	return err
}
