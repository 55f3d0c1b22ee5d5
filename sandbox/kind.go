package sandbox

import (
	"fmt"
	"io"
	"os"

	"github.com/gorlm/rlm/internal/otherworker"
	"github.com/gorlm/rlm/sandbox/internal/wire"
	"github.com/gorlm/rlm/sandbox/internal/worker"
)

// Kind is a kind of worker that does not run cells: the same program, locked in by the same layers, but without a
// notebook. The package that defines the kind calls Become in an init function. A worker for cells never reaches
// that call, because the package imports this one, whose init function runs first and never returns.
type Kind struct {
	Name string // one word
	// Reads means that the worker may read, at any offset, files that its host passes to it. It still cannot open
	// any.
	Reads bool
	// Serve is the worker's main function. It returns when the host is gone; an error is written to stderr.
	Serve func(*Host) error
}

// Become turns this process into a worker of the kind and never returns, if it was started as one. Otherwise it
// does nothing.
func (k Kind) Become() {
	marker, rw, ok := worker.Started(k.Name)
	if !ok {
		return
	}
	code := make(chan int)
	go func() { code <- k.live(marker, rw) }()
	os.Exit(<-code)
}

func (k Kind) live(marker string, rw io.ReadWriteCloser) int {
	conn, err := worker.LockIn(marker, rw, k.Reads)
	if err != nil {
		return 1
	}
	if err := k.Serve(&Host{conn}); err != nil {
		fmt.Fprintln(os.Stderr, "worker:", err)
		return 1
	}
	return 0
}

// Host is the worker's view of its host. Send is safe for concurrent use; Receive is for one goroutine.
type Host struct{ conn *wire.Conn }

// Send sends a message; meta becomes JSON. It blocks while the host does not read. An error means that the host is
// gone.
func (h *Host) Send(op string, meta any, body []byte) error {
	return h.conn.Send(wire.Header{Op: wire.Op(op)}, meta, body)
}

// Receive waits for a message. The caller owns the file in it, if there is one. io.EOF is the orderly end.
func (h *Host) Receive() (otherworker.Message, error) {
	f, err := h.conn.Receive()
	if err != nil {
		return otherworker.Message{}, err
	}
	m := otherworker.Message{Op: string(f.Op), JSON: f.JSON, Body: f.Body}
	switch {
	case len(f.Attached) > 0:
		m.File = f.Attached[0]
	case f.Handle != 0:
		m.File = os.NewFile(uintptr(f.Handle), "handed over")
	}
	return m, nil
}
