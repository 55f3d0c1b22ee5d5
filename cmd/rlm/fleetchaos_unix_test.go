//go:build unix

package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/fleet"
	"github.com/gorlm/rlm/internal/testing/fakeapi"
)

const (
	chaosTurns = 5
	chaosCalls = 2*chaosTurns - 1 // calls of each job: a turn has one sub-call, except the last
	chaosNodes = 4
)

var chaosSub = regexp.MustCompile(`^sub (job-\d+) (\d+)$`)

// callers is an endpoint that knows which node calls it for which job: each node has a different key.
type callers struct {
	delay time.Duration // average duration of a call

	mu       sync.Mutex
	calls    map[string]int            // number of calls, by job
	last     map[string]string         // node of the last call, by job
	inFlight map[string]map[string]int // jobs that wait for a reply, by node
}

// answer makes each job take five turns, four of them with a sub-call.
func (c *callers) answer(r fakeapi.Request) fakeapi.Reply {
	turn, whole := 1, ""
	for _, m := range r.Messages {
		whole += m.Content
		if m.Role == "assistant" {
			turn++
		}
	}
	job := bulkJob.FindString(whole)
	defer c.call(r.Header.Get("Authorization"), job)()
	time.Sleep(rand.N(2 * c.delay))
	switch {
	case chaosSub.MatchString(r.Last()):
		return fakeapi.Reply{Content: "known of " + job}
	case turn == chaosTurns:
		return fakeapi.Reply{Content: "```go\nFINAL(said)\n```"}
	}
	return fakeapi.Reply{Content: fmt.Sprintf(
		"```go\nsaid := llm_query(\"sub %s %d\")\nfmt.Println(said)\n```", job, turn)}
}

// call counts a call, which is in flight until over is called.
func (c *callers) call(node, job string) (over func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls[job]++
	c.last[job] = node
	if c.inFlight[node] == nil {
		c.inFlight[node] = map[string]int{}
	}
	c.inFlight[node][job]++
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.inFlight[node][job]--; c.inFlight[node][job] == 0 {
			delete(c.inFlight[node], job)
		}
	}
}

func (c *callers) total() (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, calls := range c.calls {
		n += calls
	}
	return n
}

// waiting returns the jobs for which a node waits for a reply.
func (c *callers) waiting(node string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Sorted(maps.Keys(c.inFlight[node]))
}

// elsewhere reports whether other nodes have called for all these jobs since this one did.
func (c *callers) elsewhere(node string, jobs []string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !slices.ContainsFunc(jobs, func(job string) bool { return c.last[job] == node })
}

// chaos is a fleet whose processes are killed, frozen and stopped while a batch runs.
type chaos struct {
	*bulk
	callers *callers
	members []*member
	address string
	begun   int // nodes started so far
	nodes   []*chaosNode
	frozen  []*chaosNode
	logs    []*shared // logs of all nodes so far
	lost    int       // runs of frozen nodes that others took over
	random  *rand.Rand
	ended   chan error // result of the batch
}

type chaosNode struct {
	process *exec.Cmd
	said    *shared
	key     string   // as seen by the endpoint
	had     []string // jobs that the node was running when frozen
}

func (c *chaos) startNode(t *testing.T) {
	t.Helper()
	m := c.machine(t)
	c.begun++
	m.key, m.silence = fmt.Sprintf("%s-%d", canary, c.begun), "" // the default silence, because connections are slow
	cmd, said := m.node(t, c.address, "--slots", "4")
	c.nodes, c.logs = append(c.nodes, &chaosNode{process: cmd, said: said, key: "Bearer " + m.key}),
		append(c.logs, said)
}

// takeNode removes a random node from the running ones.
func (c *chaos) takeNode() *chaosNode {
	i := c.random.IntN(len(c.nodes))
	node := c.nodes[i]
	c.nodes = slices.Delete(c.nodes, i, i+1)
	return node
}

// strike disturbs the fleet in one way.
func (c *chaos) strike(t *testing.T, n int) {
	t.Helper()
	for _, m := range c.members {
		m.clients.slow(0)
		m.routes.slow(0)
	}
	switch n % 6 {
	case 0:
		t.Log("a node is killed")
		require.NoError(t, c.takeNode().process.Process.Kill())
		c.startNode(t)
	case 1, 3:
		m := c.members[c.random.IntN(len(c.members))]
		t.Log("a server is killed: ", m.name)
		require.NoError(t, m.process.Process.Kill())
		m.start(t)
	case 2:
		c.freeze(t)
	case 4:
		t.Log("connections are cut")
		for _, m := range c.members {
			m.clients.cut()
			m.routes.cut()
		}
		c.thaw(t)
	case 5:
		late := time.Duration(50+c.random.IntN(350)) * time.Millisecond
		t.Log("connections are slow: ", late)
		for _, m := range c.members {
			m.clients.slow(late)
		}
		c.members[c.random.IntN(len(c.members))].routes.slow(late / 4)
	}
}

// freeze suspends a node that waits for a reply, and starts a replacement.
func (c *chaos) freeze(t *testing.T) {
	t.Helper()
	for len(c.ended) == 0 {
		i := c.random.IntN(len(c.nodes))
		node := c.nodes[i]
		resume := suspend(t, node.process)
		if node.had = c.callers.waiting(node.key); len(node.had) > 0 {
			t.Log("a node is frozen, which waits for replies of ", node.had)
			c.nodes, c.frozen = slices.Delete(c.nodes, i, i+1), append(c.frozen, node)
			c.startNode(t)
			return
		}
		resume()
		time.Sleep(time.Millisecond)
	}
}

// thaw resumes frozen nodes after others have taken over their runs: everything they write about those is
// refused. Then there is one node too many, so one is told to end, and hands its runs over.
func (c *chaos) thaw(t *testing.T) {
	t.Helper()
	for _, node := range c.frozen {
		require.Eventually(t, func() bool {
			return c.callers.elsewhere(node.key, node.had)
		}, 2*time.Minute, time.Millisecond, "%s", node.said)
		t.Log("a frozen node goes on")
		require.NoError(t, node.process.Process.Signal(syscall.SIGCONT))
		for _, job := range node.had {
			lost := regexp.MustCompile(`a run was lost.* job=` + job[len("job-"):] + ` `)
			require.Eventually(t, func() bool { return lost.MatchString(node.said.String()) }, 2*time.Minute,
				time.Millisecond, "%s: %s", job, node.said)
			c.lost++
		}
		c.nodes = append(c.nodes, node)
	}
	c.frozen = nil
	for len(c.nodes) > chaosNodes {
		t.Log("a node is told to end")
		node := c.takeNode()
		require.NoError(t, node.process.Process.Signal(syscall.SIGTERM), "%s", node.said)
	}
}

var takenJob = regexp.MustCompile(`takes a run over.* job=(\d+) `)

// takenOverByJob counts how often nodes took over the run of each job, according to their logs.
func (c *chaos) takenOverByJob() map[string]int {
	taken := map[string]int{}
	for _, log := range c.logs {
		for _, m := range takenJob.FindAllStringSubmatch(log.String(), -1) {
			taken["job-"+m[1]]++
		}
	}
	return taken
}

// chaosSize returns the amount of chaos: 20 jobs; 300 in about three minutes with RLM_LONG=1, and in about half
// an hour with RLM_SOAK=1.
func chaosSize(t *testing.T) (jobs, every int, delay time.Duration) {
	t.Helper()
	switch {
	case os.Getenv("RLM_SOAK") != "":
		return 300, 25, 5 * time.Second
	case os.Getenv("RLM_LONG") != "":
		return 300, 100, 300 * time.Millisecond
	}
	t.Log("20 jobs only; RLM_LONG=1 for 300, RLM_SOAK=1 for 300 that take half an hour")
	return 20, 30, 50 * time.Millisecond // each kind of strike once
}

// Nodes and servers of a cluster are killed, nodes frozen, connections cut and slowed: each job has one result,
// that of an undisturbed run, and only a call that was in flight when a run changed its node is repeated.
// Writes of frozen nodes about runs of others are refused.
func TestAFleetSurvives(t *testing.T) {
	t.Parallel()
	jobs, every, delay := chaosSize(t)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	c := &chaos{
		bulk: newBulk(t, t.TempDir(), jobs, 0), random: rand.New(rand.NewPCG(seed, 0)), ended: make(chan error, 1),
		callers: &callers{
			delay: delay, calls: map[string]int{}, last: map[string]string{},
			inFlight: map[string]map[string]int{},
		},
	}
	c.endpoint.Close()
	c.endpoint = fakeapi.StartFunc(c.callers.answer)
	c.members, c.address = cluster(t)
	for range chaosNodes {
		c.startNode(t)
	}
	m := c.submitter(t)
	cmd, said := m.command(false, "batch", "jobs.jsonl", "-o", "out.jsonl", "--nats", c.address)
	start := time.Now()
	require.NoError(t, cmd.Start())
	go func() { c.ended <- cmd.Wait() }()
	strikes := 0
	for ; len(c.ended) == 0; strikes++ {
		for want := (strikes + 1) * every; c.callers.total() < want && len(c.ended) == 0; {
			time.Sleep(time.Millisecond)
		}
		if len(c.ended) == 0 {
			c.strike(t, strikes)
		}
	}
	require.NoError(t, <-c.ended, said)
	took := time.Since(start)
	c.thaw(t)
	seen := m.results(t, "out.jsonl")
	require.Len(t, seen, jobs, "%s", said)
	for id, l := range seen {
		require.Equal(t, []any{fleet.Done, chaosTurns, chaosTurns - 1, "known of job-" + id},
			[]any{l.Status, l.Turns, l.SubCalls, l.Answer}, "%+v", l)
	}
	taken, runs, again := c.takenOverByJob(), 0, 0
	for job, calls := range c.callers.calls {
		runs += taken[job]
		again += calls - chaosCalls
		require.GreaterOrEqual(t, calls, chaosCalls, job)
		require.LessOrEqual(t, calls, chaosCalls+taken[job],
			"%s: one call was in flight whenever its run changed its node", job)
	}
	require.Len(t, c.callers.calls, jobs)
	require.NotZero(t, c.lost, "what a frozen node wrote was refused")
	t.Logf("%d jobs in %s, %d strikes: %d runs were taken over, %d calls were made again, %d runs of frozen nodes were lost for them", jobs, took.Round(time.Second), strikes, runs, again, c.lost)
}
