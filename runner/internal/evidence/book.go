package evidence

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/gorlm/rlm/internal/verbatim"
	"github.com/gorlm/rlm/repl/builtins"
	"github.com/gorlm/rlm/runner/internal/corpus"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination/answer"
)

// Book holds the marks that the notebooks of a session have given: those of all its questions, and of child runs. It is safe for
// concurrent use.
type Book struct {
	letters string
	mu      sync.Mutex
	marks   map[string]trajectory.Mark
}

// NewBook makes the book of a session whose marks have the given letters.
func NewBook(letters string) *Book {
	return &Book{letters: letters, marks: map[string]trajectory.Mark{}}
}

// Add takes the marks that a cell of the run at a path has given.
func (b *Book) Add(path string, marks []trajectory.Mark) {
	if len(marks) == 0 {
		return
	}
	series := answer.Series(b.letters, path)
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, m := range marks {
		b.marks[answer.Mark(series, m.Number)] = m
	}
}

const (
	mostEvidence = 20_000 // passages that are listed for one answer
	mostUnknown  = 1000   // the same of marks that stand for none
	many         = 500    // of them, beyond which less of each is shown
	quoteLong    = 400    // bytes of a passage that are shown
	quoteShort   = 120
	cutMark      = " …" // behind a passage that is not shown to its end
)

// Check finds the passages that the marks in an answer stand for. now is the context, texts are all that the session has had. Each passage is
// read again there: what is not what the cell saw is no evidence. unknown are the marks that stand for no passage; what stands
// in the context like that is data and no mark.
func (b *Book) Check(ctx context.Context, text string, now *corpus.Text, texts []*corpus.Text) (list []trajectory.Evidence, unknown []string, err error) {
	c := checker{now: now, texts: map[string]*corpus.Text{}}
	for _, t := range texts {
		c.texts[t.Facts().SHA256] = t
	}
	for _, mark := range answer.Marks(text) {
		b.mu.Lock()
		m, ok := b.marks[strings.ToLower(mark)]
		b.mu.Unlock()
		if ok && len(c.found) < mostEvidence {
			if ok, err = c.passage(mark, m); err != nil {
				return nil, nil, err
			}
		}
		if !ok && len(unknown) < mostUnknown && !isFootnote(text, mark) {
			unknown = append(unknown, mark)
		}
	}
	if list, err = c.evidence(); err != nil {
		return nil, nil, err
	}
	unknown, err = withoutData(ctx, now, unknown)
	return list, unknown, err
}

// isFootnote reports whether what looks like a mark without letters is a footnote of the answer's own.
func isFootnote(text, mark string) bool {
	return !strings.ContainsAny(mark, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") && strings.Contains(text, mark+":")
}

// withoutData leaves out what stands in the context.
func withoutData(ctx context.Context, now *corpus.Text, marks []string) ([]string, error) {
	if now == nil || len(marks) == 0 {
		return marks, nil
	}
	places, err := verbatim.Read(ctx, now, now.Size(), marks)
	if err != nil {
		return nil, err
	}
	var out []string
	for i, p := range places {
		if p.Count == 0 {
			out = append(out, marks[i])
		}
	}
	return out, nil
}

// checker finds the passages of one answer.
type checker struct {
	now   *corpus.Text
	texts map[string]*corpus.Text // by hash
	docs  map[*corpus.Text][]corpus.Document
	found []passage
}

// passage is where a mark points.
type passage struct {
	mark   string
	in     *corpus.Text
	doc    corpus.Document // zero outside of documents
	offset int64
	length int64
	of     int // places
}

// passage finds the passage of one mark, in the context of today if its document is there. ok is false if it is not what the cell saw.
func (c *checker) passage(mark string, m trajectory.Mark) (ok bool, err error) {
	text := c.texts[m.Text]
	if text == nil || m.Offset < 0 || m.Length < 1 || m.Offset > text.Size()-m.Length {
		return false, nil
	}
	digest, err := builtins.DigestAt(text, m.Offset, m.Length)
	if err != nil || digest != m.Digest {
		return false, err
	}
	p := passage{mark: mark, in: text, offset: m.Offset, length: m.Length, of: m.Occurrences}
	i := c.document(text, m.Offset, m.Length)
	if i >= 0 {
		p.doc = c.documents(text)[i]
	}
	if text != c.now && c.now != nil && i >= 0 {
		p = c.today(p, i, m.Digest)
	}
	c.found = append(c.found, p)
	return true, nil
}

// today is the passage in the context of today, the same if its document is not there any more.
func (c *checker) today(p passage, i int, digest string) passage {
	name, n := p.doc.Name, 0
	for _, d := range c.documents(p.in)[:i] {
		if d.Name == name {
			n++
		}
	}
	for _, d := range c.documents(c.now) {
		if d.Name != name {
			continue
		}
		if n--; n >= 0 {
			continue
		}
		offset := d.Offset + p.offset - p.doc.Offset
		if offset+p.length > d.Offset+d.Size {
			return p
		}
		if now, err := builtins.DigestAt(c.now, offset, p.length); err != nil || now != digest {
			return p
		}
		return passage{mark: p.mark, in: c.now, doc: d, offset: offset, length: p.length, of: p.of}
	}
	return p
}

func (c *checker) documents(t *corpus.Text) []corpus.Document {
	if c.docs == nil {
		c.docs = map[*corpus.Text][]corpus.Document{}
	}
	if _, ok := c.docs[t]; !ok {
		c.docs[t] = t.Documents()
	}
	return c.docs[t]
}

// document is the index of the document that holds a passage, -1 if none does.
func (c *checker) document(t *corpus.Text, offset, length int64) int {
	docs := c.documents(t)
	i, _ := slices.BinarySearchFunc(docs, offset, func(d corpus.Document, at int64) int {
		if d.Offset <= at {
			return -1
		}
		return 1
	})
	if i--; i < 0 || offset+length > docs[i].Offset+docs[i].Size {
		return -1
	}
	return i
}

// evidence lists what was found, with lines and words.
func (c *checker) evidence() ([]trajectory.Evidence, error) {
	list := make([]trajectory.Evidence, len(c.found))
	spots := map[*corpus.Text][]spot{}
	most := int64(quoteLong)
	if len(list) > many {
		most = quoteShort
	}
	for i, p := range c.found {
		quote := make([]byte, min(p.length, most))
		if n, err := p.in.ReadAt(quote, p.offset); n < len(quote) {
			return nil, err
		}
		list[i] = trajectory.Evidence{
			Mark: p.mark, Document: p.doc.Name, Offset: p.offset, Length: p.length, Quote: strings.ToValidUTF8(string(quote), ""),
			Gone: p.in != c.now,
		}
		if p.length > most {
			list[i].Quote += cutMark
		}
		if p.of > 1 {
			list[i].Occurrences = p.of
		}
		spots[p.in] = append(spots[p.in], spot{p.doc.Offset, p.offset, &list[i].Line})
	}
	for text, of := range spots {
		if err := number(text, of); err != nil {
			return nil, err
		}
	}
	if len(list) == 0 {
		return nil, nil
	}
	return list, nil
}
