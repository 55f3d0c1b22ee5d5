package sandbox

import (
	"fmt"
	"io"
	"os"

	"github.com/gorlm/rlm/sandbox/internal/wire"
	"github.com/gorlm/rlm/sandbox/internal/worker"
)

// Kind is a kind of worker that does something else than run cells: the same program, locked in by the same layers, but nothing of a
// notebook is made in it. The package that has the kind registers it by calling Become in an init function. A worker
// for cells does not get there, because this package, which the other one imports, is initialised first.
type Kind struct {
	Name string // one word
	// Reads: its host hands it files, which it may read at any place. It cannot open any.
	Reads bool
	// Serve is its life. It returns when the host is gone; an error is written to stderr.
	Serve func(*Host) error
}

// Become turns this process into a worker of the kind and never returns, if it was started as one. Otherwise it returns at once.
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

// Message is what a host and a worker of a kind of its own say to each other.
type Message struct {
	Op   string // what it is, in one word
	JSON []byte // what it says
	Body []byte // raw
	File *os.File
}

// Host is the host as such a worker sees it. Send is safe for concurrent use; Receive is for one goroutine.
type Host struct{ conn *wire.Conn }

// Send sends a message; meta becomes JSON. It blocks while the host does not read. An error means that the host is gone.
func (h *Host) Send(op string, meta any, body []byte) error {
	return h.conn.Send(wire.Header{Op: wire.Op(op)}, meta, body)
}

// Receive waits for a message. The file that comes with it, if one does, is the caller's. io.EOF is the orderly end.
func (h *Host) Receive() (Message, error) {
	f, err := h.conn.Receive()
	if err != nil {
		return Message{}, err
	}
	m := Message{Op: string(f.Op), JSON: f.JSON, Body: f.Body}
	switch {
	case len(f.Attached) > 0:
		m.File = f.Attached[0]
	case f.Handle != 0:
		m.File = os.NewFile(uintptr(f.Handle), "handed over")
	}
	return m, nil
}
