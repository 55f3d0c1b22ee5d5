package builtins

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/gorlm/rlm/internal/kit/search"
	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/repl"

	"github.com/gorlm/rlm/internal/answer"
)

// Mark is a passage of a context with its number.
type Mark struct {
	Number int
	// Context is the version of the context that Offset and Length refer to.
	Context        int
	Offset, Length int64
	// Digest identifies the passage; see the function Digest.
	Digest string
	// Occurrences is the number of places with the same words, if the cell cited a copy of them and the first
	// place was chosen.
	Occurrences int
}

const (
	// MaxMarks bounds the marks of one notebook.
	MaxMarks = 100_000
	// HighestMark bounds the numbers of marks: they have at most nine digits.
	HighestMark = 999_999_999
)

// digestEnd is how many bytes at each end of a long passage its digest covers.
const digestEnd = 32 << 10

// Digest identifies a passage: by its length and its bytes, or by its two ends if it is long.
func Digest(passage string) string {
	if len(passage) > 2*digestEnd {
		return digest(int64(len(passage)), passage[:digestEnd], passage[len(passage)-digestEnd:])
	}
	return digest(int64(len(passage)), passage)
}

// DigestAt returns the Digest of a passage of a text that is read from r.
func DigestAt(r io.ReaderAt, offset, length int64) (string, error) {
	read := func(at, n int64) (string, error) {
		buf := make([]byte, n)
		if n, err := r.ReadAt(buf, at); n < len(buf) {
			return "", fmt.Errorf("read a passage: %w", err)
		}
		return string(buf), nil
	}
	if length <= 2*digestEnd {
		passage, err := read(offset, length)
		return digest(length, passage), err
	}
	first, err := read(offset, digestEnd)
	if err != nil {
		return "", err
	}
	last, err := read(offset+length-digestEnd, digestEnd)
	return digest(length, first, last), err
}

func digest(length int64, parts ...string) string {
	h := sha256.New()
	h.Write(strconv.AppendInt(nil, length, 10))
	for _, p := range parts {
		h.Write([]byte(" " + p))
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// Marks numbers the passages that the cells of a notebook cite. It keeps every context that the notebook had,
// because values of earlier cells point into them. It is safe for concurrent use.
type Marks struct {
	mu      sync.Mutex
	views   []*view // the last one is the current context
	numbers map[passage]int
	last    int    // the highest number
	known   []Mark // marks of an earlier worker, in contexts that are not set yet
	// ambiguous maps slices that were chosen for a copy to the number of places with the copied words.
	ambiguous map[sliceAt]int
	fresh     []Mark // marks that Take has not returned yet
}

// passage identifies a passage in a way that does not depend on other documents of the context.
type passage struct {
	document docName // zero outside of documents
	version  int     // version of the context; zero in documents
	offset   int64   // offset in the document, or else in the context
	digest   string
}

// NewMarks returns the marks of a notebook without a context.
func NewMarks() *Marks { return &Marks{numbers: map[passage]int{}, ambiguous: map[sliceAt]int{}} }

// SetContext sets the context that cells see from now on. Versions name contexts to the host; a context that is set
// again has the same version. The memory of text must stay readable for ever.
func (m *Marks) SetContext(version int, text string, docs []repl.Doc) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.views = append(m.views, &view{version: version, text: text, docs: docs})
	m.settle()
}

// Know adds marks that the notebook has given in another worker: their passages keep their numbers, in whatever
// order replayed cells cite them, and no other passage gets their numbers. The Context of a mark is -1 if the
// notebook does not have it.
func (m *Marks) Know(marks []Mark) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, mark := range marks {
		m.last = max(m.last, mark.Number)
		if mark.Context >= 0 {
			m.known = append(m.known, mark)
		}
	}
	m.settle()
}

// settle assigns known passages their numbers, once their contexts are set. The caller holds mu.
func (m *Marks) settle() {
	m.known = slices.DeleteFunc(m.known, func(mark Mark) bool {
		i := slices.IndexFunc(m.views, func(v *view) bool { return v.version == mark.Context })
		if i < 0 {
			return false
		}
		if v := m.views[i]; mark.Offset >= 0 && mark.Offset <= int64(len(v.text))-mark.Length {
			m.numbers[v.passage(int(mark.Offset), int(mark.Length), mark.Digest)] = mark.Number
		}
		return true
	})
}

// passage identifies the passage at a position.
func (v *view) passage(offset, length int, digest string) passage {
	if name, start, ok := v.document(offset, length); ok {
		return passage{document: name, offset: int64(offset - start), digest: digest}
	}
	return passage{version: v.version, offset: int64(offset), digest: digest}
}

// Take returns the marks given since the last call.
func (m *Marks) Take() []Mark {
	m.mu.Lock()
	defer m.mu.Unlock()
	fresh := m.fresh
	m.fresh = nil
	return fresh
}

// number returns a passage's number, which is the same each time.
func (m *Marks) number(at location) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	at = m.today(at)
	mark := Mark{
		Context: at.in.version, Offset: int64(at.offset), Length: int64(at.length), Occurrences: at.occurrences,
		Digest: Digest(at.in.text[at.offset : at.offset+at.length]),
	}
	key := at.in.passage(at.offset, at.length, mark.Digest)
	if n, ok := m.numbers[key]; ok {
		return n, nil
	}
	if len(m.numbers) >= MaxMarks {
		return 0, fmt.Errorf("this notebook has marked %s passages, which is the most there can be: cite what the answer needs", units.Count(MaxMarks))
	}
	m.last++
	mark.Number = m.last
	m.numbers[key] = mark.Number
	m.fresh = append(m.fresh, mark)
	return mark.Number, nil
}

// location is the position of a passage.
type location struct {
	in             *view
	offset, length int
	occurrences    int
}

// find locates a passage: by its memory, if it is a slice of a context, or else by the first occurrence of its
// words.
func (m *Marks) find(s string) (location, error) {
	if at, ok := m.slice(s); ok {
		return at, nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.views) == 0 || m.views[len(m.views)-1].text == "" {
		return location{}, errors.New("there is no context to cite")
	}
	now := m.views[len(m.views)-1]
	at := locate(now.text, []string{s})[0]
	if at.Count == 0 {
		return location{}, notThere(now.text, s)
	}
	return location{now, int(at.Offset), int(at.Length), at.Count}, nil
}

// slice locates a string that shares its memory with a context.
func (m *Marks) slice(s string) (location, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := len(m.views) - 1; i >= 0; i-- {
		if offset, ok := text.Within(m.views[i].text, s); ok {
			return location{m.views[i], offset, len(s), m.ambiguous[sliceAt{m.views[i].version, offset, len(s)}]}, true
		}
	}
	return location{}, false
}

// today returns the same passage in the current context, if its document still has it at the same offset. The
// caller holds mu.
func (m *Marks) today(at location) location {
	now := m.views[len(m.views)-1]
	name, from, ok := at.in.document(at.offset, at.length)
	if now.version == at.in.version || !ok {
		return at
	}
	if start, there := now.start(name); there {
		offset := start + at.offset - from
		if offset+at.length <= len(now.text) &&
			now.text[offset:offset+at.length] == at.in.text[at.offset:at.offset+at.length] {
			return location{now, offset, at.length, at.occurrences}
		}
	}
	return at
}

// locate finds copies of passages in a text, and those that were typed again as far as that does not take long.
func locate(in string, quotes []string) []search.Quotation {
	if len(quotes) == 1 { // much faster than a pass for many
		if at := strings.Index(in, quotes[0]); at >= 0 && strings.TrimSpace(quotes[0]) != "" {
			return []search.Quotation{
				{Offset: int64(at), Length: int64(len(quotes[0])), Count: 1 + strings.Count(in[at+1:], quotes[0])},
			}
		}
	}
	places := search.Quotations(in, quotes)
	for i, left := 0, nearestText; i < len(quotes) && left >= len(in); i++ {
		if places[i].Count == 0 {
			places[i] = search.Loosely(in, quotes[i])
			left -= max(len(in), nearestText/mostTyped)
		}
	}
	return places
}

const (
	noPassage      = 4 << 10   // bytes from which on all documents together are no passage of one
	nearestPattern = 128       // bytes of a passage that are used to find the nearest place
	nearestText    = 256 << 20 // largest context, in bytes, that is searched for the nearest place or a retyped passage
	mostTyped      = 64        // passages that were typed again, of one call
)

// notThere returns an error that a passage is not in the context, with the nearest match.
func notThere(in, s string) error {
	err := fmt.Errorf("%q is not in the context, neither word for word nor with other white space, quotation marks or dashes", text.Line(s, 200))
	if len(in) > nearestText {
		return fmt.Errorf("%w; cite what the text says, best a slice of it", err)
	}
	pattern := strings.ToValidUTF8(s[:min(len(s), nearestPattern)], "")
	near, failed := search.Similar(in, pattern, 1)
	if failed != nil || len(near) == 0 {
		return fmt.Errorf("%w, and nothing there is like it; cite what the text says, best a slice of it", err)
	}
	return fmt.Errorf("%w; the nearest is, in line %d: %q", err, near[0].Line, text.Line(near[0].Text, 200))
}

// cite returns the builtin that cites a part of the context.
func (m *factory) cite(name string) any {
	return func(site *repl.Site, part any) string {
		if hit, ok := part.(search.Hit); ok {
			part = search.Cited(hit)
		}
		passage, err := passageOf(part)
		if err != nil {
			panic(failed(name, "%w", err))
		}
		at, err := m.marks.find(passage)
		if err == nil && len(at.in.docs) > 1 && at.length == len(at.in.text) && at.length > noPassage {
			err = errors.New("this is the whole context; cite the part that supports the answer")
		}
		if err != nil {
			panic(failed(name, "%w", err))
		}
		number, err := m.marks.number(at)
		if err != nil {
			panic(failed(name, "%w", err))
		}
		if _, slice := m.marks.slice(passage); !slice && at.occurrences > 1 {
			site.Note(fmt.Sprintf("%s: %q is no slice of context and stands there in %d places; the first one is cited. A slice says which one is meant",
				name, text.Line(passage, 60), at.occurrences))
		}
		return answer.Mark(m.spec(name).Series, number)
	}
}

// passageOf returns the text of a cited value.
func passageOf(part any) (passage string, err error) {
	switch part := part.(type) {
	case string:
		passage = part
	case search.Hit:
		passage = part.Text
	case search.Passage:
		passage = part.Text
	case search.Match:
		passage = part.Text
	case repl.Doc:
		passage = part.Text
	case repl.Part:
		passage = part.Text
	case []search.Hit, []search.Passage, []search.Match, []repl.Doc, []repl.Part, []string:
		return "", errors.New("it takes one passage; call it for each of them")
	default:
		return "", fmt.Errorf("it takes a slice of context, a Hit, a Passage, a Match, a Doc or a Part, not a value of type %T", part)
	}
	if strings.TrimSpace(passage) == "" {
		return "", errors.New("the passage is empty")
	}
	return passage, nil
}
