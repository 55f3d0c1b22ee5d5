package mcp

import (
	"bufio"
	"errors"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gorlm/rlm/internal/kit/text"
)

// mostMessage bounds one message of a server, in bytes.
const mostMessage = 16 << 20

var errTooLong = errors.New("it sent a message of more than 16 MiB")

// process is a server that runs as a child of this program.
type process struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout *messageReader
	stderr *tail
	ended  chan struct{} // closed after Wait
	once   sync.Once
	close  error
}

// launch starts the process of a server.
func launch(s Server) (*process, error) {
	p := &process{cmd: exec.Command(s.Command[0], s.Command[1:]...), stderr: &tail{}, ended: make(chan struct{})}
	p.cmd.Env = s.environment()
	p.cmd.Stderr = p.stderr
	ownGroup(p.cmd)
	stdin, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.cmd.WaitDelay = time.Second // a grandchild may keep its streams open
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	p.stdin, p.stdout = stdin, newMessageReader(out)
	return p, nil
}

func (p *process) transport() mcp.Transport {
	return &mcp.IOTransport{Reader: p.stdout, Writer: p, MaxLineLength: 2 * mostMessage}
}

func (p *process) Write(b []byte) (int, error) { return p.stdin.Write(b) }

// Close asks the process to end by closing its input, and kills it with all its children if it does not.
func (p *process) Close() error {
	p.once.Do(func() {
		p.close = p.stdin.Close()
		go func() {
			defer close(p.ended)
			select {
			case <-p.stdout.over:
			case <-time.After(graceful):
			}
			kill(p.cmd)
			_ = p.cmd.Wait() // the exit status does not matter
		}()
	})
	return p.close
}

// graceful is how long a process may take to end after its input is closed.
const graceful = 2 * time.Second

// why is the known reason for the end of the process: its protocol violation, or its last line on stderr.
func (p *process) why() string {
	if err := p.stdout.failure(); err != nil {
		return err.Error()
	}
	return p.stderr.last()
}

// messageReader passes on the messages of a server, one per line. Other output is left out.
type messageReader struct {
	in   *bufio.Reader
	rest []byte
	over chan struct{} // closed when there are no more messages
	once sync.Once

	mu  sync.Mutex
	err error // the error of the stream
}

func newMessageReader(r io.Reader) *messageReader {
	return &messageReader{in: bufio.NewReaderSize(r, 64<<10), over: make(chan struct{})}
}

func (l *messageReader) Read(b []byte) (int, error) {
	for len(l.rest) == 0 {
		line, err := readLine(l.in)
		if err != nil {
			if errors.Is(err, errTooLong) {
				l.fail(err)
			}
			l.once.Do(func() { close(l.over) })
			return 0, err
		}
		for _, message := range messagesIn(line) {
			l.rest = append(append(l.rest, readable(message)...), '\n')
		}
	}
	n := copy(b, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// readLine reads one line of a bounded length.
func readLine(in *bufio.Reader) ([]byte, error) {
	line, err := text.ReadLine(in, mostMessage)
	if errors.Is(err, text.ErrLongLine) {
		err = errTooLong
	}
	return line, err
}

func (l *messageReader) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.err = err
}

func (l *messageReader) failure() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// Close leaves the stream open: it ends with the process.
func (*messageReader) Close() error { return nil }

// tail keeps the end of a server's stderr.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	const most = 4 << 10
	t.text = append(t.text, b[max(0, len(b)-most):]...)
	t.text = t.text[max(0, len(t.text)-most):]
	return len(b), nil
}

// last is the last nonblank line.
func (t *tail) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := strings.Split(strings.TrimSpace(clean(string(t.text))), "\n")
	return text.Line(all[len(all)-1], 300)
}
