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
		Short: "Make a run readable again whose log is damaged",
		Long: `Make a run readable again whose log was damaged, by a bad disk for instance: the log then ends before its first damaged line, and
everything behind that line is moved to a file beside it, never deleted. A run that is resumed goes on from there, and what was
recorded after the damage is paid for again.`,
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
	cmd.Flags().BoolVar(&dry, "dry-run", false, "say what is damaged and change nothing")
	return cmd
}

// reportDamage prints what was damaged and what was done about it.
func (std streams) reportDamage(d trajectory.Damage, dry bool) error {
	std.out.Wrap()
	if d.First == nil {
		_, err := fmt.Fprintln(std.out, "the log is whole: there is nothing to repair")
		return err
	}
	fmt.Fprintf(std.out, "damaged: %v\n", d.First)
	fmt.Fprintf(std.out, "before it: %s; from there on: %s with %s that could be read\n",
		units.Of(d.Kept, "event"), units.Bytes(d.Bytes), units.Of(d.Events, "event"))
	done := "the log ends before the damage now; the rest is in " + d.Aside
	if dry {
		done = "nothing was changed (without --dry-run, the log would end before the damage and the rest be kept beside it)"
	}
	_, err := fmt.Fprintln(std.out, done)
	return err
}
