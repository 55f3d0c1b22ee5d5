package fleet

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Server is where a queue is that several machines share, and how to be let in. Its addresses may hold a token: nats://TOKEN@HOST:4222.
type Server struct {
	URL   string // of the servers of one cluster, separated by commas; tls:// asks for TLS
	Creds string // file of credentials, as nsc writes it
	CA    string // file of certificates that the server's is checked with, in the place of the system's
	Cert  string // file of this client's certificate, with Key
	Key   string
	// DataDir is the data folder of this machine: of several commands on it that submit the same batch, one does.
	DataDir string
}

// Connect opens a queue on a server or a cluster that runs somewhere: rlm hub, or any NATS server with JetStream. The streams are made if they
// are not there, with three replicas on a cluster. While no server answers, everything waits for one.
func Connect(ctx context.Context, s Server) (*Queue, error) {
	conn := newConnection()
	opts := append(clientOptions(conn), nats.ReconnectJitter(100*time.Millisecond, 100*time.Millisecond), nats.PingInterval(2*time.Second))
	if s.Creds != "" {
		opts = append(opts, nats.UserCredentials(s.Creds))
	}
	if s.CA != "" {
		opts = append(opts, nats.RootCAs(s.CA))
	}
	if s.Cert != "" || s.Key != "" {
		opts = append(opts, nats.ClientCert(s.Cert, s.Key))
	}
	return connected(ctx, conn, s, opts)
}

func connected(ctx context.Context, conn *connection, s Server, opts []nats.Option) (*Queue, error) {
	nc, err := nats.Connect(s.URL, opts...)
	if err != nil {
		var address *url.Error
		if errors.As(err, &address) {
			err = address.Err // the address may hold a token
		}
		switch {
		case errors.Is(err, nats.ErrNoServers):
			err = fmt.Errorf("no server answers at %s", s.address())
		case errors.Is(err, nats.ErrAuthorization):
			err = fmt.Errorf("the server at %s does not let this command in: the token or the credentials are not known there", s.address())
		}
		return nil, fmt.Errorf("connect to the queue: %w", err)
	}
	q := &Queue{nc: nc, connection: conn, remote: true, claims: filepath.Join(Dir(s.DataDir), "claims")}
	if err := q.prepare(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open the queue: %w", err), q.Close())
	}
	return q, nil
}

// address is where the servers are, without who comes and the token.
func (s Server) address() string {
	list := strings.Split(s.URL, ",")
	for i, one := range list {
		list[i] = one[strings.LastIndex(one, "@")+1:]
	}
	return strings.Join(list, ",")
}

// clientOptions are those of every connection.
func clientOptions(conn *connection) []nats.Option {
	return []nats.Option{
		nats.Name("rlm"), nats.MaxReconnects(-1), nats.ReconnectWait(50 * time.Millisecond),
		nats.DisconnectErrHandler(func(*nats.Conn, error) { conn.lost() }), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}),
	}
}

// passes says that a server may answer the same question in a moment: it is starting or ending, or its cluster chooses another leader.
func passes(err error) bool {
	var refused *jetstream.APIError
	switch {
	case errors.As(err, &refused):
		return refused.Code >= 500 || refused.ErrorCode == clusterPeers || refused.ErrorCode == stillInProcess
	case errors.Is(err, nats.ErrTimeout), errors.Is(err, nats.ErrNoResponders), errors.Is(err, jetstream.ErrNoStreamResponse),
		errors.Is(err, nats.ErrConnectionReconnecting), errors.Is(err, nats.ErrDisconnected), errors.Is(err, nats.ErrReconnectBufExceeded),
		errors.Is(err, nats.ErrNoServers), errors.Is(err, context.DeadlineExceeded), errors.Is(err, jetstream.ErrInvalidJSAck),
		errors.Is(err, jetstream.ErrNoHeartbeat):
		return true
	}
	return false
}

// Codes of errors that the client has no names for.
const (
	clusterPeers      jetstream.ErrorCode = 10005 // not enough servers are there for the replicas
	replicasElsewhere jetstream.ErrorCode = 10074 // replicas need a cluster
	stillInProcess    jetstream.ErrorCode = 10158 // a message that is sent again is not yet agreed upon by the servers
)

// replicated makes something with as many replicas as there should be: three on a cluster.
func replicated[T any](q *Queue, make func(replicas int) (T, error)) (T, error) {
	if !q.remote {
		return make(1)
	}
	made, err := make(3)
	var refused *jetstream.APIError
	if errors.As(err, &refused) && refused.ErrorCode == replicasElsewhere {
		return make(1)
	}
	return made, err
}
