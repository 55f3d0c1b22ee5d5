// Package xmlread reads untrusted XML element by element: it normalises prefixes, limits the depth and the size of
// tokens, and chooses one branch of alternate content. Entities other than the five predefined ones are not
// expanded. It tolerates errors that XML forbids but people can read over: control characters, invalid UTF-8,
// elements closed in the wrong order.
package xmlread

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"golang.org/x/text/encoding/unicode"
)

const (
	maxDepth = 1000
	maxToken = 16 << 20 // bytes of an element with its attributes, or of text between two elements
)

// Errors for XML that exceeds the limits.
var (
	errDeep  = errors.New("its XML is nested too deeply")
	errToken = errors.New("its XML contains a piece larger than 16 MB")
)

// Kind is the kind of token that Next found.
type Kind int

// The kinds of tokens.
const (
	Start Kind = iota + 1
	End
	Text
)

// Reader reads one part.
type Reader struct {
	// Name is the name of the element that starts or ends: "w:p", with the usual prefix of its namespace, whatever
	// the part's own prefix.
	Name string
	// Text is the text between two elements. It is valid until the next call of Next.
	Text []byte

	scan     scanner
	scope    scope
	open     []openElement
	attrs    []attr
	values   []byte // scratch for values of attributes
	text     []byte // scratch for Text
	taken    int    // bytes of the piece that the last token used
	ends     bool   // the current element is empty
	declared bool   // the encoding may still be declared
	choice   []choice
}

// choice is an open mc:AlternateContent.
type choice struct {
	depth int // depth of its children
	taken bool
}

// New returns a Reader for a part.
func New(r io.Reader) *Reader {
	x := &Reader{scan: scanner{in: r}, declared: true}
	x.scope = scope{spaces: map[string]string{}, names: map[string]*name{}, full: map[qualifiedName]string{}}
	if _, err := x.scan.at(2); err != nil {
		return x // fewer than three bytes are not a document
	}
	switch head := x.scan.piece(); {
	case bytes.HasPrefix(head, []byte("\uFEFF")):
		x.scan.take(3)
	case head[0] == 0xFF && head[1] == 0xFE, head[1] == 0:
		x.scan.decode(unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder())
		x.declared = false
	case head[0] == 0xFE && head[1] == 0xFF, head[0] == 0:
		x.scan.decode(unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewDecoder())
		x.declared = false
	}
	return x
}

// Depth returns the number of open elements, including one that has just started and excluding one that has just
// ended.
func (r *Reader) Depth() int { return len(r.open) }

// Next advances to the next start, end or text. At the end of the part it returns io.EOF.
func (r *Reader) Next() (Kind, error) {
	for {
		kind, err := r.token()
		if err != nil {
			return 0, err
		}
		switch kind {
		case Start:
			hide, err := r.alternate()
			if err != nil {
				return 0, err
			}
			if !hide {
				return Start, nil
			}
		case End:
			r.closeChoices()
			if !strings.HasPrefix(r.Name, "mc:") {
				return End, nil
			}
		case Text:
			return Text, nil
		}
	}
}

// token advances to the next start, end or text, in any branch of alternate content.
func (r *Reader) token() (Kind, error) {
	r.scan.take(r.taken)
	r.taken, r.attrs = 0, r.attrs[:0]
	if r.ends {
		r.ends = false
		return r.endElement(), nil
	}
	for {
		c, err := r.first()
		if err != nil {
			return 0, err
		}
		if c != '<' {
			end, err := r.scan.index(0, '<')
			if err != nil && end == 0 {
				return 0, err
			}
			r.taken = end
			r.setText(r.scan.piece()[:end], true)
			return Text, nil
		}
		if c, err = r.scan.at(1); err != nil {
			return 0, err
		}
		switch c {
		case '/':
			return r.end()
		case '?':
			err = r.scan.instruction(r.declared)
			r.declared = false
		case '!':
			if c, err = r.scan.at(2); err == nil && c == '[' {
				return r.cdata()
			} else if err == nil {
				err = r.scan.remark()
			}
		default:
			return r.start()
		}
		if err != nil {
			return 0, err
		}
	}
}

// first returns the first byte of a piece, or io.EOF if the part may end here.
func (r *Reader) first() (byte, error) {
	for r.scan.pos == r.scan.end {
		if err := r.scan.more(); err == io.EOF && len(r.open) == 0 {
			return 0, io.EOF
		} else if err != nil {
			return 0, r.scan.cutOff(err)
		}
	}
	return r.scan.buf[r.scan.pos], nil
}

func (r *Reader) setText(raw []byte, references bool) {
	r.Text = characters(raw, r.text[:0], references)
	if len(r.Text) > 0 && len(raw) > 0 && &r.Text[0] != &raw[0] {
		r.text = r.Text
	}
}

// cdata reads a CDATA section.
func (r *Reader) cdata() (Kind, error) {
	const begin = "<![CDATA["
	if _, err := r.scan.at(len(begin) - 1); err != nil {
		return 0, err
	}
	if string(r.scan.piece()[:len(begin)]) != begin {
		return 0, r.scan.damaged("<![ does not begin a text")
	}
	end, err := r.scan.after(len(begin), "]]>")
	if err != nil {
		return 0, err
	}
	r.taken = end
	r.setText(r.scan.piece()[len(begin):end-len("]]>")], false)
	return Text, nil
}

// start opens an element.
func (r *Reader) start() (Kind, error) {
	nameEnd, end, empty, attrs, err := r.scan.startTag(r.attrs)
	if err != nil {
		return 0, err
	}
	if len(r.open) == maxDepth {
		return 0, errDeep
	}
	r.attrs, r.taken, r.ends = attrs, end, empty
	piece := r.scan.piece()
	o := openElement{undo: len(r.scope.undo), state: r.scope.now}
	for _, a := range attrs {
		if name := piece[a.name:a.nameEnd]; name[0] == 'x' {
			if prefix, ok := declares(name); ok {
				r.scope.declare(prefix, string(r.value(a)))
			}
		}
	}
	o.name = r.scope.name(piece[1:nameEnd])
	r.open = append(r.open, o)
	r.Name = o.full
	return Start, nil
}

// end closes an element. Unclosed elements inside it end first.
func (r *Reader) end() (Kind, error) {
	if r.endsLast() {
		return r.endElement(), nil
	}
	nameEnd, end, err := r.scan.endTag()
	if err != nil {
		return 0, err
	}
	name := r.scan.piece()[2:nameEnd]
	if len(r.open) == 0 {
		return 0, r.scan.damaged("an element ends without having begun")
	}
	if string(name) == r.open[len(r.open)-1].raw {
		r.taken = end
	}
	return r.endElement(), nil
}

// endsLast handles the common case: the end tag of the innermost element.
func (r *Reader) endsLast() bool {
	if len(r.open) == 0 {
		return false
	}
	raw, p := r.open[len(r.open)-1].raw, r.scan.piece()[2:]
	if len(p) <= len(raw) || p[len(raw)] != '>' || string(p[:len(raw)]) != raw {
		return false
	}
	r.taken = 2 + len(raw) + 1
	return true
}

func (r *Reader) endElement() Kind {
	n := len(r.open) - 1
	r.Name = r.open[n].full
	r.scope.leave(r.open[n])
	r.open = r.open[:n]
	return End
}

// closeChoices removes alternate content that has ended.
func (r *Reader) closeChoices() {
	for n := len(r.choice); n > 0 && len(r.open) < r.choice[n-1].depth-1; n-- {
		r.choice = r.choice[:n-1]
	}
}

// All calls each for every token up to the end of the part, except those that each reads itself.
func (r *Reader) All(each func(kind Kind) error) error {
	for {
		kind, err := r.Next()
		if err != nil {
			return Ended(err)
		}
		if err := each(kind); err != nil {
			return err
		}
	}
}

// Find advances to the next start of an element with a name; ok is false if there is none.
func (r *Reader) Find(name string) (ok bool, err error) {
	for {
		kind, err := r.Next()
		if err != nil {
			return false, Ended(err)
		}
		if kind == Start && r.Name == name {
			return true, nil
		}
	}
}

// Each is All for starts of elements only.
func (r *Reader) Each(each func() error) error { return r.All(starts(each)) }

// Walk calls each for every token inside the current element, up to its end.
func (r *Reader) Walk(each func(kind Kind) error) error {
	for depth := len(r.open) - 1; ; {
		kind, err := r.Next()
		if err != nil {
			return err
		}
		if kind == End && len(r.open) == depth {
			return nil
		}
		if err := each(kind); err != nil {
			return err
		}
	}
}

// Inside is Walk for starts of elements only. It descends into elements that each does not read.
func (r *Reader) Inside(each func() error) error { return r.Walk(starts(each)) }

func starts(each func() error) func(Kind) error {
	return func(kind Kind) error {
		if kind != Start {
			return nil
		}
		return each()
	}
}

// Ended returns the error of Next, or nil at the end of the part.
func Ended(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// alternate shows only the first branch of alternate content: the others are older versions of the same content.
func (r *Reader) alternate() (hide bool, err error) {
	n := len(r.choice)
	switch r.Name {
	case "mc:AlternateContent":
		r.choice = append(r.choice, choice{depth: len(r.open) + 1})
		return true, nil
	case "mc:Choice", "mc:Fallback":
		if n == 0 || r.choice[n-1].depth != len(r.open) {
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

// Skip advances to the end of the current element.
func (r *Reader) Skip() error {
	for depth := len(r.open) - 1; len(r.open) > depth; {
		if _, err := r.token(); err != nil {
			return err
		}
	}
	r.closeChoices()
	return nil
}

// Attr returns an attribute of the current element: "w:val", or "val" without a namespace. It is empty if the
// attribute is missing.
func (r *Reader) Attr(name string) string {
	v, _ := r.find(name)
	return string(v)
}

// Bytes is Attr without an allocation. The result is valid until the next call of any method.
func (r *Reader) Bytes(name string) []byte {
	v, _ := r.find(name)
	return v
}

// Lookup is Attr, and reports whether the attribute exists.
func (r *Reader) Lookup(name string) (string, bool) {
	v, ok := r.find(name)
	return string(v), ok
}

func (r *Reader) find(name string) ([]byte, bool) {
	piece := r.scan.piece()
	for _, a := range r.attrs {
		raw := piece[a.name:a.nameEnd]
		if string(raw) == name {
			if _, local := split(name); local == name {
				return r.value(a), true
			}
		}
		if bytes.IndexByte(raw, ':') > 0 && r.scope.name(raw).full == name {
			return r.value(a), true
		}
	}
	return nil, false
}

// value returns the value of an attribute. It is valid until the next call.
func (r *Reader) value(a attr) []byte {
	raw := r.scan.piece()[a.value:a.valueEnd]
	v := characters(raw, r.values[:0], true)
	if len(v) > 0 && &v[0] != &raw[0] {
		r.values = v
	}
	return v
}

// Inner returns the text directly inside the current element, up to its end, without that of nested elements.
func (r *Reader) Inner() (string, error) {
	depth := len(r.open)
	return r.inner(func() bool { return len(r.open) == depth })
}

// Whole returns the text inside the current element, including nested elements.
func (r *Reader) Whole() (string, error) { return r.inner(func() bool { return true }) }

func (r *Reader) inner(wanted func() bool) (string, error) {
	var b strings.Builder
	err := r.Walk(func(kind Kind) error {
		if kind == Text && wanted() {
			b.Write(r.Text)
		}
		return nil
	})
	return b.String(), err
}
