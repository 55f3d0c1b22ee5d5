package xmlread

import (
	"bytes"
	"io"

	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/transform"
)

// attr is an attribute of a tag, as indexes into the tag. A value with references or without quotes has separate
// bytes.
type attr struct {
	name, nameEnd   int
	value, valueEnd int
}

// nameBytes are the bytes of names; all characters beyond ASCII count as letters.
var nameBytes = func() (table [256]bool) {
	for c := range 256 {
		table[c] = c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c == '_' || c == ':' ||
			c == '-' || c == '.' || c >= 0x80
	}
	return table
}()

// nameEnd returns the end of the name that starts at i; an error if there is none.
func (s *scanner) nameEnd(i int, what string) (int, error) {
	c, err := s.at(i)
	if err != nil {
		return 0, err
	}
	if !nameBytes[c] || c >= '0' && c <= '9' || c == '-' || c == '.' {
		return 0, s.damaged("a name is missing " + what)
	}
	for {
		p := s.piece()
		for i < len(p) && nameBytes[p[i]] {
			i++
		}
		if i < len(p) {
			return i, nil
		}
		if err := s.more(); err != nil {
			return 0, s.cutOff(err)
		}
	}
}

// space skips white space from i on, and returns the index and value of the next byte.
func (s *scanner) space(i int) (int, byte, error) {
	if s.pos+i < s.end && s.buf[s.pos+i] > ' ' {
		return i, s.buf[s.pos+i], nil
	}
	for {
		c, err := s.at(i)
		if err != nil {
			return 0, 0, err
		}
		if c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			return i, c, nil
		}
		i++
	}
}

// startTag reads a start tag. It returns the ends of the name and of the tag, and whether the element is empty.
func (s *scanner) startTag(attrs []attr) (name, end int, empty bool, _ []attr, err error) {
	if name, err = s.nameEnd(1, "after <"); err != nil {
		return 0, 0, false, nil, err
	}
	for i := name; ; {
		var c byte
		if i, c, err = s.space(i); err != nil {
			return 0, 0, false, nil, err
		}
		switch c {
		case '>':
			return name, i + 1, false, attrs, nil
		case '/':
			if c, err = s.at(i + 1); err == nil && c != '>' {
				err = s.damaged("a tag contains a / before its end")
			}
			return name, i + 2, true, attrs, err
		}
		var a attr
		if a, i, err = s.attribute(i); err != nil {
			return 0, 0, false, nil, err
		}
		if len(attrs) < maxAttrs {
			attrs = append(attrs, a)
		}
	}
}

// maxAttrs limits the attributes of an element; further ones are ignored.
const maxAttrs = 10_000

// attribute reads the attribute at i. As in HTML, it may lack quotes, or have no value, which then equals its name.
func (s *scanner) attribute(i int) (a attr, end int, err error) {
	a.name = i
	if a.nameEnd, err = s.nameEnd(i, "for an attribute"); err != nil {
		return a, 0, err
	}
	i, c, err := s.space(a.nameEnd)
	if err != nil {
		return a, 0, err
	}
	if c != '=' {
		a.value, a.valueEnd = a.name, a.nameEnd
		if colon := bytes.IndexByte(s.piece()[a.name:a.nameEnd], ':'); colon > 0 && a.name+colon+1 < a.nameEnd {
			a.value += colon + 1
		}
		return a, i, nil
	}
	if i, c, err = s.space(i + 1); err != nil {
		return a, 0, err
	}
	if c != '"' && c != '\'' {
		a.value = i
		for c, err = s.at(i); err == nil && nameBytes[c] && c < 0x80 && c != '.'; c, err = s.at(i) {
			i++
		}
		a.valueEnd = i
		return a, i, err
	}
	a.value = i + 1
	if a.valueEnd, err = s.quoted(a.value, c); err != nil {
		return a, 0, err
	}
	return a, a.valueEnd + 1, nil
}

// quoted returns the end of the value that starts at i. Most values are so short that checking each byte is
// fastest.
func (s *scanner) quoted(i int, quote byte) (int, error) {
	for {
		p := s.piece()
		for ; i < len(p); i++ {
			if p[i] == quote {
				return i, nil
			}
			if p[i] == '<' {
				return 0, s.damaged("an attribute contains a <")
			}
		}
		if err := s.more(); err != nil {
			return 0, s.cutOff(err)
		}
	}
}

// endTag reads an end tag. It returns the ends of the name and of the tag.
func (s *scanner) endTag() (name, end int, err error) {
	if name, err = s.nameEnd(2, "after </"); err != nil {
		return 0, 0, err
	}
	end, c, err := s.space(name)
	if err == nil && c != '>' {
		err = s.damaged("an end tag contains more than a name")
	}
	return name, end + 1, err
}

// instruction reads a processing instruction. Only an encoding declaration has an effect.
func (s *scanner) instruction(declared bool) error {
	name, err := s.nameEnd(2, "after <?")
	if err != nil {
		return err
	}
	end, err := s.after(name, "?>")
	if err != nil {
		return err
	}
	content := s.piece()[name:end]
	if string(s.piece()[2:name]) != "xml" || !declared {
		s.take(end)
		return nil
	}
	charset := declaration(content)
	s.take(end)
	if charset == "" || bytes.EqualFold([]byte(charset), []byte("utf-8")) {
		return nil
	}
	enc, err := htmlindex.Get(charset)
	if err != nil {
		return nil // invalid UTF-8 becomes U+FFFD
	}
	s.decode(enc.NewDecoder())
	return nil
}

// declaration returns the encoding in an XML declaration.
func declaration(content []byte) string {
	_, value, ok := bytes.Cut(content, []byte("encoding"))
	value = bytes.TrimLeft(value, " \t\r\n")
	if !ok || len(value) < 2 || value[0] != '=' {
		return ""
	}
	value = bytes.TrimLeft(value[1:], " \t\r\n")
	if len(value) == 0 || value[0] != '"' && value[0] != '\'' {
		return ""
	}
	name, _, _ := bytes.Cut(value[1:], value[:1])
	return string(name)
}

// decode decodes the rest of the part from another encoding.
func (s *scanner) decode(from transform.Transformer) {
	s.lines += bytes.Count(s.buf[:s.pos], newline)
	rest := bytes.Clone(s.piece())
	in := s.in
	if s.err != nil {
		in = errorReader{s.err}
	}
	s.in = transform.NewReader(io.MultiReader(bytes.NewReader(rest), in), from)
	s.pos, s.end, s.err = 0, 0, nil
}

// errorReader repeats the error of a reader.
type errorReader struct{ err error }

func (f errorReader) Read([]byte) (int, error) { return 0, f.err }

// remark reads a comment, or a document type declaration, which may contain quotes and nested angle brackets.
func (s *scanner) remark() error {
	if c, err := s.at(2); err != nil {
		return err
	} else if c == '-' {
		if c, err = s.at(3); err != nil {
			return err
		} else if c != '-' {
			return s.damaged("<!- does not begin a comment")
		}
		end, err := s.after(4, "-->")
		if err == nil {
			s.take(end)
		}
		return err
	}
	depth, quote := 0, byte(0)
	for i := 3; ; i++ {
		c, err := s.at(i)
		switch {
		case err != nil:
			return err
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"', c == '\'':
			quote = c
		case c == '>':
			if depth--; depth < 0 {
				s.take(i + 1)
				return nil
			}
		case c == '<':
			if _, err := s.at(i + 3); err == nil && string(s.piece()[i:i+4]) == "<!--" {
				if i, err = s.after(i+4, "-->"); err != nil {
					return err
				}
				i--
				continue
			}
			depth++
		}
	}
}
