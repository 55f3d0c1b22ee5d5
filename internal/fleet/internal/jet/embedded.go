package jet

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/gorlm/rlm/internal/kit/files"
)

const socketName = "socket"

// embeddedServer is the queue of a data folder. One process owns it: that process runs the server and serves other
// processes through a socket. When it ends, the next process that needs the queue takes its place.
type embeddedServer struct {
	dir    string
	lock   *flock.Flock
	notice func(string) // receives a line for people when another process keeps this one waiting

	mu     sync.Mutex
	closed bool
	server Server // nil unless this process owns the queue
	socket net.Listener
	guests sync.WaitGroup
	said   LastWords
	silent bool // notice was called, and the owner has not answered since
}

// How long to wait for a queue whose owner is starting or ending.
const (
	localPatience = 20 * time.Second
	ReadyPatience = 60 * time.Second
	// silentAfter is how long the owner may be silent before a notice names it.
	silentAfter = 2 * time.Second
)

// RetryPause is the pause before a server is asked again.
const RetryPause = 20 * time.Millisecond

func newEmbeddedServer(dir string, notice func(string)) (*embeddedServer, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("create the folder of the queue: %w", err)
	}
	return &embeddedServer{
		dir: dir, lock: flock.New(filepath.Join(dir, "lock"), flock.SetPermissions(0o600)),
		notice: notice,
	}, nil
}

// Dial is called by the JetStream client to connect, and again whenever the connection is lost: it connects to the
// server in this process, or through the socket of the process that owns the queue.
func (l *embeddedServer) Dial(string, string) (net.Conn, error) {
	var dialled error
	answered := l.awaiting()
	for end := time.Now().Add(localPatience); time.Now().Before(end); time.Sleep(RetryPause) {
		conn, err := l.own()
		if conn != nil || err != nil {
			answered()
			return conn, err
		}
		if conn, dialled = files.DialSocket(filepath.Join(l.dir, socketName)); dialled == nil {
			return &awaitedConn{conn, answered}, nil
		}
	}
	answered()
	return nil, fmt.Errorf("%w: %w", l.held(), dialled)
}

// held returns an error that names the process that owns the queue.
func (l *embeddedServer) held() error {
	return fmt.Errorf("%s is using the queue in %s and does not answer", files.HolderOf(l.lock.Path()), l.dir)
}

// ownerEnded reports whether err, met while connecting, means that another process owned the queue and ended before
// it answered. The next attempt reaches its successor.
func (l *embeddedServer) ownerEnded(err error) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	var broken *net.OpError
	return l.server == nil && (errors.Is(err, io.EOF) || errors.As(err, &broken) && !broken.Timeout())
}

// awaiting warns people, until answered is called, if the owner is silent.
func (l *embeddedServer) awaiting() (answered func()) {
	timer := time.AfterFunc(silentAfter, func() {
		l.mu.Lock()
		first := l.server == nil && !l.closed && !l.silent
		l.silent = l.silent || first
		l.mu.Unlock()
		if first && l.notice != nil {
			l.notice(l.held().Error())
		}
	})
	return func() {
		if !timer.Stop() {
			l.mu.Lock()
			l.silent = false
			l.mu.Unlock()
		}
	}
}

// awaitedConn is a connection whose other side has not answered yet. Dialling does not show whether it will answer,
// because that also succeeds while the other process is suspended.
type awaitedConn struct {
	net.Conn
	answered func()
}

func (c *awaitedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if c.answered != nil {
		c.answered()
		c.answered = nil
	}
	return n, err
}

// own connects to the server in this process, which it starts if no process owns the queue. It returns nil if
// another process owns the queue.
func (l *embeddedServer) own() (net.Conn, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, net.ErrClosed
	}
	if l.server != nil {
		return l.server.InProcessConn()
	}
	got, err := files.TryLock(l.lock)
	if err != nil {
		return nil, fmt.Errorf("lock the queue: %w", err)
	}
	if !got {
		return nil, nil
	}
	files.Sign(l.lock.Path())
	if err := l.start(); err != nil {
		return nil, errors.Join(err, l.lock.Unlock())
	}
	return l.server.InProcessConn()
}

// start starts the server. The caller holds mu and the lock.
func (l *embeddedServer) start() error {
	s, err := NewServer(l.dir, nil, &l.said)
	if err != nil {
		return fmt.Errorf("create the queue: %w", err)
	}
	if !l.said.ready(s) || !s.JetStreamEnabled() {
		s.Shutdown()
		return fmt.Errorf("the queue in %s does not start%s", l.dir, l.said.Because())
	}
	socket, err := files.ListenSocket(filepath.Join(l.dir, socketName))
	if err != nil {
		s.Shutdown()
		return fmt.Errorf("make the queue reachable for other commands: %w", err)
	}
	l.server, l.socket = s, socket
	l.guests.Go(func() { l.receive(s, socket) })
	return nil
}

// receive connects clients of the socket to the server.
func (l *embeddedServer) receive(s Server, socket net.Listener) {
	for {
		guest, err := socket.Accept()
		if err != nil {
			return
		}
		conn, err := s.InProcessConn()
		if err != nil {
			_ = guest.Close() // the server is ending
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

// close ends the server if this process owns it. All acknowledged messages are on disk.
func (l *embeddedServer) close() error {
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

// failed returns why the server in this process has failed; nil if it works, or if another process owns it.
func (l *embeddedServer) failed() error {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.server == nil || l.said.Serves(l.server) {
		return nil
	}
	return fmt.Errorf("cannot write to the queue in %s any more (is the disk full?)%s", l.dir, l.said.Because())
}
