package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/charmbracelet/x/term"
	"github.com/gorlm/rlm/internal/exitcode"
	"github.com/gorlm/rlm/internal/front/terminal/input"
	"github.com/gorlm/rlm/internal/front/terminal/screen"
	"github.com/gorlm/rlm/internal/kit/text/decoding"
	"github.com/gorlm/rlm/internal/names"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/spf13/cobra"
)

func (std streams) keysCommand(set *settings) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "keys",
		Short: "Store API keys of providers and profiles in a file that only you can read",
		Long: `Store API keys of providers and profiles in a file with mode 0600 beside the configuration file. A key in the
environment takes precedence over a stored one. Keys are read from the terminal or from stdin, never from the
command line, where others could see them, and they are never printed.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(
		&cobra.Command{
			Use: "set NAME", Short: "Store the key of a provider or profile, read from the terminal or stdin",
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
				return set.keyNames(), cobra.ShellCompDirectiveNoFileComp
			},
			RunE: func(cmd *cobra.Command, args []string) error { return std.setKey(cmd.Context(), set, args[0]) },
		},
		&cobra.Command{
			Use: "ls", Short: "List the names under which keys are stored", Args: noArgs,
			RunE: func(*cobra.Command, []string) error { return std.listKeys() },
		},
		&cobra.Command{
			Use: "rm NAME", Short: "Delete a stored key", Args: exactly(1),
			ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
				return storedKeys(), cobra.ShellCompDirectiveNoFileComp
			},
			RunE: func(_ *cobra.Command, args []string) error { return removeKey(args[0]) },
		},
	)
	return cmd
}

func keys() (*names.KeyFile, error) {
	if f := keyFile(); f != nil {
		return f, nil
	}
	return nil, errors.New("there is no configuration folder here, so keys cannot be stored")
}

func (std streams) setKey(ctx context.Context, set *settings, name string) error {
	if set.broken != nil {
		return asUsage(set.broken)
	}
	_, provider := llm.ProviderNamed(name)
	if _, profile := set.Models[name]; !provider && !profile {
		return wrongUsage("there is no provider or profile %q%s", name,
			cmp.Or(screen.DidYouMean(name, set.keyNames()), "; there are: "+strings.Join(set.keyNames(), ", ")))
	}
	key, err := std.readKey(ctx, name)
	if err != nil {
		return err
	}
	return std.storeKey(name, key)
}

func (std streams) storeKey(name string, key llm.Secret) error {
	f, err := keys()
	if err != nil {
		return err
	}
	if err := f.Set(name, key); err != nil {
		return err
	}
	fmt.Fprintf(std.err, "the key of %s is stored in %s\n", name, f.Path())
	return nil
}

// keyNames returns the names under which a key can be stored: those of providers and profiles.
func (s *settings) keyNames() []string {
	var all []string
	for _, p := range llm.Providers() {
		all = append(all, p.Name)
	}
	return append(all, s.resolver().Profiles()...)
}

// storedKeys returns the names under which a key is stored; none after an error.
func storedKeys() []string {
	f, err := keys()
	if err != nil {
		return nil
	}
	list, err := f.Names()
	if err != nil {
		return nil
	}
	return list
}

// readKey reads a line from stdin; on a terminal, without echo.
func (std streams) readKey(ctx context.Context, name string) (llm.Secret, error) {
	if in, ok := std.in.(*os.File); ok && term.IsTerminal(in.Fd()) {
		defer fmt.Fprintln(std.err)
		return hidden(ctx, in, func() { fmt.Fprintf(std.err, "key of %s (it is not shown): ", name) })
	}
	const longest = 64 << 10
	in := bufio.NewReader(decoding.Lines(io.LimitReader(std.stdin(), longest)))
	line, err := input.Read(ctx, func() (string, error) { return in.ReadString('\n') })
	if err != nil && !errors.Is(err, io.EOF) {
		return llm.Secret{}, fmt.Errorf("reading the key: %w", err)
	}
	return llm.NewSecret(strings.TrimSpace(line)), nil
}

// hidden reads a line from a terminal without echo. ask prints the prompt.
func hidden(ctx context.Context, in *os.File, ask func()) (llm.Secret, error) {
	text, err := input.Hidden(ctx, in, ask)
	switch {
	case ctx.Err() != nil:
		return llm.Secret{}, &exit{Code: exitcode.Interrupted}
	case err != nil:
		return llm.Secret{}, fmt.Errorf("reading the key: %w", err)
	}
	return llm.NewSecret(strings.TrimSpace(string(text))), nil
}

func (std streams) listKeys() error {
	f, err := keys()
	if err != nil {
		return err
	}
	list, err := f.Names()
	if err != nil {
		return err
	}
	if len(list) == 0 {
		fmt.Fprintln(std.err, "no key is stored; 'rlm keys set NAME' stores one")
	}
	for _, name := range list {
		if _, err := fmt.Fprintln(std.out, name); err != nil {
			return fmt.Errorf("writing the list: %w", err)
		}
	}
	return nil
}

func removeKey(name string) error {
	f, err := keys()
	if err != nil {
		return err
	}
	was, err := f.Remove(name)
	if err == nil && !was {
		err = wrongUsage("no key is stored under %q; 'rlm keys ls' lists the names", name)
	}
	return err
}
