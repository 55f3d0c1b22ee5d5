package cache

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/klauspost/compress/s2"

	"github.com/gorlm/rlm/internal/documents"
	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/internal/kit/files"
	"github.com/gorlm/rlm/internal/kit/outline"
)

// A result is a stream in the S2 format, which has a checksum for each block: a line of JSON (header), then for
// each document the length of its meta record, the record as JSON, and the text. A length of 0 ends the result.
const tapeVersion = "2"

// header is the first line of a result.
type header struct {
	Name      string    `json:"name"`
	Hash      string    `json:"hash"`
	Converter string    `json:"converter"`
	Time      time.Time `json:"time"`
}

// meta describes one document of a result: everything except its text.
type meta struct {
	Member   string       `json:"member,omitempty"` // the document's name without the job's
	Modified time.Time    `json:"modified,omitzero"`
	Kind     string       `json:"kind,omitempty"`
	Raw      bool         `json:"raw,omitempty"`
	Parts    outline.List `json:"parts,omitempty"`
	Pages    int          `json:"pages,omitempty"`
	Notes    []string     `json:"notes,omitempty"`
	Size     int64        `json:"size"`
	None     bool         `json:"none,omitempty"` // the document has no text
	Why      string       `json:"why,omitempty"`  // a permanent reason, because other failures are not stored
}

const (
	// mostRaw limits the unconverted text in a result, in bytes: reading it from its archive again is as fast.
	mostRaw = 16 << 20
	// mostLine and mostMeta bound how much is read before a checksum has been verified.
	mostLine = 64 << 10
	mostMeta = 64 << 20
	// inMemory is how many bytes of text a result may have in memory; larger ones go to a file.
	inMemory = 8 << 20
)

// recording is a result that is being written. If writing fails, the result is dropped and the conversion
// continues.
type recording struct {
	f    *os.File
	z    *s2.Writer
	raw  int64
	err  error
	done func(size int64) error // renames the file to its final name
}

// errNotKept marks a result that is not worth storing or may differ at the next try.
var errNotKept = errors.New("not kept")

func newRecording(f *os.File, h header, done func(size int64) error) *recording {
	r := &recording{f: f, z: s2.NewWriter(f, s2.WriterConcurrency(1)), done: done}
	line, err := json.Marshal(h)
	if err == nil {
		_, err = r.z.Write(append(line, '\n'))
	}
	r.err = err
	return r
}

// add writes a document. If its conversion may end differently at the next try, the result is dropped.
func (r *recording) add(job string, d documents.Document) {
	if r == nil || r.err != nil {
		return
	}
	m := meta{
		Modified: d.Modified, Kind: d.Kind, Raw: d.Raw, Pages: d.Pages, Notes: d.Notes, None: d.Text == nil,
		Why: d.Why,
	}
	m.Member = documents.Member(job, d.Name)
	for _, p := range d.Parts {
		m.Parts = append(m.Parts,
			outline.Part{Kind: string(p.Kind), Number: p.Number, Name: p.Name, Offset: p.Offset, Size: p.Size})
	}
	if d.Text != nil {
		m.Size = d.Text.Size()
	}
	if d.Raw {
		r.raw += m.Size
	}
	if d.Why != "" && !d.Lasting || r.raw > mostRaw || len(m.Parts) > outline.Most {
		r.err = errNotKept
		return
	}
	about, err := json.Marshal(m)
	if err == nil {
		_, err = r.z.Write(append(binary.AppendUvarint(nil, uint64(len(about))), about...))
	}
	if err == nil && m.Size > 0 {
		_, err = io.Copy(plainWriter{r.z}, io.NewSectionReader(d.Text, 0, m.Size))
	}
	r.err = err
}

// plainWriter hides the writer's ReadFrom, which would read ahead of the copy.
type plainWriter struct{ io.Writer }

// keep completes the result and renames it to its final name.
func (r *recording) keep() {
	if r == nil || r.err != nil {
		return
	}
	_, err := r.z.Write([]byte{0})
	err = errors.Join(err, r.z.Close())
	info, serr := r.f.Stat()
	if err = errors.Join(err, serr, r.f.Close()); err == nil {
		err = r.done(info.Size())
	}
	if r.err = err; err == nil {
		r.f = nil
	}
}

// abandon removes the file of a result that was not completed.
func (r *recording) abandon() {
	if r != nil && r.f != nil {
		_ = r.f.Close() // the file is removed next
		_ = os.Remove(r.f.Name())
	}
}

// cachedResult is a result that was read and verified completely.
type cachedResult struct {
	docs []meta
	at   []int64 // offsets of the documents' texts
	text *texts
}

// readTape reads and verifies a whole result before any of it is used.
func readTape(f *os.File) (t *cachedResult, err error) {
	z := bufio.NewReader(s2.NewReader(f))
	if _, err := line(z); err != nil {
		return nil, err
	}
	t = &cachedResult{}
	to := &texts{files.Spool{Memory: inMemory}}
	defer func() {
		if err != nil {
			_ = to.Close() // the error is already known
		}
	}()
	for {
		n, err := binary.ReadUvarint(z)
		if err != nil || n > mostMeta {
			return nil, errors.Join(errDamaged, err)
		}
		if n == 0 {
			break
		}
		about := make([]byte, n)
		if _, err := io.ReadFull(z, about); err != nil {
			return nil, err
		}
		var m meta
		if err := json.Unmarshal(about, &m); err != nil || m.Size < 0 || m.Parts.Check(m.Size) != nil {
			return nil, errors.Join(errDamaged, err)
		}
		t.docs, t.at = append(t.docs, m), append(t.at, to.Size())
		if _, err := io.CopyN(to, z, m.Size); err != nil {
			return nil, err
		}
	}
	if _, err := z.ReadByte(); err != io.EOF {
		return nil, errDamaged
	}
	if err := to.Flush(); err != nil {
		return nil, fmt.Errorf("%w: %w", errNoRoom, err)
	}
	t.text = to
	return t, nil
}

var errDamaged = errors.New("the result is damaged")

// line reads the first line of a result.
func line(r *bufio.Reader) (h header, err error) {
	var text []byte
	for len(text) < mostLine {
		c, err := r.ReadByte()
		if err != nil {
			return h, err
		}
		if c == '\n' {
			return h, json.Unmarshal(text, &h)
		}
		text = append(text, c)
	}
	return h, errDamaged
}

// readHeader reads the first line of the result in a file.
func readHeader(path string) (header, error) {
	f, err := os.Open(path)
	if err != nil {
		return header{}, err
	}
	defer f.Close() // opened for reading
	return line(bufio.NewReader(s2.NewReader(f)))
}

// play yields the documents of a result under the name of a job.
func (t *cachedResult) play(job string, yield func(documents.Document) error) error {
	for i, m := range t.docs {
		d := documents.Document{
			Name: documents.MemberName(job, m.Member), Modified: m.Modified, Kind: m.Kind, Raw: m.Raw, Pages: m.Pages,
			Notes: m.Notes,
			Why:   m.Why, Lasting: m.Why != "",
		}
		for _, p := range m.Parts {
			d.Parts = append(d.Parts, documents.Part{Part: format.Part{
				Kind: format.PartKind(p.Kind), Number: p.Number, Name: p.Name,
			}, Offset: p.Offset, Size: p.Size})
		}
		if !m.None {
			d.Text = io.NewSectionReader(t.text, t.at[i], m.Size)
		}
		if err := yield(d); err != nil {
			return err
		}
	}
	return nil
}

// texts stores the texts of a result.
type texts struct{ files.Spool }

// errNoRoom means that a sound result could not be stored while it was read.
var errNoRoom = errors.New("there is no room to keep a converted document")

// Write appends to the texts.
func (t *texts) Write(p []byte) (int, error) {
	n, err := t.Spool.Write(p)
	if err != nil {
		err = fmt.Errorf("%w: %w", errNoRoom, err)
	}
	return n, err
}
