package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A full disk ends a batch with one clear line. It continues once there is space, and recorded replies are not
// paid for again.
func TestAFullDiskStopsABatch(t *testing.T) {
	// Not parallel: it mounts a disk.
	dir, fill := smallDisk(t, "24m")
	b := newBulk(t, dir, 40, 0)
	cmd, said := b.command()
	require.NoError(t, cmd.Start())
	require.Eventually(t, func() bool {
		return len(b.endpoint.Requests()) == bulkSlots
	}, 2*time.Minute, time.Millisecond)
	fill()
	close(b.gate)
	require.Error(t, cmd.Wait(), said)
	require.Regexp(t, "(?i)disk (is )?full|no space left", said.String())
	require.NoError(t, os.Remove(filepath.Join(dir, "filler")))
	cmd, said = b.command()
	require.NoError(t, cmd.Run(), said)
	require.LessOrEqual(t, b.check(t), bulkSlots)
}

// A hub whose disk is full reports that and ends. Whatever it acknowledged is there after a restart, and nodes
// and submitters reconnect.
func TestAFullDiskStopsAHub(t *testing.T) {
	// Not parallel: it mounts a disk.
	dir, fill := smallDisk(t, "24m")
	b := newBulk(t, t.TempDir(), 12, 0)
	hub := b.machine(t)
	hub.dir = dir
	cmd, said := hub.command(false, "hub", "--listen", "127.0.0.1:0")
	require.NoError(t, cmd.Start())
	address := addressIn(t, said)
	_, told := b.machine(t).node(t, address, "--slots", "2")
	m := b.submitter(t)
	batch, heard := m.command(false, "batch", "jobs.jsonl", "-o", "out.jsonl", "--nats", address)
	require.NoError(t, batch.Start())
	require.Eventually(t, func() bool { return len(b.endpoint.Requests()) == 2 }, 2*time.Minute, time.Millisecond)
	fill()
	close(b.gate)
	require.Error(t, cmd.Wait(), said)
	require.Contains(t, said.String(), "is the disk full?")
	require.NoError(t, os.Remove(filepath.Join(dir, "filler")))
	port := address[strings.LastIndex(address, ":"):]
	cmd, _ = hub.command(false, "hub", "--listen", "127.0.0.1"+port)
	started(t, cmd)
	require.NoError(t, batch.Wait(), "%s\n%s", heard, told)
	require.Len(t, m.results(t, "out.jsonl"), b.jobs)
}

// A file's name may hold anything: it stops no batch, and reaches no terminal as it is.
func TestABatchOverFilesOfAnyName(t *testing.T) {
	t.Parallel()
	p := newShellEnvironment(t)
	p.open()
	p.write("many/a\n\x1b[31m.txt", "alpha\n")
	out := p.rlm("batch", "-q", "How many?", "--each", "many/*")
	require.Contains(t, out, `"id":"\"many/a\\n\\x1b[31m.txt\"","status":"done"`)

	p.write("many/b\xff.txt", "beta\n")
	out = p.fails(2, "batch", "-q", "How many?", "--each", "many/*")
	require.Contains(t, out, `the name of "many/b\xff.txt" is not UTF-8: rename the file`)
}
