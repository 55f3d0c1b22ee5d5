package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A full disk ends a batch with one clear line; it goes on when there is space, and what was recorded is not paid for again.
func TestAFullDiskStopsABatch(t *testing.T) {
	dir, fill := smallDisk(t, "24m")
	b := newBulk(t, dir, 40, 0)
	cmd, said := b.command()
	require.NoError(t, cmd.Start())
	require.Eventually(t, func() bool { return len(b.endpoint.Requests()) == bulkSlots }, 2*time.Minute, time.Millisecond)
	fill()
	close(b.gate)
	require.Error(t, cmd.Wait(), said)
	require.Regexp(t, "(?i)disk (is )?full|no space left", said.String())
	require.NoError(t, os.Remove(filepath.Join(dir, "filler")))
	cmd, said = b.command()
	require.NoError(t, cmd.Run(), said)
	require.LessOrEqual(t, b.check(t), bulkSlots)
}
