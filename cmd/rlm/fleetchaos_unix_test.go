//go:build unix

package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/testing/fakeapi"
	"github.com/gorlm/rlm/runner/fleet"
)

// proxy passes bytes to an address that may change. Its own stays.
type proxy struct {
	listener net.Listener

	mu     sync.Mutex
	target string
	conns  map[net.Conn]bool
	late   time.Duration // how long what comes is held back
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

// slow makes everything later, in order.
func (p *proxy) slow(by time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.late = by
}

// delayed are the bytes of a connection that come late.
type delayed struct {
	in net.Conn
	p  *proxy
}

// Read implements io.Reader.
func (d delayed) Read(b []byte) (int, error) {
	n, err := d.in.Read(b)
	d.p.mu.Lock()
	late := d.p.late
	d.p.mu.Unlock()
	time.Sleep(late)
	return n, err
}

// cut ends all connections.
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
		members[i] = &member{name: fmt.Sprintf("member-%d", i), dir: t.TempDir(), clients: newProxy(t), routes: newProxy(t)}
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

// chaos is a fleet in which processes are killed and frozen while a batch runs.
type chaos struct {
	*bulk
	members []*member
	address string
	nodes   []*exec.Cmd
	frozen  []*exec.Cmd
	logs    []*shared
	random  *rand.Rand
}

const chaosTurns = 5

var chaosSub = regexp.MustCompile(`^sub (job-\d+) (\d+)$`)

// answerInTurns lets each job take five turns, four of them with a sub-call.
func answerInTurns(delay time.Duration) func(fakeapi.Request) fakeapi.Reply {
	return func(r fakeapi.Request) fakeapi.Reply {
		if m := chaosSub.FindStringSubmatch(r.Last()); m != nil {
			return fakeapi.Reply{Content: "known of " + m[1], Delay: delay}
		}
		turn, whole := 1, ""
		for _, m := range r.Messages {
			whole += m.Content
			if m.Role == "assistant" {
				turn++
			}
		}
		if turn == chaosTurns {
			return fakeapi.Reply{Content: "```go\nFINAL(said)\n```", Delay: delay}
		}
		return fakeapi.Reply{Content: fmt.Sprintf("```go\nsaid := llm_query(\"sub %s %d\")\nfmt.Println(said)\n```", bulkJob.FindString(whole), turn), Delay: delay}
	}
}

func (c *chaos) startNode(t *testing.T) {
	t.Helper()
	cmd, said := c.machine(t).node(t, c.address, "--slots", "2")
	c.nodes, c.logs = append(c.nodes, cmd), append(c.logs, said)
}

// takeNode takes a node out of those that run.
func (c *chaos) takeNode() *exec.Cmd {
	i := c.random.IntN(len(c.nodes))
	node := c.nodes[i]
	c.nodes = append(c.nodes[:i], c.nodes[i+1:]...)
	return node
}

// strike does one thing to the fleet.
func (c *chaos) strike(t *testing.T, n int) {
	t.Helper()
	for _, m := range c.members {
		m.clients.slow(0)
	}
	switch n % 6 {
	case 0:
		t.Log("a node is killed")
		require.NoError(t, c.takeNode().Process.Kill())
		c.startNode(t)
	case 1, 3:
		m := c.members[c.random.IntN(len(c.members))]
		t.Log("a server is killed: ", m.name)
		require.NoError(t, m.process.Process.Kill())
		m.start(t)
	case 2:
		t.Log("a node is frozen")
		node := c.takeNode()
		require.NoError(t, node.Process.Signal(syscall.SIGSTOP))
		c.frozen = append(c.frozen, node)
		c.startNode(t)
	case 4:
		t.Log("connections are cut, and frozen nodes go on")
		for _, m := range c.members {
			m.clients.cut()
		}
		for _, node := range c.frozen {
			require.NoError(t, node.Process.Signal(syscall.SIGCONT))
		}
		c.nodes, c.frozen = append(c.nodes, c.frozen...), nil
	case 5:
		late := time.Duration(50+c.random.IntN(350)) * time.Millisecond
		t.Log("connections are slow: ", late)
		for _, m := range c.members {
			m.clients.slow(late)
		}
	}
}

// Nodes and servers of a cluster are killed, nodes frozen, connections cut and slow: each job has one result, that of an undisturbed run, and no call
// is made again but the one that was in flight when a run changed its node.
func TestAFleetSurvives(t *testing.T) {
	jobs, every := 20, 24
	if os.Getenv("RLM_LONG") != "" {
		jobs, every = 300, 60
	} else {
		t.Log("20 jobs only; RLM_LONG=1 for 300")
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	c := &chaos{bulk: newBulk(t, t.TempDir(), jobs, 0), random: rand.New(rand.NewPCG(seed, 0))}
	c.endpoint.Close()
	c.endpoint = fakeapi.StartFunc(answerInTurns(50 * time.Millisecond))
	c.members, c.address = cluster(t)
	for range 4 {
		c.startNode(t)
	}
	m := c.submitter(t)
	cmd, said := m.command(false, "batch", "jobs.jsonl", "-o", "out.jsonl", "--nats", c.address)
	require.NoError(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for n := 0; len(ended) == 0; n++ {
		for want := (n + 1) * every; len(c.endpoint.Requests()) < want && len(ended) == 0; {
			time.Sleep(time.Millisecond)
		}
		if len(ended) == 0 {
			c.strike(t, n)
		}
	}
	require.NoError(t, <-ended, said)
	seen := m.results(t, "out.jsonl")
	require.Len(t, seen, jobs)
	for id, l := range seen {
		require.Equal(t, []any{fleet.Done, chaosTurns, chaosTurns - 1, "known of job-" + id}, []any{l.Status, l.Turns, l.SubCalls, l.Answer}, "%+v", l)
	}
	taken := takenOver(c.logs...)
	more := len(c.endpoint.Requests()) - jobs*(2*chaosTurns-1)
	t.Logf("%d runs were taken over, %d calls were made again", taken, more)
	require.LessOrEqual(t, more, taken)
	require.GreaterOrEqual(t, more, 0)
}
