package main

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/testing/fakeapi"
	"github.com/gorlm/rlm/internal/testing/ownhost"
)

// travel is a hub, a node and submitters, which reach the hub through proxies that count the bytes.
type travel struct {
	*bulk
	address       string
	toNode, toHub *proxy
	node          *exec.Cmd
	nodeDir       string
	submitters    machine
	replies       chan struct{} // one for each call that is answered
}

// peaks are the memory peaks of processes, in MB.
type peaks struct{ node, submitter float64 }

func newTravel(t *testing.T, cacheMiB int) *travel {
	t.Helper()
	v := &travel{
		bulk: newBulk(t, t.TempDir(), 0, 0), toNode: newProxy(t), toHub: newProxy(t),
		replies: make(chan struct{}),
	}
	v.endpoint.Close()
	v.endpoint = fakeapi.StartFunc(func(fakeapi.Request) fakeapi.Reply {
		<-v.replies
		return fakeapi.Reply{Content: "```go\nFINAL(fmt.Sprint(len(context), \" \", context[len(context)-9:]))\n```"}
	})
	v.address = v.machine(t).hub(t)
	at := v.address[strings.LastIndex(v.address, "@")+1:]
	v.toNode.to(at)
	v.toHub.to(at)
	m := v.machine(t)
	v.node, _ = m.node(t, strings.Replace(v.address, at, v.toNode.address(), 1), "--slots", "1", "--cache",
		strconv.Itoa(cacheMiB))
	v.nodeDir = m.dir
	v.submitters = v.machine(t)
	v.address = strings.Replace(v.address, at, v.toHub.address(), 1)
	return v
}

// ask submits a question about a file. It returns the memory peaks of the processes up to the model's call, and
// the bytes sent through the node's proxy and the submitter's proxy.
func (v *travel) ask(t *testing.T, file, question string) (p peaks, toNode, toHub int64) {
	t.Helper()
	nodeBefore, hubBefore, calls := v.toNode.bytes(), v.toHub.bytes(), len(v.endpoint.Requests())
	out := question + ".jsonl"
	cmd, said := v.submitters.command(false, "batch", question, "--each", file, "-o", out, "--nats", v.address)
	require.NoError(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for len(v.endpoint.Requests()) == calls {
		require.Empty(t, ended, "%s", said)
		time.Sleep(10 * time.Millisecond)
	}
	p = peaks{peakMB(t, v.node.Process.Pid), peakMB(t, cmd.Process.Pid)}
	v.replies <- struct{}{}
	require.NoError(t, <-ended, said)
	info, err := os.Stat(file)
	require.NoError(t, err)
	for _, l := range v.submitters.results(t, out) {
		require.Equal(t, fmt.Sprint(info.Size(), " the end.\n"), l.Answer, "%s", said)
	}
	return p, v.toNode.bytes() - nodeBefore, v.toHub.bytes() - hubBefore
}

// cached returns the sizes of the contexts in the node's cache, in MiB.
func (v *travel) cached(t *testing.T) (sizes []int64) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(v.nodeDir, "data", "rlm", "fleet", "node", "contexts", "*"))
	require.NoError(t, err)
	for _, f := range files {
		info, err := os.Stat(f)
		require.NoError(t, err)
		sizes = append(sizes, info.Size()>>20)
	}
	return sizes
}

// peakMB returns the memory peak of a process.
func peakMB(t *testing.T, pid int) float64 { return float64(ownhost.Peak(t, strconv.Itoa(pid))) / 1e6 }

// writeText writes a text of a size in MiB.
func writeText(t *testing.T, path string, mib int) {
	t.Helper()
	f, err := os.Create(path)
	require.NoError(t, err)
	block := []byte(strings.Repeat("Nobody knows how long this text goes on, and nobody has to\n", 1<<15)[:1<<20])
	for i := range mib {
		copy(block, fmt.Sprintf("%s %9d ", filepath.Base(path), i))
		if i == mib-1 {
			copy(block[len(block)-10:], "\nthe end.\n")
		}
		_, err := f.Write(block)
		require.NoError(t, err)
	}
	require.NoError(t, f.Close())
}

// Contexts are sent in pieces, once to each node, so that a large one needs no more memory. A node caches what
// it fetched, and evicts the least recently used.
func TestLargeContextsTravelOnce(t *testing.T) {
	t.Parallel()
	mib, most := 80, 140 // in MB: a process that held the context would exceed it
	if os.Getenv("RLM_LONG") != "" {
		mib, most = 192, 170
	}
	t.Run(fmt.Sprint(mib, " MiB"), func(t *testing.T) { testContextTravels(t, mib, most) })
	t.Run("5 GB", func(t *testing.T) {
		if os.Getenv("RLM_SOAK") == "" {
			t.Skip("SKIP TestLargeContextsTravelOnce/5_GB: it takes minutes and 25 GB of disk; RLM_SOAK=1 runs it, RLM_CONTEXT_MIB chooses another size")
		}
		mib, err := strconv.Atoi(cmp.Or(os.Getenv("RLM_CONTEXT_MIB"), "5000"))
		require.NoError(t, err)
		testContextTravels(t, mib, 170)
	})
}

func testContextTravels(t *testing.T, mib, mostMB int) {
	const little = 1 << 20
	size := int64(mib) << 20
	v := newTravel(t, mib+mib/4)
	first, second := filepath.Join(v.submitters.dir, "first.txt"), filepath.Join(v.submitters.dir, "second.txt")
	writeText(t, first, mib)
	writeText(t, second, mib/2)
	for _, step := range []struct {
		what, file string
		travels    int64 // bytes sent each way
		cached     []int64
	}{
		{"first", first, size, []int64{int64(mib)}},
		{"again", first, 0, []int64{int64(mib)}},
		{"second", second, size / 2, []int64{int64(mib / 2)}}, // the cache has no room for both
	} {
		start := time.Now()
		p, toNode, toHub := v.ask(t, step.file, step.what)
		t.Logf("%s: %s, to the hub %d bytes, to the node %d, at most %.0f MB in the node and %.0f MB in the submitter",
			step.what, time.Since(start).Round(time.Millisecond), toHub, toNode, p.node, p.submitter)
		require.Less(t, p.node, float64(mostMB))
		require.Less(t, p.submitter, float64(mostMB))
		require.InDelta(t, step.travels, toNode, little+float64(step.travels)/100)
		require.InDelta(t, step.travels, toHub, little+float64(step.travels)/100)
		require.Equal(t, step.cached, v.cached(t))
	}
}
