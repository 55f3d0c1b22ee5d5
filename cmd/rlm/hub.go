package main

import (
	"fmt"
	"path/filepath"

	"github.com/gorlm/rlm/runner/fleet"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/spf13/cobra"
)

const hubHelp = `Share a queue of jobs with other machines, for a small team: 'rlm batch --nats URL' puts jobs there, 'rlm node URL' runs them.

It prints an address for each --node, with a token of its own that stays the same; a name that is left out next time is let in no more. On an
address that others can reach it needs a certificate. It is one server: where that is not enough, run a cluster of NATS servers.`

func (a *app) hubCommand() *cobra.Command {
	var how serving
	var nodes []string
	cmd := &cobra.Command{
		Use: "hub", Short: "Share a queue of jobs with other machines", Long: hubHelp, Args: noArgs,
		Example: "  rlm hub --listen 0.0.0.0:4222 --tls-cert hub.pem --tls-key hub.key --node worker1 --node worker2",
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.hub(cmd, how, nodes) },
	}
	f := cmd.Flags()
	f.StringVar(&how.listen, "listen", "127.0.0.1:4222", "HOST:PORT")
	f.StringVar(&how.cert, "tls-cert", "", "file with the certificate for an address that others can reach")
	f.StringVar(&how.key, "tls-key", "", "file with the certificate's key")
	f.StringArrayVar(&nodes, "node", []string{"node"}, "a name of who may come, to run jobs or to submit them; may be repeated")
	return cmd
}

func (a *app) hub(cmd *cobra.Command, how serving, nodes []string) error {
	secured, err := how.certificate()
	if err != nil {
		return err
	}
	reachable, err := how.reachable()
	if err != nil {
		return err
	}
	if reachable && secured == nil {
		return wrongUsage("others can reach %s: a hub needs --tls-cert and --tls-key there", how.listen)
	}
	data, err := trajectory.DataDir()
	if err != nil {
		return err
	}
	hub, err := fleet.StartHub(fleet.HubConfig{Listen: how.listen, Dir: filepath.Join(fleet.Dir(data), "hub"), Nodes: nodes, TLS: secured})
	if err != nil {
		return err
	}
	for _, name := range nodes {
		fmt.Fprintf(a.out, "rlm node %s\n", hub.URL(name))
	}
	fmt.Fprintln(a.err, "rlm: the hub is ready; Ctrl-C ends it, and what is in its queue stays")
	<-cmd.Context().Done()
	return hub.Close()
}
