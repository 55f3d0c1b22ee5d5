package main

import (
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"

	"github.com/gorlm/rlm/internal/quantity"
	"github.com/gorlm/rlm/runner/fleet"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/spf13/cobra"
)

const nodeHelp = `Run jobs of a fleet: those that 'rlm batch --nats URL' puts into the queue at URL, on any number of machines.

URL is what 'rlm hub' prints, or the addresses of NATS servers with JetStream (nats://host1,nats://host2); RLM_NATS takes its place. Keys for
models are those of this machine, and jobs name models of its configuration only (--model, --sub-model and [models] in the configuration); jobs that
name others go to nodes that have them.

When a node dies, another one goes on with its runs from their events within seconds; what was recorded is not paid for again. Ctrl-C and
SIGTERM hand the runs over at once.`

// nodes are the flags of a node.
type nodes struct {
	elsewhere
	slots  int
	cache  int64
	shared string
}

func (a *app) nodeCommand() *cobra.Command {
	var n nodes
	cmd := &cobra.Command{
		Use: "node URL", Short: "Run jobs of a fleet", Long: nodeHelp, Args: cobra.MaximumNArgs(1),
		Example: "  rlm node tls://worker1:TOKEN@hub.example.org:4222 --slots 8",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				n.url = args[0]
			}
			return a.node(cmd, n)
		},
	}
	f := cmd.Flags()
	f.IntVar(&n.slots, "slots", 4, "jobs that run at once")
	f.Int64Var(&n.cache, "cache", 20<<10, "MiB of contexts that are kept for other jobs")
	f.StringVar(&n.shared, "shared-path", "", "the only folder that jobs may name paths in (default: none; contexts come through the queue)")
	n.credentials(f)
	a.modelFlags(f)
	inGroup(f, groupStop, func() { a.set.stopFlags(f) })
	a.budgetFlags(f)
	a.cellFlags(f)
	return cmd
}

func (a *app) node(cmd *cobra.Command, n nodes) (err error) {
	ctx := cmd.Context()
	if err := a.ready(cmd); err != nil {
		return err
	}
	switch {
	case n.address() == "":
		return wrongUsage("rlm node needs the address of a queue: what 'rlm hub' prints, or that of NATS servers")
	case n.slots < 1 || n.cache < 0:
		return wrongUsage("--slots is at least 1, and --cache not negative")
	}
	if n.shared != "" {
		if n.shared, err = filepath.Abs(n.shared); err == nil {
			n.shared, err = filepath.EvalSymlinks(n.shared)
		}
		if err != nil {
			return wrongUsage("--shared-path: %w", err)
		}
	}
	data, err := trajectory.DataDir()
	if err != nil {
		return err
	}
	q, err := n.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, q.Close()) }()
	a.pace = func(model string, requests, tokens int) llm.Pacer { return q.Rate(model, requests, tokens) }
	m := &batchModels{app: a, only: a.served()}
	if m.standard, err = a.models(ctx); err != nil {
		return err
	}
	if !slices.Contains(m.only, a.set.Model) {
		m.only = append(m.only, a.set.Model) // the one that was found
	}
	if m.policy, err = a.set.stopPolicy(); err != nil {
		return err
	}
	fmt.Fprintf(a.err, "rlm: ready for jobs, %s at once\n", quantity.Of(n.slots, "job"))
	node := &fleet.Node{
		Queue: q, Slots: n.slots, Setup: m.setup, Log: slog.New(slog.NewTextHandler(a.err, nil)),
		Models: m.only, Dir: filepath.Join(fleet.Dir(data), "node"), CacheSize: n.cache << 20, SharedPath: n.shared,
	}
	return node.Run(ctx, ctx)
}
