package rtf

import (
	"io"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/gorlm/rlm/internal/documents/internal/markdown"
	"github.com/gorlm/rlm/internal/documents/internal/symbols"
)

// signs maps control words to the characters that they represent.
var signs = map[string]string{
	"tab": "\t", "line": "\n", "lbr": "\n", "emdash": "—", "endash": "–", "emspace": " ", "enspace": " ",
	"qmspace": " ", "bullet": "•", "lquote": "‘", "rquote": "’",
	"ldblquote": "“", "rdblquote": "”", "zwj": "\u200D", "zwnj": "\u200C", "ltrmark": "\u200E", "rtlmark": "\u200F",
	"page": "\n", "column": "\n",
}

// symbol handles a control symbol such as \~.
func (d *document) symbol(c byte) error {
	if d.skip > 0 {
		d.skip--
		return nil
	}
	switch c {
	case '*':
		d.top().starred = true
	case '~':
		d.say("\u00A0")
	case '_':
		d.say("-")
	case '\\', '{', '}':
		d.say(string(rune(c)))
	case '\r', '\n':
		d.endParagraph()
	}
	return nil
}

// word handles a control word with its number, or 0 if has is false.
func (d *document) word(word string, n int, has bool) error {
	s := d.top()
	if word == "bin" {
		_, _ = io.CopyN(io.Discard, d.in, int64(max(n, 0))) // the next read reports the end of the file
		return nil
	}
	if d.skip > 0 && word != "u" {
		d.skip--
		return nil
	}
	if starred := s.starred; d.destination(word) || starred {
		if starred {
			s.starred = false
			if !isKnown(word) {
				s.outer, s.place = s.place, inNothing
			}
		}
		return nil
	}
	on := !has || n != 0
	switch word {
	case "u":
		d.unicode(n)
	case "uc":
		s.skips = min(max(n, 0), 100)
	case "ansicpg":
		if n > 0 {
			d.page = n
		}
	case "deff":
		d.standard, s.font = n, n
	case "mac":
		d.page = 10000
	case "pc":
		d.page = 437
	case "pca":
		d.page = 850
	case "plain":
		s.hidden, s.raised, s.font = false, 0, d.standard
	case "v":
		s.hidden = on
	case "deleted":
		s.hidden = on
	case "super", "sub", "nosupersub", "up", "dn": // up and dn give a distance, as LibreOffice writes them
		if s.raised = 0; on {
			s.raised = map[string]int{"super": 1, "sub": -1, "up": 1, "dn": -1}[word]
		}
	case "f":
		d.font(n)
	case "fcharset", "cpg":
		if f := d.fonts[s.font]; s.place == inFonts && f != nil {
			if word == "cpg" {
				f.page = n
			} else {
				f.charset = n
			}
		}
	case "ftnalt":
		if s.opens == opensNote {
			s.opens = opensEndnote
		}
	case "yr", "mo", "dy", "hr", "min":
		d.date(word, n)
	default:
		if sign, ok := signs[word]; ok {
			d.say(sign)
			return nil
		}
		return d.paragraphWord(s, word, n)
	}
	return nil
}

// isKnown reports whether an optional destination is supported.
func isKnown(word string) bool {
	switch word {
	case "fldinst", "annotation", "atnauthor", "objclass", "shpinst", "nesttableprops", "ud", "do", "moMath",
		"moMathPara", "pntext", "listtext", "footnote", "cs", "ds", "ts":
		return true
	}
	return false
}

// paragraphWord handles control words for paragraphs, cells and styles.
func (d *document) paragraphWord(s *state, word string, n int) error {
	if s.place == inStyles {
		d.styleWord(s, word, n)
		return nil
	}
	p := &d.flow.props
	if s.place != inText {
		return nil
	}
	switch word {
	case "par", "sect":
		d.endParagraph()
	case "pard":
		*p = paragraph{}
	case "intbl":
		p.inTable = true
	case "itap":
		p.inTable = p.inTable || n > 0
	case "cell":
		p.inTable = true
		d.flow.endCell()
	case "row":
		d.flow.endRow()
	case "nestcell":
		d.flow.para = append(d.flow.para, " | "...)
	case "nestrow":
		d.flow.cell += strings.TrimSuffix(strings.TrimSpace(string(d.flow.para)), " |") + "\n"
		d.flow.para = d.flow.para[:0]
	case "s":
		p.style = n
	case "outlinelevel":
		if n >= 0 && n < 9 {
			p.outline = n + 1
		}
	case "ilvl":
		p.level = min(max(n, 0), 8)
	case "li":
		p.left = n
	case "fi":
		p.first = n
	}
	return nil
}

// styleWord handles control words within the definition of a style.
func (d *document) styleWord(s *state, word string, n int) {
	switch word {
	case "s":
		if s.style = n; len(d.styles) < 10_000 {
			d.styles[n] = &style{}
		}
	case "outlinelevel":
		if st := d.styles[s.style]; st != nil && n >= 0 && n < 9 {
			st.outline = n + 1
		}
	}
}

func (d *document) font(n int) {
	s := d.top()
	s.font = n
	if s.place == inFonts && len(d.fonts) < 10_000 {
		d.fonts[n] = &font{charset: 1}
	}
}

// codePage returns the code page of the current text.
func (d *document) codePage() (page int, name string) {
	f := d.fonts[d.top().font]
	switch {
	case f == nil:
		return d.page, ""
	case f.page != 0:
		return f.page, f.name
	}
	return pageOf(f.charset, d.page), f.name
}

// raw adds a byte that must be decoded.
func (d *document) raw(b byte) {
	page, _ := d.codePage()
	d.pending = append(d.pending, b)
	d.lead = !d.lead && doubleByte(page, b)
}

// character adds an unescaped byte.
func (d *document) character(c byte) {
	switch {
	case d.skip > 0:
		d.skip--
	case d.lead, c >= 0x80:
		d.raw(c)
	default:
		d.decode()
		d.sayByte(c)
	}
}

func (d *document) sayByte(c byte) {
	s := d.top()
	if s.place == inText && !s.hidden && s.raised == 0 && d.high == 0 {
		if page, _ := d.codePage(); page != symbolCode {
			d.flow.para = append(d.flow.para, c)
			return
		}
	}
	d.say(string(rune(c)))
}

// decode decodes and writes the pending bytes.
func (d *document) decode() {
	if len(d.pending) == 0 {
		return
	}
	page, name := d.codePage()
	b := d.pending
	d.pending, d.lead = d.pending[:0], false
	if page == symbolCode {
		text := make([]rune, len(b))
		for i, c := range b {
			text[i] = 0xF000 + rune(c)
		}
		d.say(symbols.Text(name, string(text)))
		return
	}
	text, err := codePage(page).NewDecoder().Bytes(b)
	if err != nil {
		text = b
	}
	d.say(string(text))
}

// unicode writes a UTF-16 code unit, and skips the fallback after it.
func (d *document) unicode(n int) {
	d.decode()
	d.skip = d.top().skips
	r := rune(n)
	if n < 0 {
		r = rune(n + 0x10000)
	}
	switch {
	case utf16.IsSurrogate(r) && d.high == 0:
		d.high = r
		return
	case d.high != 0:
		r = utf16.DecodeRune(d.high, r)
		d.high = 0
	}
	if !utf8.ValidRune(r) {
		r = utf8.RuneError
	}
	_, name := d.codePage()
	d.say(symbols.Text(name, string(r)))
}

// say adds text to the current destination.
func (d *document) say(text string) {
	s := d.top()
	const long = 1 << 16 // limit for anything but the text
	switch s.place {
	case inText:
		if s.hidden {
			return
		}
		d.flow.para = append(d.flow.para, markdown.Shifted(text, s.raised)...)
	case inMarker:
		if page, _ := d.codePage(); page == symbolCode {
			text = "•"
		}
		if len(d.flow.marker) < 64 {
			d.flow.marker += text
		}
	case inInfo:
		if s.info != "" && len(d.info[s.info]) < long {
			d.info[s.info] += text
		}
	case inCode:
		if s.field != nil && len(s.field.code) < 4096 {
			s.field.code += text
		}
	case inAuthor:
		if len(d.author) < 256 {
			d.author += text
		}
	case inClass:
		if d.class = (d.class + text)[max(len(d.class+text)-len("Equation"), 0):]; d.class == "Equation" {
			d.equations++
		}
	case inFonts:
		if f := d.fonts[s.font]; f != nil && len(f.name) < 64 {
			f.name = strings.TrimSuffix(f.name+text, ";")
		}
	case inStyles:
		d.styleName(s, text)
	}
}

// styleName extends the name of a style. Names identify headings that have no outline level.
func (d *document) styleName(s *state, text string) {
	st := d.styles[s.style]
	if st == nil || len(st.name) > 64 {
		return
	}
	st.name += strings.ToLower(text)
	name, whole := strings.CutSuffix(st.name, ";")
	if !whole || st.outline > 0 {
		return
	}
	if rest, ok := strings.CutPrefix(strings.TrimSpace(name), "heading "); ok {
		if n, err := strconv.Atoi(rest); err == nil && n >= 1 && n <= 9 {
			st.outline = n
		}
	}
	if strings.TrimSpace(name) == "title" {
		st.outline = 1
	}
}

// endParagraph ends the paragraph if the destination is text.
func (d *document) endParagraph() {
	if d.top().place == inText {
		d.flow.endParagraph(d)
	}
}
