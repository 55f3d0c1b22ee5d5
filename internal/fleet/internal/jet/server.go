package jet

import (
	"crypto/subtle"
	"crypto/tls"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// Server is a server that runs. It is not the server's own type because the compiler would read all that this type
// contains for each package above, and compile its generic parts there again.
type Server interface {
	Addr() net.Addr
	InProcessConn() (net.Conn, error)
	JetStreamEnabled() bool
	ReadyForConnections(patience time.Duration) bool
	Shutdown()
	WaitForShutdown()
}

// Address is where a server listens, and for whom.
type Address struct {
	Host   string
	Port   int               // 0: any free one
	TLS    *tls.Config       // may be nil
	Tokens map[string]string // of those who may connect, by name
}

// NewServer starts a server with a store in a folder, which may not be ready yet; said is its log. Without an
// address, only this process can connect.
func NewServer(dir string, at *Address, said *LastWords) (Server, error) {
	o := &server.Options{
		ServerName: "rlm", DontListen: at == nil, NoSigs: true, JetStream: true, DisableJetStreamBanner: true,
		StoreDir: filepath.Join(dir, "store"), SyncAlways: true, JetStreamMaxMemory: 64 << 20,
		JetStreamMaxStore: 1 << 50,
	}
	if at != nil {
		o.Host, o.Port, o.TLS, o.TLSConfig, o.TLSTimeout = at.Host, at.Port, at.TLS != nil, at.TLS, 5
		if o.Port == 0 {
			o.Port = server.RANDOM_PORT
		}
		o.CustomClientAuthentication, o.PingInterval = tokens(at.Tokens), server.DEFAULT_PING_INTERVAL
	}
	s, err := server.NewServer(o)
	if err != nil {
		return nil, err
	}
	s.SetLoggerV2(said, false, false, false)
	s.Start()
	return s, nil
}

// tokens admits clients with a token.
type tokens map[string]string

// Check implements server.Authentication.
func (t tokens) Check(c server.ClientAuthentication) bool {
	opts := c.GetOpts()
	token := t[opts.Username]
	return token != "" && subtle.ConstantTimeCompare([]byte(token), []byte(opts.Password)) == 1
}

// LastWords is a server log that keeps the last error, or the write error after which the server is broken.
type LastWords struct {
	mu   sync.Mutex
	text string
	// broken means that a stream accepts no more messages until the server restarts.
	broken bool
	then   func() // called when broken is set, unless nil
	fatal  bool   // the server did not start
}

// whenBroken sets a function to call once the server can store nothing more: waiting for its answers is then
// pointless.
func (w *LastWords) whenBroken(then func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.then = then
}

// writeError is the message that the server logs when a write failed. The server does not retry, even if there is
// room again.
const writeError = "Critical write error"

// readyLook is how often a starting server is checked.
const readyLook = 200 * time.Millisecond

// ready waits until a server accepts connections. It reads the log, because a server that cannot continue does not
// report it otherwise.
func (w *LastWords) ready(s Server) bool {
	for end := time.Now().Add(ReadyPatience); time.Now().Before(end); {
		if s.ReadyForConnections(readyLook) {
			return true
		}
		w.mu.Lock()
		fatal := w.fatal
		w.mu.Unlock()
		if fatal {
			return false
		}
	}
	return false
}

// Serves reports whether a server can store messages.
func (w *LastWords) Serves(s Server) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.broken && s.JetStreamEnabled()
}

// Because returns the last error, as a suffix for another error.
func (w *LastWords) Because() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.text == "" {
		return ""
	}
	return ": " + w.text
}

// Errorf and the following methods implement the server's logger.
func (w *LastWords) Errorf(format string, v ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.broken {
		return // the write error is the cause
	}
	w.text = fmt.Sprintf(format, v...)
	if w.broken = strings.Contains(w.text, writeError); w.broken && w.then != nil {
		go w.then()
	}
}

// Fatalf logs an error after which the server cannot continue.
func (w *LastWords) Fatalf(format string, v ...any) {
	w.Errorf(format, v...)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fatal = true
}

// Noticef ignores its message, because LastWords keeps only errors.
func (w *LastWords) Noticef(string, ...any) {}

// Warnf ignores its message.
func (w *LastWords) Warnf(string, ...any) {}

// Debugf ignores its message.
func (w *LastWords) Debugf(string, ...any) {}

// Tracef ignores its message.
func (w *LastWords) Tracef(string, ...any) {}
