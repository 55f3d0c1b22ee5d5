package main

import (
	"errors"
	"os"

	"github.com/gorlm/rlm/internal/server/mcp"
	"github.com/spf13/cobra"
)

const mcpHelp = `Serve other agents over the Model Context Protocol, on stdin and stdout: they ask questions over files far larger than their window, open
notebooks, run cells in them, search and read.

Tools see PATH… and no other files; without PATH they work on text alone. The budgets are for each question; a request can only lower
them. Nothing but the protocol goes to stdout. Runs are kept like all others: 'rlm ls' lists them.

One line of configuration each:
  Claude Code      claude mcp add rlm -- rlm mcp .
  Cursor           ~/.cursor/mcp.json: {"mcpServers":{"rlm":{"command":"rlm","args":["mcp","/path/to/folder"]}}}
  MCP inspector    npx @modelcontextprotocol/inspector rlm mcp .

Without a model cells run, and contexts can be searched and read.`

func (a *app) mcpCommand() *cobra.Command {
	var maxRuns int
	cmd := &cobra.Command{
		Use:     "mcp [PATH…]",
		Short:   "Serve other agents over the Model Context Protocol",
		Long:    mcpHelp,
		Example: "  rlm mcp docs/ logs/",
		RunE:    func(cmd *cobra.Command, args []string) error { return a.serveMCP(cmd, maxRuns, args) },
	}
	cmd.Flags().IntVar(&maxRuns, "max-runs", 4, "questions that are answered at once; others wait")
	a.sessionFlags(cmd)
	return cmd
}

func (a *app) serveMCP(cmd *cobra.Command, maxRuns int, paths []string) error {
	if err := a.ready(cmd); err != nil {
		return err
	}
	ctx := cmd.Context()
	r, err := a.runner(ctx, asking{showing: showing{quiet: true}})
	if missing := (*noModelError)(nil); errors.As(err, &missing) {
		r, err = a.modelless(ctx, nil)
	}
	if err != nil {
		return err
	}
	notebooks := mcp.NewOwn(r, maxRuns)
	s, err := mcp.New(mcp.Config{Notebooks: notebooks, Folders: paths, Version: version()})
	if err != nil {
		return wrongUsage("%w", err)
	}
	err = s.Serve(ctx, os.Stdin, os.Stdout)
	if ctx.Err() != nil {
		err = nil // it was asked to end
	}
	return errors.Join(err, notebooks.Close())
}
