// Package xmlread reads XML that somebody else wrote, element by element: names with well-known prefixes, bounds on depth and on the
// size of a token, one branch of alternate content. Entities are never expanded: encoding/xml knows none but the five of XML.
package xmlread

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

const (
	maxDepth = 1000
	maxToken = 16 << 20 // of an element with its attributes, or of text between two elements
)

// Errors of XML that is no document.
var (
	errDeep  = errors.New("its XML is nested too deeply")
	errToken = errors.New("its XML has a piece of more than 16 MB")
)

// Kind is what Next found.
type Kind int

// What Next finds.
const (
	Start Kind = iota + 1
	End
	Text
)

// Reader reads one part.
type Reader struct {
	// Name is that of the element that starts or ends: "w:p", with the usual prefix of its namespace whatever the part calls it.
	Name string
	// Text is what stands between two elements. It is valid until Next.
	Text []byte

	dec    *xml.Decoder
	meter  *meter
	attrs  []xml.Attr
	names  map[xml.Name]string
	depth  int
	choice []choice
}

// choice is an mc:AlternateContent that is open.
type choice struct {
	depth int // of its children
	taken bool
}

// New reads a part from r.
func New(r io.Reader) *Reader {
	m := &meter{Reader: bufio.NewReaderSize(r, 32<<10)}
	utf16 := false
	if head, _ := m.Peek(2); len(head) == 2 && (head[0]|head[1] == 0xFF || head[0] == 0 || head[1] == 0) {
		order := unicode.LittleEndian
		if head[0] == 0 {
			order = unicode.BigEndian
		}
		m.Reader = bufio.NewReader(transform.NewReader(m.Reader, unicode.UTF16(order, unicode.UseBOM).NewDecoder()))
		utf16 = true
	}
	if head, _ := m.Peek(3); bytes.Equal(head, []byte("\uFEFF")) {
		_, _ = m.Discard(3)
	}
	dec := xml.NewDecoder(m)
	dec.Strict = false
	dec.CharsetReader = func(charset string, input io.Reader) (io.Reader, error) {
		if utf16 {
			return input, nil
		}
		enc, err := htmlindex.Get(charset)
		if err != nil {
			return input, nil // then what is not UTF-8 becomes U+FFFD
		}
		return transform.NewReader(input, enc.NewDecoder()), nil
	}
	return &Reader{dec: dec, meter: m, names: map[xml.Name]string{}}
}

// Depth is the number of elements that are open, with the one that has just started and without the one that has just ended.
func (r *Reader) Depth() int { return r.depth }

// Next finds the next start, end or text. At the end of the part it is io.EOF.
func (r *Reader) Next() (Kind, error) {
	for {
		r.meter.left = maxToken
		token, err := r.dec.Token()
		if err != nil {
			return 0, explain(err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			if r.depth++; r.depth > maxDepth {
				return 0, errDeep
			}
			r.Name, r.attrs = r.intern(t.Name), t.Attr
			hide, err := r.alternate()
			if err != nil {
				return 0, err
			}
			if !hide {
				return Start, nil
			}
		case xml.EndElement:
			r.depth--
			r.Name, r.attrs = r.intern(t.Name), nil
			if n := len(r.choice); n > 0 && r.depth < r.choice[n-1].depth-1 {
				r.choice = r.choice[:n-1]
			}
			if !strings.HasPrefix(r.Name, "mc:") {
				return End, nil
			}
		case xml.CharData:
			r.Text = t
			return Text, nil
		}
	}
}

// Each calls each for every element that starts, to the end of the part.
func (r *Reader) Each(each func() error) error {
	for {
		kind, err := r.Next()
		if err != nil {
			return Ended(err)
		}
		if kind != Start {
			continue
		}
		if err := each(); err != nil {
			return err
		}
	}
}

// Inside calls each for every element that starts inside the one that has just started, up to its end. What each does not read is looked into.
func (r *Reader) Inside(each func() error) error {
	for depth := r.depth - 1; ; {
		kind, err := r.Next()
		if err != nil {
			return err
		}
		if kind == End && r.depth == depth {
			return nil
		}
		if kind != Start {
			continue
		}
		if err := each(); err != nil {
			return err
		}
	}
}

// Ended is the error of Next, nil at the end of the part.
func Ended(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// alternate takes the first branch of alternate content as if it stood there alone: the other branches say the same in an older way.
func (r *Reader) alternate() (hide bool, err error) {
	n := len(r.choice)
	switch r.Name {
	case "mc:AlternateContent":
		r.choice = append(r.choice, choice{depth: r.depth + 1})
		return true, nil
	case "mc:Choice", "mc:Fallback":
		if n == 0 || r.choice[n-1].depth != r.depth {
			return true, nil
		}
		if r.choice[n-1].taken {
			return true, r.Skip()
		}
		r.choice[n-1].taken = true
		return true, nil
	}
	return strings.HasPrefix(r.Name, "mc:"), nil
}

// Skip goes to the end of the element that has just started.
func (r *Reader) Skip() error {
	for depth := r.depth - 1; r.depth > depth; {
		r.meter.left = maxToken
		token, err := r.dec.Token()
		if err != nil {
			return explain(err)
		}
		switch token.(type) {
		case xml.StartElement:
			if r.depth++; r.depth > maxDepth {
				return errDeep
			}
		case xml.EndElement:
			r.depth--
		}
	}
	for n := len(r.choice); n > 0 && r.depth < r.choice[n-1].depth-1; n-- {
		r.choice = r.choice[:n-1]
	}
	return nil
}

// Attr is an attribute of the element that has just started: "w:val", or "val" without a namespace. It is empty if there is none.
func (r *Reader) Attr(name string) string {
	v, _ := r.Lookup(name)
	return v
}

// Lookup tells an attribute that is empty from one that is not there.
func (r *Reader) Lookup(name string) (string, bool) {
	for _, a := range r.attrs {
		if a.Name.Space == "" && a.Name.Local == name || a.Name.Space != "" && r.intern(a.Name) == name {
			return a.Value, true
		}
	}
	return "", false
}

// Inner is the text of the element that has just started, up to its end, without that of elements inside.
func (r *Reader) Inner() (string, error) {
	var b strings.Builder
	for depth := r.depth - 1; ; {
		kind, err := r.Next()
		switch {
		case err != nil:
			return b.String(), err
		case kind == Text && r.depth == depth+1:
			b.Write(r.Text)
		case kind == End && r.depth == depth:
			return b.String(), nil
		}
	}
}

func (r *Reader) intern(n xml.Name) string {
	if s, ok := r.names[n]; ok {
		return s
	}
	s := n.Local
	if n.Space != "" {
		s = prefix(n.Space) + ":" + s
	}
	if len(r.names) < 4096 {
		r.names[n] = s
	}
	return s
}

// explain tells damage from the errors of what is below.
func explain(err error) error {
	var syntax *xml.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Errorf("its XML is damaged in line %d: %s", syntax.Line, syntax.Msg)
	}
	return err
}

// meter ends a token that does not end.
type meter struct {
	*bufio.Reader
	left int
}

func (m *meter) ReadByte() (byte, error) {
	if m.left--; m.left < 0 {
		return 0, errToken
	}
	return m.Reader.ReadByte()
}

func (m *meter) Read(p []byte) (int, error) {
	if m.left <= 0 {
		return 0, errToken
	}
	n, err := m.Reader.Read(p[:min(len(p), m.left)])
	m.left -= n
	return n, err
}
