package main

import (
	"fmt"
	"time"

	"github.com/gorlm/rlm/internal/quantity"
	"github.com/gorlm/rlm/internal/server"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/spf13/cobra"
)

// usersCommand manages who may use a server besides its owner.
func (a *app) usersCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "users",
		Short: "Manage who may use the server besides you",
		Long: `Manage who may use the server besides you: each user has a token, and sees only own sessions and those that are shared. Tokens are
shown once and kept as hashes. A server that runs notices changes.`,
	}
	var limits server.Limits
	add := &cobra.Command{
		Use: "add NAME", Short: "Add a user and print the token", Args: exactly(1),
		Example: "  rlm serve users add ann --max-cost-per-day 5 --max-runs 4",
		RunE: func(_ *cobra.Command, args []string) error {
			users, err := a.users()
			if err != nil {
				return err
			}
			token, err := users.Add(args[0], limits, time.Now())
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(a.out, token)
			return err
		},
	}
	add.Flags().Float64Var(&limits.CostPerDay, "max-cost-per-day", 0, "USD that the user's questions may cost in a day of UTC, as far as prices are known; 0: no limit")
	add.Flags().IntVar(&limits.Runs, "max-runs", 0, "questions of the user at once, with those that wait; 0: no limit")
	cmd.AddCommand(add, &cobra.Command{
		Use: "ls", Short: "List the users", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			users, err := a.users()
			if err != nil {
				return err
			}
			all, err := users.List()
			for _, u := range all {
				if _, err := fmt.Fprintf(a.out, "%s\tadded %s%s\n", u.Name, u.Added.Local().Format(time.DateOnly), limited(u.Limits)); err != nil {
					return err
				}
			}
			return err
		},
	}, &cobra.Command{
		Use: "rm NAME", Short: "Remove a user; the token is worth nothing then, sessions stay", Args: exactly(1),
		RunE: func(_ *cobra.Command, args []string) error {
			users, err := a.users()
			if err != nil {
				return err
			}
			return users.Remove(args[0])
		},
	})
	return cmd
}

func (a *app) users() (*server.Users, error) {
	data, err := trajectory.DataDir()
	if err != nil {
		return nil, err
	}
	return server.OpenUsers(data), nil
}

// limited says what a user may spend.
func limited(l server.Limits) (text string) {
	if l.CostPerDay > 0 {
		text += "\tat most " + quantity.Dollars(l.CostPerDay) + " a day"
	}
	if l.Runs > 0 {
		text += "\tat most " + quantity.Of(l.Runs, "question") + " at once"
	}
	return text
}
