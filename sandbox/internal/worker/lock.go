package worker

import (
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/gorlm/rlm/sandbox/internal/jail"
	"github.com/gorlm/rlm/sandbox/internal/wire"
)

// Env is the environment variable that makes a process a worker. Its value is a Marker.
const Env = "RLM_WORKER"

// The ways in which a host can start a worker.
const (
	// Namespaced workers are in separate namespaces.
	Namespaced = "namespaced"
	// Plain workers are ordinary child processes.
	Plain = "plain"
	// Open workers have no lock-down.
	Open = "open"
)

// Cells is the kind of worker that runs cells.
const Cells = "cells"

// Marker is the value of Env: the kind of worker, how it is started, and the user who starts it.
func Marker(kind, start string, user, group int) string {
	return fmt.Sprintf("%s:%s:%d:%d", kind, start, user, group)
}

// of reports whether the marker belongs to a worker of the kind.
func of(kind, marker string) bool {
	k, _, ok := strings.Cut(marker, ":")
	return ok && k == kind
}

// options parses the start mode and the jail's options from a marker.
func options(marker string) (start string, o jail.Options) {
	_, how, _ := strings.Cut(marker, ":")
	start, ids, _ := strings.Cut(how, ":")
	o.Namespaces = start == Namespaced
	if _, err := fmt.Sscanf(ids, "%d:%d", &o.User, &o.Group); err != nil {
		o.Namespaces = false
	}
	return start, o
}

// maxThreads is the number of threads at which the Go runtime ends the process; the host's own limit is higher.
const maxThreads = 512

// Divider is what a worker writes to stderr once it is locked in. It separates what init functions wrote from a crash
// report. Nothing that others can influence runs before it, so it need not be secret; it only must not occur in the
// words of an init function by accident.
const Divider = "\x00locked in\x00\n"

// Divide writes the Divider to where the Go runtime reports crashes: an init function may have set another os.Stderr.
// If that fails, its host takes everything for a crash report.
func Divide() { _, _ = syscall.Write(syscall.Stderr, []byte(Divider)) }

// LockIn locks this process in as its marker demands and reports that to the host. With reads, the process can
// still read files that the host passes to it.
func LockIn(marker string, rw io.ReadWriteCloser, reads bool) (*wire.Conn, error) {
	time.Local = time.UTC
	debug.SetMaxThreads(maxThreads)
	start, o := options(marker)
	o.Reads = reads
	var layers jail.Layers
	stray := errors.Join(jail.CloseStray(descriptor(rw)), jail.EndWithHost())
	if start != Open {
		layers = jail.Lock(o)
	} else {
		layers.Why = []string{"no lock-down was asked for"}
	}
	if stray != nil {
		layers.Why = append(layers.Why, "left over: "+stray.Error())
	}
	Divide() // before the host can know that this process is ready
	conn := wire.Worker(rw)
	return conn, conn.Send(wire.Header{Op: wire.Locked}, wire.LockedMeta{Layers: layers}, nil)
}
