//go:build unix

package main

import (
	"fmt"
	"io"
	"net"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// proxy forwards bytes to an address that may change. Its own address stays the same.
type proxy struct {
	listener net.Listener

	mu     sync.Mutex
	target string
	conns  map[net.Conn]bool
	late   time.Duration // delay of incoming bytes
	moved  int64         // bytes forwarded in both directions
}

func newProxy(t *testing.T) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p := &proxy{listener: l, conns: map[net.Conn]bool{}}
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			serving.Go(func() { p.pass(in) })
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		p.cut()
		serving.Wait()
	})
	return p
}

func (p *proxy) address() string { return p.listener.Addr().String() }

func (p *proxy) to(address string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.target = address
}

func (p *proxy) pass(in net.Conn) {
	p.mu.Lock()
	target := p.target
	p.mu.Unlock()
	out, err := net.Dial("tcp", target)
	if err != nil {
		_ = in.Close()
		return
	}
	p.mu.Lock()
	p.conns[in], p.conns[out] = true, true
	p.mu.Unlock()
	var both sync.WaitGroup
	for _, way := range [][2]net.Conn{{in, out}, {out, in}} {
		both.Go(func() {
			_, _ = io.Copy(way[0], delayed{way[1], p})
			_ = in.Close()
			_ = out.Close()
		})
	}
	both.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, in)
	delete(p.conns, out)
}

// slow delays all data, in order.
func (p *proxy) slow(by time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.late = by
}

// delayed is the delayed input of a connection.
type delayed struct {
	in net.Conn
	p  *proxy
}

// Read implements io.Reader.
func (d delayed) Read(b []byte) (int, error) {
	n, err := d.in.Read(b)
	d.p.mu.Lock()
	late := d.p.late
	d.p.moved += int64(n)
	d.p.mu.Unlock()
	time.Sleep(late)
	return n, err
}

// bytes returns the number of forwarded bytes.
func (p *proxy) bytes() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.moved
}

// cut closes all connections.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		_ = c.Close()
	}
}

// member is a server of a cluster, behind proxies for its clients and for the other servers.
type member struct {
	name, dir       string
	clients, routes *proxy
	others          []string
	process         *exec.Cmd
}

func (m *member) start(t *testing.T) {
	t.Helper()
	bin, err := exec.LookPath("nats-member")
	require.NoError(t, err)
	m.process = exec.Command(bin, append([]string{m.name, m.dir}, m.others...)...)
	said := &shared{}
	m.process.Stdout, m.process.Stderr = said, said
	started(t, m.process)
	require.Eventually(t, func() bool {
		parts := strings.Fields(said.String())
		if len(parts) != 3 || parts[0] != "listens" {
			return false
		}
		m.clients.to(parts[1])
		m.routes.to(parts[2])
		return true
	}, 2*time.Minute, 10*time.Millisecond, "%s", said)
}

// cluster starts three servers and returns them with the address for clients.
func cluster(t *testing.T) ([]*member, string) {
	t.Helper()
	members := make([]*member, 3)
	var addresses []string
	for i := range members {
		members[i] = &member{
			name: fmt.Sprintf("member-%d", i), dir: t.TempDir(), clients: newProxy(t),
			routes: newProxy(t),
		}
		addresses = append(addresses, "nats://"+members[i].clients.address())
	}
	for i, m := range members {
		for j, other := range members {
			if i != j {
				m.others = append(m.others, other.routes.address())
			}
		}
		m.start(t)
	}
	return members, strings.Join(addresses, ",")
}
