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
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/answer"
)

func frameBytes(t testing.TB, h Header, meta any, body []byte) []byte {
	t.Helper()
	head, err := encode(h, meta, len(body))
	require.NoError(t, err)
	return append(head, body...)
}

func TestFramesArriveAsTheyWereSent(t *testing.T) {
	for name, f := range map[string]struct {
		header Header
		meta   any
		body   string
	}{
		"empty":          {Header{Op: Peek}, nil, ""},
		"meta":           {Header{Op: Run, Cell: 3}, RunMeta{Seed: 7, Clock: []int64{1, 2}}, "x := 1"},
		"not UTF-8":      {Header{Op: Call, ID: 9, Cell: 1}, CallMeta{Impl: "llm_query", Prompt: 3}, "\xff\x00\xfe"},
		"large":          {Header{Op: Reply, ID: 1 << 60}, ReplyMeta{}, strings.Repeat("abc", 1<<20)},
		"looks like one": {Header{Op: Print, Cell: 1}, nil, string(frameBytes(t, Header{Op: Final}, nil, nil))},
	} {
		t.Run(name, func(t *testing.T) {
			host, worker := net.Pipe()
			defer func() { _, _ = host.Close(), worker.Close() }()
			go func() {
				_ = Worker(worker).Send(f.header, f.meta, []byte(f.body))
				_ = worker.Close() // if sending failed, the host must not wait
			}()
			got, err := Host(host, atMost(1<<30)).Receive()
			require.NoError(t, err)
			require.Equal(t, f.header.Op, got.Op)
			require.Equal(t, f.header.ID, got.ID)
			require.Equal(t, f.header.Cell, got.Cell)
			require.Equal(t, f.body, string(got.Body))
			if f.meta == nil {
				require.Empty(t, got.JSON)
			}
		})
	}
}

// atMost admits frames whose meta and body have at most n bytes together.
func atMost(n int) Admit {
	return func(_ Header, meta, body int) (func(), error) {
		if meta+body > n {
			return nil, ErrTooLarge
		}
		return nil, nil
	}
}

func TestReaderRefusesWhatBreaksTheRules(t *testing.T) {
	for name, c := range map[string]struct {
		in   []byte
		want error
	}{
		"nothing":                {nil, io.EOF},
		"cut in the length":      {[]byte{0, 0}, io.ErrUnexpectedEOF},
		"cut in the header":      {raw(100, 50, `{"op":`), io.ErrUnexpectedEOF},
		"cut in the body":        {frameBytes(t, Header{Op: Print}, nil, []byte("hello"))[:20], io.ErrUnexpectedEOF},
		"four gigabytes":         {raw(1<<32-1, 2, `{}`), ErrTooLarge},
		"one byte too long":      {raw(1025, 2, `{}`), ErrTooLarge},
		"length zero":            {raw(0, 0, ""), ErrMalformed},
		"header beyond frame":    {raw(10, 100, strings.Repeat("x", 100)), ErrMalformed},
		"header too long":        {raw(1000, 5000, strings.Repeat("x", 5000)), ErrMalformed},
		"header is no JSON":      {raw(6, 4, "nope"), ErrMalformed},
		"meta beyond the frame":  {raw(2+10, 10, `{"meta":9}`), ErrMalformed},
		"negative meta":          {raw(2+11, 11, `{"meta":-1}`), ErrMalformed},
		"negative cell":          {raw(2+11, 11, `{"cell":-1}`), ErrMalformed},
		"number that overflows":  {raw(2+29, 29, `{"meta":99999999999999999999}`), ErrMalformed},
		"files from a worker":    {raw(2+11, 11, `{"files":1}`), ErrMalformed},
		"hundred files":          {raw(2+13, 13, `{"files":100}`), ErrMalformed},
		"files, negative number": {raw(2+12, 12, `{"files":-1}`), ErrMalformed},
	} {
		t.Run(name, func(t *testing.T) {
			conn := Host(pipeOf(c.in), atMost(1020))
			_, err := conn.Receive()
			require.ErrorIs(t, err, c.want)
		})
	}
}

// If a peer announces a large frame and sends nothing, its reader must not allocate the memory.
func TestAnnouncedLengthAllocatesNothing(t *testing.T) {
	head := binary.BigEndian.AppendUint32(nil, 1<<30)
	head = binary.BigEndian.AppendUint16(head, 2)
	head = append(head, "{}"...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := Host(pipeOf(head), atMost(1<<30)).Receive()
	runtime.ReadMemStats(&after)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(2<<20))
}

func TestIDsGrowInTheOrderOfArrival(t *testing.T) {
	host, worker := net.Pipe()
	defer func() { _, _ = host.Close(), worker.Close() }()
	conn := Worker(worker)
	var last uint64
	const frames = 200
	var sent sync.WaitGroup
	for range frames {
		sent.Go(func() {
			_ = conn.SendNext(Header{Op: Call}, func() (uint64, error) { last++; return last, nil }, nil, []byte("x"))
		})
	}
	go func() { // if sending failed, the host must not wait
		sent.Wait()
		_ = worker.Close()
	}()
	in := Host(host, atMost(1<<20))
	for want := uint64(1); want <= frames; want++ {
		f, err := in.Receive()
		require.NoError(t, err)
		require.Equal(t, want, f.ID)
	}
	stop := errors.New("stop")
	require.ErrorIs(t, conn.SendNext(Header{Op: Call}, func() (uint64, error) { return 0, stop }, nil, nil), stop)
}

type rwc struct {
	io.Reader
	io.Writer
}

func (rwc) Close() error { return nil }

func pipeOf(in []byte) io.ReadWriteCloser { return rwc{bytes.NewReader(in), io.Discard} }

func fuzz(f *testing.F, open func(io.ReadWriteCloser) *Conn) {
	f.Add(frameBytes(f, Header{Op: Run, Cell: 1}, RunMeta{Seed: 1}, []byte("x := 1")))
	f.Add(frameBytes(f, Header{Op: Call, ID: 3, Cell: 2}, CallMeta{Impl: "llm_query", Prompt: 2}, []byte("hi")))
	f.Add([]byte{0, 0, 0, 4, 0, 2, '{', '}'})
	f.Add(append([]byte{0, 0, 0, 13, 0, 11}, `{"files":3}`...))
	f.Add(bytes.Repeat([]byte{255}, 64))
	f.Fuzz(func(t *testing.T, in []byte) {
		conn := open(pipeOf(in))
		total := 0
		for {
			fr, err := conn.Receive()
			if err != nil {
				return
			}
			if fr.Files != 0 {
				t.Fatalf("%d files got through", fr.Files)
			}
			total += len(fr.JSON) + len(fr.Body) + 6
			if total > len(in) {
				t.Fatalf("%d bytes read from %d", total, len(in))
			}
			for _, meta := range []any{
				new(CallMeta), new(ResultMeta), new(VarsMeta), new(PeekMeta), new(answer.FinalOutput),
			} {
				_ = fr.DecodeFew(meta, 1000)
			}
		}
	})
}

func FuzzHostReads(f *testing.F) {
	fuzz(f, func(rw io.ReadWriteCloser) *Conn { return Host(rw, atMost(1<<16)) })
}

func FuzzWorkerReads(f *testing.F) { fuzz(f, Worker) }

func TestFilesTravelToTheWorkerOnly(t *testing.T) {
	a, b := ends(t)
	host, worker := Host(a, atMost(1<<20)), Worker(b)
	file, err := os.Create(filepath.Join(t.TempDir(), "context"))
	require.NoError(t, err)
	_, err = file.WriteString("the context")
	require.NoError(t, err)
	defer func() { _ = file.Close() }()

	require.NoError(t, host.Send(Header{Op: Peek}, nil, nil))
	require.NoError(t, host.Send(Header{Op: Init}, Text{Size: 11}, []byte("body"), file))
	_, err = worker.Receive()
	require.NoError(t, err)
	f, err := worker.Receive()
	require.NoError(t, err)
	require.Len(t, f.Attached, 1)
	got := make([]byte, 11)
	_, err = f.Attached[0].ReadAt(got, 0)
	require.NoError(t, err)
	require.Equal(t, "the context", string(got))
	require.NoError(t, f.Attached[0].Close())

	sent := make(chan error)
	go func() { sent <- worker.Send(Header{Op: Init}, nil, nil, file) }()
	_, err = host.Receive()
	require.ErrorIs(t, err, ErrMalformed)
	require.NoError(t, <-sent)
}
