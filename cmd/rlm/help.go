package main

import (
	"fmt"
	"strings"

	"github.com/gorlm/rlm/internal/front/terminal/screen"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The groups of flags in help texts, in this order. Flags without a group come first.
const (
	groupShow      = "Showing"
	groupModel     = "Model"
	groupStop      = "When it stops"
	groupBudgets   = "Budgets"
	groupCells     = "Cells"
	groupDocuments = "Documents"
	groupTools     = "Tools"
)

// groupOf is the annotation with the group of a flag.
const groupOf = "rlm_group"

// inGroup assigns the flags that add defines to a group of the help text.
func inGroup(f *pflag.FlagSet, group string, add func()) {
	sorted, had := f.SortFlags, 0
	f.SortFlags = false // then flags are visited in the order in which they were defined, and not sorted each time
	f.VisitAll(func(*pflag.Flag) { had++ })
	add()
	f.VisitAll(func(flag *pflag.Flag) {
		if had--; had < 0 {
			flag.Annotations = map[string][]string{groupOf: {group}}
		}
	})
	f.SortFlags = sorted
}

// helpMost is the maximum width of help texts; wider lines are hard to read.
const helpMost = 112

// help prints what a command does and how to use it. On a terminal, paragraphs are wrapped to the terminal's width.
func (std streams) help(c *cobra.Command, _ []string) {
	text := c.Long
	if text == "" {
		text = c.Short
	}
	columns := std.helpWidth()
	if columns > 0 {
		text = screen.Hang(joinLines(text), columns+1)
	}
	_ = std.out.Styled(std.out.Fit(strings.TrimSpace(text) + "\n\n" + c.UsageString())) // an error cannot be reported
}

// joinLines joins the lines of each paragraph. Indented lines, and lines that follow one, stay separate.
func joinLines(text string) string {
	var b strings.Builder
	before := "\n"
	for line := range strings.Lines(text) {
		if indented := strings.HasPrefix(line, " "); before == "\n" || indented || strings.HasPrefix(before, " ") ||
			line == "\n" {
			b.WriteString(line)
		} else {
			joined := strings.TrimSuffix(b.String(), "\n")
			b.Reset()
			b.WriteString(joined + " " + line)
		}
		before = line
	}
	return b.String()
}

// usage prints how to use a command, like cobra's template but with flags in groups.
func (std streams) usage(c *cobra.Command) error {
	var b strings.Builder
	b.WriteString("Usage:")
	if c.Runnable() {
		b.WriteString("\n  " + c.UseLine())
	}
	if c.HasAvailableSubCommands() {
		b.WriteString("\n  " + c.CommandPath() + " [command]")
	}
	if len(c.Aliases) > 0 {
		b.WriteString("\n\nAliases:\n  " + c.NameAndAliases())
	}
	if c.HasExample() {
		b.WriteString("\n\nExamples:\n" + c.Example)
	}
	usageOfCommands(&b, c)
	for _, group := range []string{
		"", groupShow, groupModel, groupStop, groupBudgets, groupCells, groupDocuments, groupTools,
	} {
		flags := pflag.NewFlagSet(group, pflag.ContinueOnError)
		flags.SortFlags = false
		c.LocalFlags().VisitAll(func(flag *pflag.Flag) {
			if in := flag.Annotations[groupOf]; group == "" && in == nil || len(in) > 0 && in[0] == group {
				flags.AddFlag(flag)
			}
		})
		if !flags.HasAvailableFlags() {
			continue
		}
		title := "Flags"
		if group != "" {
			title = group
		}
		b.WriteString("\n\n" + title + ":\n" + strings.TrimRight(flags.FlagUsagesWrapped(std.helpWidth()), "\n"))
	}
	if c.HasAvailableSubCommands() {
		b.WriteString("\n\nUse \"" + c.CommandPath() + " [command] --help\" for more about a command.")
	}
	_, err := fmt.Fprintln(c.OutOrStderr(), b.String())
	return err
}

// helpWidth returns the width of help texts; 0 if stdout is not a terminal.
func (std streams) helpWidth() int {
	if !std.out.Terminal() {
		return 0
	}
	columns, _ := std.out.Size()
	return min(columns-1, helpMost)
}

// usageOfCommands lists a command's subcommands by group.
func usageOfCommands(b *strings.Builder, c *cobra.Command) {
	if !c.HasAvailableSubCommands() {
		return
	}
	groups := append(c.Groups(), &cobra.Group{Title: "More:"})
	for _, group := range groups {
		title := "\n\n" + group.Title
		for _, sub := range c.Commands() {
			if sub.GroupID != group.ID || !sub.IsAvailableCommand() && sub.Name() != "help" {
				continue
			}
			b.WriteString(title + fmt.Sprintf("\n  %-*s %s", c.Commands()[0].NamePadding(), sub.Name(), sub.Short))
			title = ""
		}
	}
}
