package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// raw returns a frame as a peer that ignores the rules might send it.
func raw(size uint32, head uint16, rest string) []byte {
	b := binary.BigEndian.AppendUint32(nil, size)
	return append(binary.BigEndian.AppendUint16(b, head), rest...)
}

// padded returns an empty header of n bytes.
func padded(n int) string { return "{}" + strings.Repeat(" ", n-2) }

// writes records each call of Write.
type writes [][]byte

func (w *writes) Write(p []byte) (int, error) {
	*w = append(*w, p)
	return len(p), nil
}

// A small frame is sent in one system call, even if the connection has no vectored writes; a large body is not
// copied.
func TestASmallFrameIsOneWrite(t *testing.T) {
	for size, n := range map[int]int{0: 1, 16 << 10: 1, 16<<10 + 1: 2} {
		var out writes
		body := make([]byte, size)
		require.NoError(t, Host(rwc{nil, &out}, nil).Send(Header{Op: Reply}, nil, body))
		require.Len(t, out, n, size)
		if n == 2 {
			require.Same(t, &body[0], &out[1][0])
		}
	}
}

func TestSendReportsAConnectionThatIsClosed(t *testing.T) {
	host, worker := net.Pipe()
	require.NoError(t, host.Close())
	err := Host(worker, nil).Send(Header{Op: Reply}, nil, nil)
	require.ErrorIs(t, err, io.ErrClosedPipe)
	require.ErrorContains(t, err, "send reply: ")
}

// Values that have no JSON form or that do not fit into a frame are not sent.
func TestFramesThatCannotBeSent(t *testing.T) {
	var out writes
	conn := Host(rwc{nil, &out}, nil)
	require.ErrorContains(t, conn.Send(Header{Op: Run}, func() {}, nil), "encode run: ")
	next := func() (uint64, error) { return 7, nil }
	require.ErrorContains(t, conn.SendNext(Header{Op: Run}, next, func() {}, nil), "encode run: ")
	require.Error(t, conn.Send(Header{Op: Init}, nil, nil, os.Stderr), "files need a Unix socket")
	require.Empty(t, out)

	head := len(frameBytes(t, Header{Op: Run}, nil, nil)) - 6
	_, err := encode(Header{Op: Run}, nil, maxFrame-2-head)
	require.NoError(t, err)
	_, err = encode(Header{Op: Run}, nil, maxFrame-2-head+1)
	require.ErrorIs(t, err, ErrTooLarge)
	longest := maxHeader - len(`{"op":""}`)
	_, err = encode(Header{Op: Op(strings.Repeat("x", longest))}, nil, 0)
	require.NoError(t, err)
	_, err = encode(Header{Op: Op(strings.Repeat("x", longest+1))}, nil, 0)
	require.ErrorIs(t, err, ErrTooLarge)
}

// The longest header is read, the longest frame is admitted, and anything longer is rejected.
func TestTheLongestFrames(t *testing.T) {
	_, err := Host(pipeOf(raw(2+maxHeader, maxHeader, padded(maxHeader))), atMost(0)).Receive()
	require.NoError(t, err)
	_, err = Host(pipeOf(raw(2+maxHeader+1, maxHeader+1, padded(maxHeader+1))), atMost(0)).Receive()
	require.ErrorIs(t, err, ErrMalformed)

	refused := errors.New("refused")
	refuse := func(Header, int, int) (func(), error) { return nil, refused }
	_, err = Host(pipeOf(raw(maxFrame, 2, "{}")), refuse).Receive()
	require.ErrorIs(t, err, refused)
	_, err = Host(pipeOf(raw(maxFrame+1, 2, "{}")), refuse).Receive()
	require.ErrorIs(t, err, ErrTooLarge)
}

// A frame is admitted by the sizes of its parts. If it does not arrive in full, its room is released.
func TestAFrameIsAdmittedByItsParts(t *testing.T) {
	frame := frameBytes(t, Header{Op: Call, ID: 5, Cell: 2}, []int{1, 2}, []byte("a body"))
	type asked struct {
		op         Op
		meta, body int
	}
	var got []asked
	released := 0
	admit := func(h Header, meta, body int) (func(), error) {
		got = append(got, asked{h.Op, meta, body})
		return func() { released++ }, nil
	}
	f, err := Host(pipeOf(frame), admit).Receive()
	require.NoError(t, err)
	require.Equal(t, "[1,2]", string(f.JSON))
	require.Equal(t, "a body", string(f.Body))
	require.Zero(t, released)
	f.Release()
	require.Equal(t, 1, released)
	_, err = Host(pipeOf(frame[:len(frame)-1]), admit).Receive()
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.Equal(t, 2, released)
	require.Equal(t, []asked{{Call, 5, 6}, {Call, 5, 6}}, got)
}

// ends returns the two ends of a Unix socket.
func ends(t *testing.T) (host, worker *net.UnixConn) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs Unix sockets")
	}
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	require.NoError(t, err)
	defer func() { _ = l.Close() }()
	dialed, err := net.Dial("unix", l.Addr().String())
	require.NoError(t, err)
	accepted, err := l.Accept()
	require.NoError(t, err)
	t.Cleanup(func() { _, _ = dialed.Close(), accepted.Close() })
	return dialed.(*net.UnixConn), accepted.(*net.UnixConn)
}

// Frames and files arrive in order, up to the orderly end.
func TestFilesTravelAmongFrames(t *testing.T) {
	a, b := ends(t)
	host, worker := Host(a, nil), Worker(b)
	file, err := os.CreateTemp(t.TempDir(), "context")
	require.NoError(t, err)
	defer func() { _ = file.Close() }()
	files := []*os.File{file, file, file, file}
	require.NoError(t, host.Send(Header{Op: Init}, Text{Size: 1}, []byte("body"), files[:1]...))
	require.NoError(t, host.Send(Header{Op: Peek}, nil, []byte("between")))
	require.NoError(t, host.Send(Header{Op: Context}, nil, bytes.Repeat([]byte("x"), 20<<10), files...))
	require.NoError(t, a.CloseWrite())

	for _, want := range []struct {
		op          Op
		files, body int
	}{{Init, 1, 4}, {Peek, 0, 7}, {Context, 4, 20 << 10}} {
		f, err := worker.Receive()
		require.NoError(t, err)
		require.Equal(t, want.op, f.Op)
		require.Len(t, f.Attached, want.files)
		require.Len(t, f.Body, want.body)
		for _, file := range f.Attached {
			require.NoError(t, file.Close())
		}
	}
	_, err = worker.Receive()
	require.Equal(t, io.EOF, err)
}

// A frame comes with exactly the files that it announces, four at most.
func TestFilesThatAreMissingOrTooMany(t *testing.T) {
	for _, head := range []string{`{"files":1}`, `{"files":5}`} {
		a, b := ends(t)
		_, err := a.Write(raw(uint32(2+len(head)), uint16(len(head)), head))
		require.NoError(t, err)
		require.NoError(t, a.CloseWrite())
		_, err = Worker(b).Receive()
		require.ErrorIs(t, err, ErrMalformed)
	}
	a, b := ends(t)
	five := []*os.File{os.Stderr, os.Stderr, os.Stderr, os.Stderr, os.Stderr}
	require.NoError(t, Host(a, nil).Send(Header{Op: Init}, nil, nil, five...))
	require.NoError(t, a.CloseWrite())
	_, err := Worker(b).Receive()
	require.ErrorIs(t, err, ErrMalformed)
}
