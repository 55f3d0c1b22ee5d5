package main

import (
	"cmp"
	"context"
	"os"

	"github.com/gorlm/rlm/runner/fleet"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/spf13/pflag"
)

// elsewhere says where the queue of a fleet is; without an address it is in the data folder.
type elsewhere struct {
	url, creds, ca, cert, key string
}

func (e *elsewhere) flags(f *pflag.FlagSet) {
	f.StringVar(&e.url, "nats", "", "the queue of a fleet: the address of a hub or of NATS servers (default: RLM_NATS, else the data folder)")
	e.credentials(f)
}

// credentials are the flags that say how a server lets this command in.
func (e *elsewhere) credentials(f *pflag.FlagSet) {
	f.StringVar(&e.creds, "nats-creds", "", "file of credentials for NATS servers")
	f.StringVar(&e.ca, "nats-ca", "", "file of the certificates that those of NATS servers are checked with")
	f.StringVar(&e.cert, "nats-cert", "", "file of this machine's certificate for NATS servers")
	f.StringVar(&e.key, "nats-key", "", "file of that certificate's key")
}

// address is where the queue is; empty: in the data folder.
func (e *elsewhere) address() string { return cmp.Or(e.url, os.Getenv("RLM_NATS")) }

// open opens the queue of a fleet, or that of the data folder.
func (e *elsewhere) open(ctx context.Context) (*fleet.Queue, error) {
	data, err := trajectory.DataDir()
	if err != nil {
		return nil, err
	}
	if e.address() == "" {
		return fleet.Open(ctx, fleet.Dir(data))
	}
	return fleet.Connect(ctx, fleet.Server{URL: e.address(), Creds: e.creds, CA: e.ca, Cert: e.cert, Key: e.key, DataDir: data})
}
