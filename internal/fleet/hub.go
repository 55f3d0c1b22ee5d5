package fleet

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"github.com/gorlm/rlm/internal/fleet/internal/jet"
	"github.com/gorlm/rlm/internal/kit/files"
	"github.com/nats-io/nats.go"
)

// Hub shares a queue with other machines. It is the same server that a single machine runs in its process, but with
// an address. Every acknowledged write is on disk.
type Hub struct {
	server jet.Server
	lock   *flock.Flock
	tokens map[string]string
	host   string // host in the URLs of nodes; empty: the address on which the server listens
	tls    bool
	said   *jet.LastWords
}

// HubConfig configures where a hub listens and which nodes may connect.
type HubConfig struct {
	Listen string   // HOST:PORT; port 0: any free one
	Dir    string   // folder of the queue, used by one hub at a time
	Nodes  []string // names of permitted nodes; each has its own token, which is stored in Dir
	// TLS is required on an address that other machines can reach.
	TLS *tls.Config
}

// StartHub starts a hub. The caller must close it.
func StartHub(c HubConfig) (_ *Hub, err error) {
	host, port, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return nil, fmt.Errorf("the address of a hub must be HOST:PORT: %w", err)
	}
	if ip := net.ParseIP(host); c.TLS == nil && host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, fmt.Errorf("others can reach %s: the hub needs a certificate there", c.Listen)
	}
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return nil, fmt.Errorf("the port of a hub must be a number up to 65535, not %q", port)
	}
	probe, err := net.Listen("tcp", c.Listen) // the server would only log a failure
	if err != nil {
		return nil, fmt.Errorf("listen for nodes: %w", err)
	}
	if err := probe.Close(); err != nil {
		return nil, fmt.Errorf("listen for nodes: %w", err)
	}
	if err := os.MkdirAll(c.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("create the folder of the hub: %w", err)
	}
	h := &Hub{lock: flock.New(filepath.Join(c.Dir, "lock")), host: named(host, c.TLS), tls: c.TLS != nil}
	got, err := h.lock.TryLock()
	if err == nil && !got {
		err = errors.New("another hub is using it")
	}
	if err != nil {
		return nil, fmt.Errorf("lock the folder of the hub, %s: %w", c.Dir, err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, h.Close())
		}
	}()
	if h.tokens, err = tokens(filepath.Join(c.Dir, "tokens.json"), c.Nodes); err != nil {
		return nil, err
	}
	h.tokens[hubName] = rand.Text()
	h.said = &jet.LastWords{}
	at := jet.Address{Host: host, Port: int(number), TLS: c.TLS, Tokens: h.tokens}
	h.server, err = jet.NewServer(c.Dir, &at, h.said)
	if err != nil {
		return nil, fmt.Errorf("create the hub: %w", err)
	}
	if !h.server.ReadyForConnections(jet.ReadyPatience) || !h.server.JetStreamEnabled() {
		return nil, fmt.Errorf("the hub does not start%s", h.said.Because())
	}
	return h, nil
}

// tokens returns the nodes' tokens by name. Nodes without a token get one.
func tokens(path string, nodes []string) (map[string]string, error) {
	known := map[string]string{}
	if err := files.ReadJSON(path, &known); err != nil {
		return nil, fmt.Errorf("read the tokens of the hub: %w", err)
	}
	wanted := map[string]string{}
	for _, name := range nodes {
		if !isWord(name) {
			return nil, fmt.Errorf("the name of a node may contain only letters, digits, - and _, unlike %q", name)
		}
		if wanted[name] = known[name]; wanted[name] == "" {
			wanted[name] = rand.Text()
		}
	}
	if err := files.ReplaceJSON(path, wanted); err != nil {
		return nil, fmt.Errorf("store the tokens of the hub: %w", err)
	}
	return wanted, nil
}

// named returns the host for the URLs of nodes, if a hub listens on all addresses: the first name in its
// certificate, else the name of this machine.
func named(host string, secured *tls.Config) string {
	ip := net.ParseIP(host)
	if host != "" && (ip == nil || !ip.IsUnspecified()) {
		return ""
	}
	if secured != nil && len(secured.Certificates) > 0 {
		leaf, err := x509.ParseCertificate(secured.Certificates[0].Certificate[0])
		if err == nil && len(leaf.DNSNames) > 0 && !strings.HasPrefix(leaf.DNSNames[0], "*") {
			return leaf.DNSNames[0]
		}
		if err == nil && len(leaf.IPAddresses) > 0 {
			return leaf.IPAddresses[0].String()
		}
	}
	name, _ := os.Hostname() // if it fails, the server's own address is used
	return name
}

// URL returns the address of the hub for a node, with its token.
func (h *Hub) URL(node string) string {
	at := h.server.Addr().String()
	if _, port, err := net.SplitHostPort(at); err == nil && h.host != "" {
		at = net.JoinHostPort(h.host, port)
	}
	u := url.URL{Scheme: "nats", User: url.UserPassword(node, h.tokens[node]), Host: at}
	if h.tls {
		u.Scheme = "tls"
	}
	return u.String()
}

// hubName is the name of the hub itself, which no node can have.
const hubName = "the hub"

// How often a hub checks that it can store messages, and removes expired batches.
const (
	healthEvery = time.Second
	expireEvery = time.Hour
)

// Watch supervises the hub until ctx is done: it removes batches that have been idle for keep (0: it removes none),
// and calls removed for each. An error means that the hub can no longer store anything.
func (h *Hub) Watch(ctx context.Context, keep time.Duration, removed func(batch string, err error)) error {
	q, err := connected(ctx, Server{},
		[]nats.Option{nats.InProcessServer(h.server), nats.UserInfo(hubName, h.tokens[hubName])})
	if err != nil {
		return err
	}
	defer q.Close() // no message is in flight
	health := time.NewTicker(healthEvery)
	defer health.Stop()
	for next := time.Now(); ; {
		if keep > 0 && !time.Now().Before(next) {
			next = time.Now().Add(expireEvery)
			gone, err := Expire(ctx, q, keep)
			for _, id := range gone {
				removed(id, nil)
			}
			if err != nil && ctx.Err() == nil {
				removed("", err)
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-health.C:
		}
		if !h.said.Serves(h.server) {
			return fmt.Errorf("the hub cannot store anything any more (is the disk full?)%s", h.said.Because())
		}
	}
}

// Close ends the hub. All acknowledged messages are on disk.
func (h *Hub) Close() error {
	if h.server != nil {
		h.server.Shutdown()
		h.server.WaitForShutdown()
	}
	return h.lock.Unlock()
}
