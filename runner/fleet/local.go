package fleet

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"github.com/nats-io/nats-server/v2/server"
)

// local is the queue of a data folder. One process owns it: it runs the server and lets others in through a socket. When it ends, the next
// process that needs the queue takes its place.
type local struct {
	dir  string
	lock *flock.Flock

	mu     sync.Mutex
	closed bool
	server *server.Server // nil unless this process owns the queue
	socket net.Listener
	guests sync.WaitGroup
	said   lastWords
}

// Patience with a queue whose owner is starting or ending.
const (
	localPatience = 20 * time.Second
	localRetry    = 20 * time.Millisecond
	readyPatience = 60 * time.Second
)

func newLocal(dir string) (*local, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of the queue: %w", err)
	}
	return &local{dir: dir, lock: flock.New(filepath.Join(dir, "lock"))}, nil
}

// Dial is what the client of JetStream calls to connect, and again whenever the connection is lost: into the server of this process, or
// through the socket of the one that owns the queue.
func (l *local) Dial(string, string) (net.Conn, error) {
	var dialled error
	for end := time.Now().Add(localPatience); time.Now().Before(end); time.Sleep(localRetry) {
		conn, err := l.own()
		if conn != nil || err != nil {
			return conn, err
		}
		if conn, dialled = dialSocket(l.dir); dialled == nil {
			return conn, nil
		}
	}
	return nil, fmt.Errorf("another process owns the queue in %s and does not answer: %w", l.dir, dialled)
}

// own connects to the server of this process, which it starts if nobody owns the queue. It returns nothing if somebody else does.
func (l *local) own() (net.Conn, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, net.ErrClosed
	}
	if l.server != nil {
		return l.server.InProcessConn()
	}
	got, err := l.lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock the queue: %w", err)
	}
	if !got {
		return nil, nil
	}
	if err := l.start(); err != nil {
		return nil, errors.Join(err, l.lock.Unlock())
	}
	return l.server.InProcessConn()
}

// start starts the server. The caller holds mu and the lock.
func (l *local) start() error {
	s, err := server.NewServer(&server.Options{
		ServerName: "rlm", DontListen: true, NoSigs: true, JetStream: true, DisableJetStreamBanner: true,
		StoreDir: filepath.Join(l.dir, "store"), SyncAlways: true, JetStreamMaxMemory: 64 << 20, JetStreamMaxStore: 1 << 50,
	})
	if err != nil {
		return fmt.Errorf("make the queue: %w", err)
	}
	s.SetLoggerV2(&l.said, false, false, false)
	s.Start()
	if !s.ReadyForConnections(readyPatience) || !s.JetStreamEnabled() {
		s.Shutdown()
		return fmt.Errorf("the queue in %s does not start%s", l.dir, l.said.because())
	}
	socket, err := listenSocket(l.dir)
	if err != nil {
		s.Shutdown()
		return fmt.Errorf("let other commands reach the queue: %w", err)
	}
	l.server, l.socket = s, socket
	l.guests.Go(func() { l.receive(s, socket) })
	return nil
}

// receive connects those who come through the socket with the server.
func (l *local) receive(s *server.Server, socket net.Listener) {
	for {
		guest, err := socket.Accept()
		if err != nil {
			return
		}
		conn, err := s.InProcessConn()
		if err != nil {
			_ = guest.Close() // the server ends
			return
		}
		l.guests.Go(func() { pipe(guest, conn) })
	}
}

// pipe copies both ways until one side ends.
func pipe(a, b net.Conn) {
	var both sync.WaitGroup
	for _, way := range [][2]net.Conn{{a, b}, {b, a}} {
		both.Go(func() {
			_, _ = io.Copy(way[0], way[1]) // the clients notice that the connection is lost
			_ = a.Close()
			_ = b.Close()
		})
	}
	both.Wait()
}

// close ends the server if this process owns it. What was acknowledged is on disk.
func (l *local) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	if l.server == nil {
		return l.lock.Close()
	}
	err := l.socket.Close()
	l.server.Shutdown()
	l.server.WaitForShutdown()
	l.guests.Wait()
	l.server = nil
	return errors.Join(err, l.lock.Unlock())
}

// failed says why the server of this process serves no more; nil if it does, or if another process has it.
func (l *local) failed() error {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.server == nil || l.said.serves(l.server) {
		return nil
	}
	return fmt.Errorf("the queue in %s cannot be written any more (is the disk full?)%s", l.dir, l.said.because())
}

// lastWords keeps the last error that the server logs.
type lastWords struct {
	mu   sync.Mutex
	text string
	// broken says that a stream takes no more messages until the server is started again.
	broken bool
}

// writeError is what the server logs when a write failed. It does not try again, also when there is room.
const writeError = "Critical write error"

// serves says that a server keeps what it is told.
func (w *lastWords) serves(s *server.Server) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.broken && s.JetStreamEnabled()
}

func (w *lastWords) because() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.text == "" {
		return ""
	}
	return ": " + w.text
}

// Errorf and the other methods are those that the server calls.
func (w *lastWords) Errorf(format string, v ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.broken {
		return // what came first says why
	}
	w.text = fmt.Sprintf(format, v...)
	w.broken = strings.Contains(w.text, writeError)
}

// Fatalf is an error after which the server cannot go on.
func (w *lastWords) Fatalf(format string, v ...any) { w.Errorf(format, v...) }

// Noticef is not kept, like all that is no error.
func (w *lastWords) Noticef(string, ...any) {}

// Warnf is not kept.
func (w *lastWords) Warnf(string, ...any) {}

// Debugf is not kept.
func (w *lastWords) Debugf(string, ...any) {}

// Tracef is not kept.
func (w *lastWords) Tracef(string, ...any) {}
