package evidence

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/internal/builtins"
	"github.com/gorlm/rlm/internal/kit/outline"
	"github.com/gorlm/rlm/internal/kit/search"
	"github.com/gorlm/rlm/internal/kit/startup"
	"github.com/gorlm/rlm/runner/internal/corpus"
	"github.com/gorlm/rlm/runner/trajectory"
)

// MarkRegistry holds the marks of all notebooks of a session: of all its questions, and of child runs. It is safe
// for concurrent use.
type MarkRegistry struct {
	letters string
	mu      sync.Mutex
	marks   map[string]trajectory.Mark
}

// NewMarkRegistry makes the registry of a session whose marks have the given letters.
func NewMarkRegistry(letters string) *MarkRegistry {
	return &MarkRegistry{letters: letters, marks: map[string]trajectory.Mark{}}
}

// Add adds the marks of a cell of the run at a path.
func (b *MarkRegistry) Add(path string, marks []trajectory.Mark) {
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
	mostEvidence = 20_000 // passages listed for one answer
	mostUnknown  = 1000   // marks listed that have no passage
	many         = 500    // from this number of marks on, quotes are shorter
	quoteLong    = 400    // bytes shown of a passage
	quoteShort   = 160
	cutMark      = " …" // after a passage that is cut
)

// Check finds the passages that the marks in an answer refer to. now is the context; texts are all contexts that
// the session has had. Each passage is read again: if it differs from what the cell saw, it is not evidence.
// unknown lists the marks that refer to no passage, except text that also occurs in the context, which is data and
// not a mark.
func (b *MarkRegistry) Check(
	ctx context.Context, text string, now *corpus.Text, texts []*corpus.Text) (
	list []trajectory.Evidence, unknown []string, err error,
) {
	marks, footnotes := marksIn(text)
	c := checker{now: now, texts: map[string]*corpus.Text{}, most: quoteLong}
	if len(marks) > many {
		c.most = quoteShort
	}
	for _, t := range texts {
		c.texts[t.Facts().SHA256] = t
	}
	for _, mark := range marks {
		b.mu.Lock()
		m, ok := b.marks[strings.ToLower(mark)]
		b.mu.Unlock()
		if ok && len(list) < mostEvidence {
			var found trajectory.Evidence
			if found, ok, err = c.evidence(mark, m); err != nil {
				return nil, nil, err
			}
			if ok {
				list = append(list, found)
			}
		}
		if !ok && len(unknown) < mostUnknown && !footnotes[mark] {
			unknown = append(unknown, mark)
		}
	}
	unknown, err = withoutData(ctx, now, unknown)
	return list, unknown, err
}

// marksIn lists what looks like a mark in an answer, each once. footnotes are those that the answer itself
// explains and that no cell can have been given.
func marksIn(text string) (marks []string, footnotes map[string]bool) {
	seen := map[string]bool{}
	footnotes = map[string]bool{}
	for at, mark := range answer.Marks(text) {
		if !seen[mark] {
			seen[mark] = true
			marks = append(marks, mark)
		}
		if strings.HasPrefix(text[at+len(mark):], ":") && !mixed(mark) {
			footnotes[mark] = true
		}
	}
	return marks, footnotes
}

// mixed reports whether a mark has letters and digits, as all that cells are given.
func mixed(mark string) bool {
	return strings.ContainsFunc(mark, unicode.IsLetter) && strings.ContainsFunc(mark, unicode.IsDigit)
}

// withoutData removes marks that occur in the context.
func withoutData(ctx context.Context, now *corpus.Text, marks []string) ([]string, error) {
	if now == nil || len(marks) == 0 {
		return marks, nil
	}
	places, err := search.ReadQuotations(ctx, now, now.Size(), marks)
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
	most  int                     // bytes shown of a passage
	opens map[*corpus.Text]*openText
}

// openText is a text from which passages are read.
type openText struct {
	reader
	docs []corpus.Document
	// starts is the number of newlines before each document, by the document's offset.
	starts  map[int64]int64
	counted int64 // bytes of sheets scanned for cells
}

func (c *checker) open(t *corpus.Text) *openText {
	if c.opens == nil {
		c.opens = map[*corpus.Text]*openText{}
	}
	if c.opens[t] == nil {
		c.opens[t] = &openText{reader: reader{text: t}, docs: t.Documents(), starts: map[int64]int64{}}
	}
	return c.opens[t]
}

// evidence returns the passage that a mark refers to, located in the present context if that contains its document.
// ok is false if the passage differs from what the cell saw.
func (c *checker) evidence(mark string, m trajectory.Mark) (e trajectory.Evidence, ok bool, err error) {
	text := c.texts[m.Text]
	if text == nil || m.Offset < 0 || m.Length < 1 || m.Offset > text.Size()-m.Length {
		return e, false, nil
	}
	in, offset := c.open(text), m.Offset
	e, ok, err = in.read(offset, m, c.most)
	if err != nil || !ok {
		return e, false, err
	}
	if e.Gone = text != c.now; e.Gone && c.now != nil {
		if now := c.open(c.now); in.moved(&offset, m.Length, now) {
			if today, ok, err := now.read(offset, m, c.most); err != nil {
				return e, false, err
			} else if ok {
				e = today
			}
		}
	}
	e.Mark = mark
	if m.Occurrences > 1 {
		e.Occurrences = m.Occurrences
	}
	return e, true, nil
}

// wholePassage is the length in bytes up to which a passage is read in one piece.
const wholePassage = 64 << 10

// read reads a passage. ok is false if its words differ from the mark's.
func (o *openText) read(offset int64, m trajectory.Mark, most int) (e trajectory.Evidence, ok bool, err error) {
	passage, newlines, err := o.passage(offset, min(m.Length, wholePassage))
	if err != nil {
		return e, false, err
	}
	e = trajectory.Evidence{Offset: offset, Length: m.Length, Quote: string(passage[:min(len(passage), most)])}
	digest := ""
	if m.Length > wholePassage {
		digest, err = builtins.DigestAt(o.text, offset, m.Length)
	} else {
		digest = builtins.Digest(string(passage))
	}
	if err != nil || digest != m.Digest {
		return e, false, err
	}
	e.Quote = strings.ToValidUTF8(e.Quote, "")
	if m.Length > int64(most) {
		e.Quote += cutMark
	}
	start := int64(0)
	if i := o.document(offset, m.Length); i >= 0 {
		start, e.Document = o.docs[i].Offset, o.docs[i].Name
		p, ok := o.docs[i].Parts.At(offset - start)
		if ok {
			e.Part = p.String()
		}
		if ok && p.Kind == "sheet" {
			if e.Cells, err = o.cells(start+p.Offset, offset, m.Length); err != nil {
				return e, false, err
			}
		}
		e.Notes = notesOn(o.docs[i].Notes(), p)
	}
	before, known := o.starts[start]
	if !known {
		if _, before, err = o.passage(start, 0); err != nil {
			return e, false, err
		}
		o.starts[start] = before
	}
	e.Line = newlines - before + 1
	return e, true, nil
}

// Bounds in bytes of the sheets scanned for cells: before one passage, and for a whole answer.
const (
	mostBefore = 4 << 20
	mostOfAll  = 256 << 20
)

// cells returns the cells of a sheet that a passage covers, empty if they are too far from its beginning to be
// counted.
func (o *openText) cells(sheet, offset, length int64) (string, error) {
	to := offset + min(length, wholePassage)
	if o.counted += to - sheet; to-sheet > mostBefore || o.counted > mostOfAll {
		return "", nil
	}
	text := make([]byte, to-sheet)
	if _, err := o.text.ReadAt(text, sheet); err != nil && err != io.EOF {
		return "", fmt.Errorf("count the cells of a sheet: %w", err)
	}
	return cells(string(text), int(offset-sheet), len(text)), nil
}

// pageNumbers matches the numbers of pages or sheets at the end of a note.
var pageNumbers = startup.Regexp(`: ([0-9]+(?:-[0-9]+)?(?:, [0-9]+(?:-[0-9]+)?)*)$`)

// notesOn returns the notes on a document without those about other pages or sheets.
func notesOn(notes []string, p outline.Part) []string {
	return slices.DeleteFunc(notes, func(note string) bool {
		m := pageNumbers().FindStringSubmatch(note)
		if m == nil || p.Kind == "" || !strings.Contains(note, p.Kind) {
			return false
		}
		return !slices.ContainsFunc(strings.Split(m[1], ", "), func(span string) bool {
			first, last, isSpan := strings.Cut(span, "-")
			if !isSpan {
				last = first
			}
			from, _ := strconv.Atoi(first)
			to, _ := strconv.Atoi(last)
			return from <= p.Number && p.Number <= to
		})
	})
}

// moved translates the offset of a passage to another text, if that has the document, and the document is long
// enough.
func (o *openText) moved(offset *int64, length int64, to *openText) bool {
	i := o.document(*offset, length)
	if i < 0 {
		return false
	}
	of, n := o.docs[i], 0 // n: earlier documents with the same name
	for _, d := range o.docs[:i] {
		if d.Name == of.Name {
			n++
		}
	}
	for _, d := range to.docs {
		if d.Name != of.Name {
			continue
		}
		if n--; n < 0 {
			*offset += d.Offset - of.Offset
			return *offset+length <= d.Offset+d.Size
		}
	}
	return false
}

// document is the index of the document that contains a passage, -1 if none does.
func (o *openText) document(offset, length int64) int {
	i, _ := slices.BinarySearchFunc(o.docs, offset, func(d corpus.Document, at int64) int {
		if d.Offset <= at {
			return -1
		}
		return 1
	})
	if i--; i < 0 || offset+length > o.docs[i].Offset+o.docs[i].Size {
		return -1
	}
	return i
}
