package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gorlm/rlm/internal/fleet"
	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
	"github.com/spf13/cobra"
)

const nodeHelp = `Run jobs of a fleet: those that 'rlm batch --nats URL' puts into the queue at URL, on any number of machines.

URL is what 'rlm hub' prints, or the addresses of NATS servers with JetStream (nats://host1,nats://host2); it
can also be set in RLM_NATS. A node uses the API keys of its own machine and only the models of its
configuration (--model, --sub-model and [models] in the configuration file); jobs that name other models go to
nodes that have them.

When a node dies, another one continues its runs from their events within seconds; what was recorded is not
paid for again. Ctrl-C and SIGTERM hand the runs over at once.`

// nodeFlags are the flags of a node.
type nodeFlags struct {
	fleetConn
	slots  int
	cache  int64
	shared string
}

func (l *launcher) nodeCommand(silence time.Duration) *cobra.Command {
	var n nodeFlags
	cmd := &cobra.Command{
		Use: "node URL", Short: "Run jobs of a fleet", Long: nodeHelp, Args: cobra.MaximumNArgs(1),
		Example: "  rlm node tls://worker1:TOKEN@hub.example.org:4222 --slots 8",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				n.url = args[0]
			}
			return l.node(cmd, n, silence)
		},
	}
	f := cmd.Flags()
	f.IntVar(&n.slots, "slots", 4, "number of jobs to run at once")
	f.Int64Var(&n.cache, "cache", 20<<10, "MiB of contexts to keep for other jobs")
	f.StringVar(&n.shared, "shared-path", "",
		"the only folder whose paths jobs may name (default: none; contexts come through the queue)")
	n.credentials(f)
	l.set.modelFlags(f)
	inGroup(f, groupStop, func() { l.set.stopFlags(f) })
	l.set.budgetFlags(f)
	l.set.cellFlags(f)
	return cmd
}

func (l *launcher) node(cmd *cobra.Command, n nodeFlags, silence time.Duration) (err error) {
	ctx := cmd.Context()
	if err := l.set.ready(); err != nil {
		return err
	}
	switch {
	case n.address() == "":
		return wrongUsage("rlm node needs the address of a queue: the one that 'rlm hub' prints, or that of NATS servers")
	case n.slots < 1 || n.cache < 0:
		return wrongUsage("--slots must be at least 1, and --cache must not be negative")
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
	l.pace = func(model string, requests, tokens int) llm.RateLimiter { return q.Rate(model, requests, tokens) }
	m := &batchModels{launcher: l, only: l.set.served()}
	if m.standard, err = l.models(ctx); err != nil {
		return err
	}
	if !slices.Contains(m.only, l.set.Model) {
		m.only = append(m.only, l.set.Model) // the model of a local Ollama, if that was found
	}
	if m.policy, err = l.set.stopPolicy(); err != nil {
		return err
	}
	fmt.Fprintf(l.err, "rlm: ready for jobs, %s at once\n", units.Of(n.slots, "job"))
	node := &fleet.Node{
		Queue: q, Slots: n.slots, Setup: m.setup, Log: slog.New(slog.NewTextHandler(l.err, nil)),
		Models: m.only, Dir: filepath.Join(fleet.Dir(data), "node"), CacheSize: n.cache << 20, SharedPath: n.shared,
		Silence: silence,
	}
	return node.Run(ctx, ctx)
}

// batchModels finds the models of jobs by name.
type batchModels struct {
	*launcher
	standard models
	policy   termination.Policy
	only     []string // the models that jobs may name; nil means any

	mu sync.Mutex
}

// check returns an error if a model that a job names is not available.
func (m *batchModels) check(ctx context.Context, j fleet.Job) error {
	for _, name := range []string{j.Model, j.SubModel} {
		if name == "" {
			continue
		}
		if _, err := m.named(ctx, name); err != nil {
			return fmt.Errorf("model: %w", err)
		}
	}
	return nil
}

func (m *batchModels) named(ctx context.Context, name string) (llm.Model, error) {
	if m.only != nil && !slices.Contains(m.only, name) {
		return nil, fmt.Errorf("this node has no model %q: its models are %s", name, strings.Join(m.only, ", "))
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.namedModel(ctx, name)
}

// setup returns the model and options of a job.
func (m *batchModels) setup(ctx context.Context, j fleet.Job) (llm.Model, []runner.Option, error) {
	root, sub := m.standard.root, m.standard.sub
	var err error
	if j.Model != "" && j.Model != m.set.Model {
		if root, err = m.named(ctx, j.Model); err != nil {
			return nil, nil, err
		}
		if j.SubModel == "" {
			sub = root
		}
	}
	if j.SubModel != "" && j.SubModel != m.set.SubModel {
		if sub, err = m.named(ctx, j.SubModel); err != nil {
			return nil, nil, err
		}
	}
	policy := m.policy
	policy.RequireEvidence = policy.RequireEvidence || j.Requires.Evidence
	policy.RequireGrounded = policy.RequireGrounded || j.Requires.Grounded
	opts := append(m.options(), runner.WithSubModel(sub), runner.WithPolicy(policy),
		runner.WithMetadata(placeOf(root)),
		runner.WithBudgets(j.Over(m.set.budgets())))
	return root, append(opts, m.asked(j.Asked)...), nil
}

// asked returns the options for the model calls of a job, which override the settings.
func (m *batchModels) asked(a fleet.ModelOptions) []runner.Option {
	s := *m.set
	s.System, s.Temperature = cmp.Or(a.System, s.System), cmp.Or(a.Temperature, s.Temperature)
	s.ReasoningEffort = cmp.Or(a.ReasoningEffort, s.ReasoningEffort)
	root, sub := s.callSettings()
	return []runner.Option{runner.WithSystem(s.System), runner.WithCallSettings(root, sub)}
}
