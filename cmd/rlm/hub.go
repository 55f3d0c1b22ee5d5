package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/gorlm/rlm/internal/fleet"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/spf13/cobra"
)

const hubHelp = `Share a queue of jobs with other machines, for a small team: 'rlm batch --nats URL' puts jobs there, 'rlm node
URL' runs them.

It prints an address for each --node, with a token of its own that stays the same; a name that is left out the
next time loses access. An address that other machines can reach needs a certificate. A batch that is inactive
for --keep is removed with its results and runs. The hub is a single server: if that is not enough, run a
cluster of NATS servers.`

func (std streams) hubCommand() *cobra.Command {
	var how serveFlags
	var nodes []string
	keep := retention(90 * 24 * time.Hour)
	cmd := &cobra.Command{
		Use: "hub", Short: "Share a queue of jobs with other machines", Long: hubHelp, Args: noArgs,
		Example: "  rlm hub --listen 0.0.0.0:4222 --tls-cert hub.pem --tls-key hub.key --node worker1 --node worker2",
		RunE:    func(cmd *cobra.Command, _ []string) error { return std.hub(cmd, how, nodes, time.Duration(keep)) },
	}
	f := cmd.Flags()
	f.StringVar(&how.listen, "listen", "127.0.0.1:4222", "HOST:PORT")
	f.StringVar(&how.cert, "tls-cert", "", "certificate file, for an address that others can reach")
	f.StringVar(&how.key, "tls-key", "", "private key file for --tls-cert")
	f.StringArrayVar(&nodes, "node", []string{"node"},
		"name of a machine or person that may connect, to run or submit jobs (repeatable)")
	f.Var(&keep, "keep", "how long to keep inactive batches, such as 30d (0: forever)")
	return cmd
}

// retention is an age that may also be 0.
type retention time.Duration

// Type returns the kind of value in help texts.
func (retention) Type() string { return "age" }

func (k retention) String() string { return fmt.Sprintf("%dd", time.Duration(k)/(24*time.Hour)) }

// Set parses a retention.
func (k *retention) Set(text string) error {
	if text == "0" {
		*k = 0
		return nil
	}
	return (*age)(k).Set(text)
}

func (std streams) hub(cmd *cobra.Command, how serveFlags, nodes []string, keep time.Duration) error {
	secured, err := how.certificate()
	if err != nil {
		return err
	}
	reachable, err := how.reachable()
	if err != nil {
		return err
	}
	if reachable && secured == nil {
		return wrongUsage("others can reach %s: the hub needs --tls-cert and --tls-key there", how.listen)
	}
	data, err := trajectory.DataDir()
	if err != nil {
		return err
	}
	hub, err := fleet.StartHub(
		fleet.HubConfig{Listen: how.listen, Dir: filepath.Join(fleet.Dir(data), "hub"), Nodes: nodes, TLS: secured})
	if err != nil {
		return err
	}
	slices.Sort(nodes)
	for _, name := range slices.Compact(nodes) {
		fmt.Fprintf(std.out, "rlm node %s\n", hub.URL(name))
	}
	fmt.Fprintln(std.err, "rlm: the hub is ready; Ctrl-C ends it and keeps its queue")
	err = hub.Watch(cmd.Context(), keep, func(batch string, err error) {
		if err != nil {
			fmt.Fprintf(std.err, "rlm: warning: %v\n", err)
			return
		}
		fmt.Fprintf(std.err, "rlm: removed batch %s: inactive for %s\n", batch, retention(keep))
	})
	return errors.Join(err, hub.Close())
}
