package hostile

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"os"

	"github.com/gorlm/rlm/repl"
	"github.com/gorlm/rlm/sandbox/internal/wire"
)

func (h *Worker) send(head wire.Header, meta any, body []byte) { _ = h.Send(head, meta, body) }

func (h *Worker) call(id uint64, cell int, meta wire.CallMeta, body string) {
	h.send(wire.Header{Op: wire.Call, ID: id, Cell: cell}, meta, []byte(body))
}

func (h *Worker) result(cell int, r repl.Result, tail string) {
	h.send(wire.Header{Op: wire.Result, Cell: cell}, wire.ResultMeta{Result: r, Sound: true}, []byte(tail))
}

func (h *Worker) sendFile(cell int) {
	_ = h.Send(wire.Header{Op: wire.Print, Cell: cell}, nil, nil, os.Stderr)
}

// together collects the frames that say sends and writes them in one piece, so that the host already has the last
// frame when it reads the first.
func (h *Worker) together(say func(h *Worker)) {
	var frames unsent
	say(&Worker{Conn: wire.Worker(&frames)})
	_, _ = h.raw.Write(frames.Bytes())
}

// unsent collects frames instead of sending them.
type unsent struct{ bytes.Buffer }

func (*unsent) Close() error { return nil }

// frame writes a frame with meta as given, valid or not.
func (h *Worker) frame(head wire.Header, meta string, body []byte) {
	_, _ = h.raw.Write(append(begin(head, len(meta), len(body)), meta...))
	_, _ = h.raw.Write(body)
}

// announce writes a call and the first bytes of a body that never arrives.
func (h *Worker) announce(head wire.Header, n int) {
	const meta = `{"impl":"llm_query"}`
	_, _ = h.raw.Write(append(append(begin(head, len(meta), n), meta...), make([]byte, 100)...))
}

// begin returns the part of a frame before its meta and body, which have these numbers of bytes.
func begin(head wire.Header, meta, body int) []byte {
	head.Meta = meta
	raw, _ := json.Marshal(head)
	b := binary.BigEndian.AppendUint32(nil, uint32(2+len(raw)+meta+body))
	b = binary.BigEndian.AppendUint16(b, uint16(len(raw)))
	return append(b, raw...)
}
