package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"

	"github.com/gorlm/rlm/internal/fleet"
	"github.com/gorlm/rlm/internal/front/batch"
	"github.com/gorlm/rlm/internal/kit/startup"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// fleetConn is the connection to the queue of a fleet. Without an address, the queue is in the data folder.
type fleetConn struct {
	url, creds, ca, cert, key string
}

func (at *fleetConn) flags(f *pflag.FlagSet) {
	f.StringVar(&at.url, "nats", "",
		"queue of a fleet: the address of a hub or of NATS servers (default: RLM_NATS, else the data folder)")
	at.credentials(f)
}

// credentials are the flags for authentication at NATS servers.
func (at *fleetConn) credentials(f *pflag.FlagSet) {
	f.StringVar(&at.creds, "nats-creds", "", "NATS credentials file")
	f.StringVar(&at.ca, "nats-ca", "", "CA certificates to verify NATS servers")
	f.StringVar(&at.cert, "nats-cert", "", "this machine's certificate file for NATS servers")
	f.StringVar(&at.key, "nats-key", "", "private key file for --nats-cert")
}

// address returns the address of the queue; "" if it is in the data folder.
func (at *fleetConn) address() string { return cmp.Or(at.url, os.Getenv("RLM_NATS")) }

// open opens the queue of a fleet or of the data folder.
func (at *fleetConn) open(ctx context.Context) (*fleet.Queue, error) {
	data, err := trajectory.DataDir()
	if err != nil {
		return nil, err
	}
	if err := at.check(); err != nil {
		return nil, err
	}
	if at.address() == "" {
		return fleet.Open(ctx, fleet.Dir(data), func(line string) {
			fmt.Fprintf(os.Stderr, "rlm: %s; waiting\n", line)
		})
	}
	return fleet.Connect(ctx,
		fleet.Server{URL: at.address(), Creds: at.creds, CA: at.ca, Cert: at.cert, Key: at.key, DataDir: data})
}

// check validates the flags before a connection is made.
func (at *fleetConn) check() error {
	if at.address() == "" {
		return nil
	}
	for flag, path := range map[string]string{
		"nats-creds": at.creds, "nats-ca": at.ca, "nats-cert": at.cert, "nats-key": at.key,
	} {
		if path == "" {
			continue
		}
		if _, err := os.Stat(path); err != nil {
			return wrongUsage("--%s: %w", flag, err)
		}
	}
	if (at.cert == "") != (at.key == "") {
		return wrongUsage("--nats-cert and --nats-key go together")
	}
	return nil
}

// inAddress matches the user and the token in the address of a server.
var inAddress = startup.Regexp(`(://)[^@/\s,]+@`)

// withoutSecrets removes the secrets from a command line, so that others may see it.
func withoutSecrets(line string) string { return inAddress().ReplaceAllString(line, "$1") }

// ofFleet adds the flags of a fleet to a command whose argument is a run. If they name a fleet, the run is first
// copied to the data folder, and with contexts its context as well.
func ofFleet(cmd *cobra.Command, contexts bool) *cobra.Command {
	var at fleetConn
	at.flags(cmd.Flags())
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if at.address() == "" || len(args) == 0 {
			return run(cmd, args)
		}
		if err := at.fetch(cmd.Context(), args[0], contexts); err != nil {
			return err
		}
		return run(cmd, args)
	}
	return cmd
}

// fetch copies a run of the fleet. If the fleet does not have the run, it may be in the data folder.
func (at *fleetConn) fetch(ctx context.Context, id string, contexts bool) (err error) {
	data, err := trajectory.DataDir()
	if err != nil {
		return err
	}
	q, err := at.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, q.Close()) }()
	err = fleet.Fetch(ctx, q, id, data, contexts)
	var missing *trajectory.NotFoundError
	if errors.As(err, &missing) {
		return nil
	}
	return err
}

// fleetBatch submits a batch that the nodes of a fleet run, and writes its results. Nodes have the models and the
// keys, so a job names a model only if the command line or the job's line in the file does. Other settings
// that affect answers are refused, unless jobs pass them to their nodes.
func (l *launcher) fleetBatch(cmd *cobra.Command, b batchFlags, args []string) error {
	ctx := cmd.Context()
	passed := append(slices.Clone(fleetSettings),
		"reasoning-effort", "require-evidence", "require-grounded", "system", "temperature")
	if err := l.set.checkFleetFlags(cmd.Flags(), passed, nil); err != nil {
		return err
	}
	jobs, named, err := l.jobs(ctx, b, nil, args)
	if err != nil {
		return err
	}
	if b.shared != "" {
		if b.shared, err = filepath.Abs(b.shared); err != nil {
			return wrongUsage("--shared-path: %w", err)
		}
	}
	for i := range jobs {
		if jobs[i].Model == "" && cmd.Flags().Changed("model") {
			jobs[i].Model = l.set.Model
		}
		if jobs[i].SubModel == "" && cmd.Flags().Changed("sub-model") {
			jobs[i].SubModel = l.set.SubModel
		}
		if cmd.Flags().Changed("system") {
			jobs[i].Asked.System = l.set.System
		}
		if cmd.Flags().Changed("temperature") {
			jobs[i].Asked.Temperature = l.set.Temperature
		}
		if cmd.Flags().Changed("reasoning-effort") {
			jobs[i].Asked.ReasoningEffort = l.set.ReasoningEffort
		}
		jobs[i].Requires = l.set.requirements()
		jobs[i].Budgets = jobs[i].Over(l.set.budgets())
	}
	if b.dryRun || !b.quiet {
		fmt.Fprintln(l.err, l.set.batchWorst(b, jobs))
	}
	if b.dryRun {
		return nil
	}
	return l.runBatch(ctx, b, named, jobs, func(
		ctx context.Context, q *fleet.Queue, id string, v *batch.View, since uint64,
	) iter.Seq2[fleet.Result, error] {
		return fleet.Await(ctx, q, id, since, v.Look)
	})
}
