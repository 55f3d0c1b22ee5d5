package main

import (
	"fmt"
	"time"

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
	cmd.AddCommand(&cobra.Command{
		Use: "add NAME", Short: "Add a user and print the token", Args: exactly(1),
		RunE: func(_ *cobra.Command, args []string) error {
			users, err := a.users()
			if err != nil {
				return err
			}
			token, err := users.Add(args[0], time.Now())
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(a.out, token)
			return err
		},
	}, &cobra.Command{
		Use: "ls", Short: "List the users", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			users, err := a.users()
			if err != nil {
				return err
			}
			all, err := users.List()
			for _, u := range all {
				if _, err := fmt.Fprintf(a.out, "%s\tadded %s\n", u.Name, u.Added.Local().Format(time.DateOnly)); err != nil {
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
