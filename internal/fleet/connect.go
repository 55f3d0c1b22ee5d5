package fleet

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/nats-io/nats.go"

	"github.com/gorlm/rlm/internal/fleet/internal/jet"
)

// Server is the address of a queue that several machines share, with credentials. The address may contain a token:
// nats://TOKEN@HOST:4222.
type Server struct {
	URL   string // the servers of one cluster, separated by commas; tls:// for TLS
	Creds string // file of credentials, as nsc writes it
	CA    string // file of certificates that verify the server's certificate, instead of the system's
	Cert  string // file of this client's certificate, with Key
	Key   string
	// DataDir is the data folder of this machine. If several commands with the same data folder submit the same
	// batch, only one of them does it.
	DataDir string
}

// Connect opens a queue on a server or a cluster: rlm hub, or any NATS server with JetStream. Missing streams are
// created, with three replicas on a cluster. Every operation waits while no server answers.
func Connect(ctx context.Context, s Server) (*Queue, error) {
	var opts []nats.Option
	if s.Creds != "" {
		opts = append(opts, nats.UserCredentials(s.Creds))
	}
	if s.CA != "" {
		opts = append(opts, nats.RootCAs(s.CA))
	}
	if s.Cert != "" || s.Key != "" {
		opts = append(opts, nats.ClientCert(s.Cert, s.Key))
	}
	return connected(ctx, s, opts)
}

func connected(ctx context.Context, s Server, opts []nats.Option) (*Queue, error) {
	conn, err := jet.Connect(s.URL, opts...)
	if err != nil {
		return nil, fmt.Errorf("connect to the queue: %w", err)
	}
	return newQueue(ctx, conn, filepath.Join(Dir(s.DataDir), "claims"))
}

// newQueue opens a queue over a connection, and creates missing streams.
func newQueue(ctx context.Context, conn *jet.Conn, claims string) (*Queue, error) {
	q := &Queue{conn: conn, times: defaultTimes(), spans: spansWanted, claims: claims}
	if err := q.prepare(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open the queue: %w", q.why(err)), q.Close())
	}
	return q, nil
}
