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

// A result is a stream of S2, which has a checksum for each block: a line of JSON, and for each document the length
// of its meta part, that part as JSON, and its text. A length of 0 ends it.
const tapeVersion = "2"

// header is the first line of a result.
type header struct {
	Name      string    `json:"name"`
	Hash      string    `json:"hash"`
	Converter string    `json:"converter"`
	Time      time.Time `json:"time"`
}

// meta is what a result says of a document besides its text.
type meta struct {
	Member   string       `json:"member,omitempty"` // the end of its name
	Modified time.Time    `json:"modified,omitzero"`
	Kind     string       `json:"kind,omitempty"`
	Raw      bool         `json:"raw,omitempty"`
	Parts    outline.List `json:"parts,omitempty"`
	Pages    int          `json:"pages,omitempty"`
	Notes    []string     `json:"notes,omitempty"`
	Size     int64        `json:"size"`
	None     bool         `json:"none,omitempty"` // there is no text
	Why      string       `json:"why,omitempty"`  // there is none, or not all of it; it will be so at every try
}

const (
	// mostRaw bounds the text in a result that was no work: what lies in an archive as text is read from there again.
	mostRaw = 16 << 20
	// mostLine and mostMeta bound what is read before it is known to be whole.
	mostLine = 64 << 10
	mostMeta = 64 << 20
	// inMemory is how large a result may be that is read into memory.
	inMemory = 8 << 20
)

// recording is a result that is being written. Its failures cost the result only.
type recording struct {
	f    *os.File
	z    *s2.Writer
	raw  int64
	err  error
	done func(size int64) error // gives the file its name
}

// errNotKept says that a result is not worth keeping, or may be another the next time.
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

// add writes a document. With one that may end otherwise the next time, the result is not kept.
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

// plainWriter hides other methods, which would read ahead of the copy.
type plainWriter struct{ io.Writer }

// keep ends the result and gives it its name.
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

// abandon removes what was not kept.
func (r *recording) abandon() {
	if r != nil && r.f != nil {
		_ = r.f.Close() // nothing of it is needed
		_ = os.Remove(r.f.Name())
	}
}

// cachedResult is a result that was read as a whole.
type cachedResult struct {
	docs []meta
	at   []int64 // where their texts begin
	text *texts
}

// readTape reads a result to its end before anything of it is used.
func readTape(f *os.File) (t *cachedResult, err error) {
	z := bufio.NewReader(s2.NewReader(f))
	if _, err := line(z); err != nil {
		return nil, err
	}
	t = &cachedResult{}
	to := &texts{files.Spool{Memory: inMemory}}
	defer func() {
		if err != nil {
			_ = to.Close() // nothing of it is needed
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

// texts keeps the texts of a tape.
type texts struct{ files.Spool }

// errNoRoom says that what was read could not be kept, however whole it is.
var errNoRoom = errors.New("there is no room for a converted document")

// Write appends.
func (t *texts) Write(p []byte) (int, error) {
	n, err := t.Spool.Write(p)
	if err != nil {
		err = fmt.Errorf("%w: %w", errNoRoom, err)
	}
	return n, err
}
