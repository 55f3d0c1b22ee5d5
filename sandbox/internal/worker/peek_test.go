package worker

import (
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/sandbox/internal/wire"
)

// The host may ask whether a cell hangs before the worker has received the cell. The answer must not look like a
// deadlock.
func TestOnlyACellIsParked(t *testing.T) {
	notebook, err := repl.New(repl.Config{})
	require.NoError(t, err)
	own, host := net.Pipe()
	w := &worker{conn: wire.Worker(own), notebook: notebook, out: newOutput(wire.Bounds{}, nil)}
	w.calls = newCalls(w.conn, wire.Bounds{}, &w.text, nil)
	w.calls.notebook = notebook
	conn := wire.Host(host, func(wire.Header, int, int) (func(), error) { return func() {}, nil })
	parked := func() bool {
		go w.peek()
		f, err := conn.Receive()
		require.NoError(t, err)
		var meta wire.PeekMeta
		require.NoError(t, f.Decode(&meta))
		return meta.Parked
	}
	require.False(t, parked(), "there is no cell")
	w.calls.begin(1, 0)
	require.Eventually(t, parked, time.Minute, time.Millisecond, "whatever waits now waits for ever")
	w.calls.end()
	require.False(t, parked(), "the cell is over")
}
