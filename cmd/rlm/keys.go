package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/charmbracelet/x/term"
	"github.com/gorlm/rlm/cmd/rlm/internal/typed"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/llm/names"
	"github.com/gorlm/rlm/termination"
	"github.com/spf13/cobra"
)

func (a *app) keysCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "keys",
		Short: "Keep keys of providers and profiles in a file that only you can read",
		Long: `Keep keys of providers and profiles in a file of mode 0600 beside the configuration. A key in the environment goes before a
stored one. A key is read from the terminal or from stdin, never from the command line, where others could see it; it is never printed.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		&cobra.Command{
			Use: "set NAME", Short: "Store the key of a provider or a profile, read from the terminal or stdin",
			Example: "  rlm keys set anthropic\n  pass show work | rlm keys set fast",
			Args: func(_ *cobra.Command, args []string) error {
				if len(args) != 1 {
					return wrongUsage("rlm keys set takes the name of a provider or a profile; the key is read from the terminal or from stdin")
				}
				return nil
			},
			ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
				if len(args) > 0 {
					return nil, cobra.ShellCompDirectiveNoFileComp
				}
				return a.keyNames(), cobra.ShellCompDirectiveNoFileComp
			},
			RunE: func(cmd *cobra.Command, args []string) error { return a.setKey(cmd.Context(), args[0]) },
		},
		&cobra.Command{
			Use: "ls", Short: "List the names under which keys are stored", Args: noArgs,
			RunE: func(*cobra.Command, []string) error { return a.listKeys() },
		},
		&cobra.Command{
			Use: "rm NAME", Short: "Forget a key", Args: exactly(1),
			ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
				return a.storedKeys(), cobra.ShellCompDirectiveNoFileComp
			},
			RunE: func(_ *cobra.Command, args []string) error { return a.removeKey(args[0]) },
		},
	)
	return cmd
}

func (a *app) keys() (*names.KeyFile, error) {
	if f := keyFile(); f != nil {
		return f, nil
	}
	return nil, errors.New("there is no folder for configuration here, so keys cannot be stored")
}

func (a *app) setKey(ctx context.Context, name string) error {
	if a.setErr != nil {
		return &exit{termination.ExitUsage, a.setErr}
	}
	_, provider := llm.ProviderNamed(name)
	if _, profile := a.set.Models[name]; !provider && !profile {
		return wrongUsage("there is no provider and no profile %q; there are: %s", name, strings.Join(a.keyNames(), ", "))
	}
	f, err := a.keys()
	if err != nil {
		return err
	}
	key, err := a.readKey(ctx, name)
	if err != nil {
		return err
	}
	if err := f.Set(name, key); err != nil {
		return err
	}
	fmt.Fprintf(a.err, "the key of %s is stored in %s\n", name, f.Path())
	return nil
}

// keyNames are the providers and profiles that can have a key.
func (a *app) keyNames() []string {
	var all []string
	for _, p := range llm.Providers() {
		all = append(all, p.Name)
	}
	return append(all, a.set.resolver().Profiles()...)
}

// storedKeys are the names that have a stored key; none if that cannot be said.
func (a *app) storedKeys() []string {
	f, err := a.keys()
	if err != nil {
		return nil
	}
	list, err := f.Names()
	if err != nil {
		return nil
	}
	return list
}

// readKey reads a line: on a terminal without showing it.
func (a *app) readKey(ctx context.Context, name string) (llm.Secret, error) {
	if in, ok := a.in.(*os.File); ok && term.IsTerminal(in.Fd()) {
		before, err := term.GetState(in.Fd())
		if err != nil {
			return llm.Secret{}, fmt.Errorf("reading the key: %w", err)
		}
		fmt.Fprintf(a.err, "key of %s (it is not shown): ", name)
		text, err := typed.Read(ctx, func() ([]byte, error) { return term.ReadPassword(in.Fd()) })
		fmt.Fprintln(a.err)
		if ctx.Err() != nil {
			return llm.Secret{}, errors.Join(&exit{code: termination.ExitInterrupted}, term.Restore(in.Fd(), before))
		}
		if err != nil {
			return llm.Secret{}, fmt.Errorf("reading the key: %w", err)
		}
		return llm.NewSecret(strings.TrimSpace(string(text))), nil
	}
	const longest = 64 << 10
	in := bufio.NewReader(io.LimitReader(a.in, longest))
	line, err := typed.Read(ctx, func() (string, error) { return in.ReadString('\n') })
	if err != nil && !errors.Is(err, io.EOF) {
		return llm.Secret{}, fmt.Errorf("reading the key: %w", err)
	}
	return llm.NewSecret(strings.TrimSpace(line)), nil
}

func (a *app) listKeys() error {
	f, err := a.keys()
	if err != nil {
		return err
	}
	list, err := f.Names()
	if err != nil {
		return err
	}
	if len(list) == 0 {
		fmt.Fprintln(a.err, "no key is stored; 'rlm keys set NAME' stores one")
	}
	for _, name := range list {
		if _, err := fmt.Fprintln(a.out, name); err != nil {
			return fmt.Errorf("writing the list: %w", err)
		}
	}
	return nil
}

func (a *app) removeKey(name string) error {
	f, err := a.keys()
	if err != nil {
		return err
	}
	was, err := f.Remove(name)
	if err == nil && !was {
		err = wrongUsage("no key is stored under %q; 'rlm keys ls' lists the names", name)
	}
	return err
}
