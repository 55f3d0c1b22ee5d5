// Package rtf converts documents in the Rich Text Format.
package rtf

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"strings"

	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/internal/documents/internal/markdown"
	"github.com/gorlm/rlm/internal/kit/text/decoding"
)

// maxGroups limits nested groups; Word writes about twenty.
const maxGroups = 2000

var (
	errNone = errors.New("it is not RTF")
	errDeep = errors.New("its groups are nested too deeply")
)

// Convert converts an .rtf file. It is a format.Converter.
func Convert(ctx context.Context, src format.Source, out format.Output) error {
	if err := out.Kind("rtf"); err != nil {
		return err
	}
	r := bufio.NewReaderSize(decoding.Reader(src.Reader()), 64<<10)
	if head, _ := r.Peek(5); !bytes.Equal(head, []byte(`{\rtf`)) {
		return errNone
	}
	d := &document{
		ctx: ctx, in: r, out: out, page: 1252, fonts: map[int]*font{}, styles: map[int]*style{},
		info: map[string]string{}, shown: map[string]bool{},
	}
	d.flow = &flow{w: markdown.New(body{d})}
	d.stack = []state{{skips: 1}}
	err := d.run()
	return d.finish(err)
}

// document is the conversion of one document.
type document struct {
	ctx   context.Context
	in    *bufio.Reader
	out   format.Output
	stack []state
	flow  *flow // the current output: the document, a note, a header or a box

	page      int // code page of the document
	fonts     map[int]*font
	standard  int // the default font
	styles    map[int]*style
	info      map[string]string
	headed    bool   // the head is written
	pending   []byte // bytes in the font's code page, not yet decoded
	lead      bool   // the last pending byte is the first of two
	high      rune   // first half of a UTF-16 surrogate pair
	skip      int    // characters to skip: the fallback after a Unicode character
	notes     []note
	counts    map[string]int // numbers of notes, by kind
	author    string         // author of the next comment
	class     string         // last part of the last object's class
	equations int            // equations that are pictures
	footers   []string
	shown     map[string]bool // texts of headers and footers already written
}

type font struct {
	charset, page int
	name          string
}

type style struct {
	outline int // outline level, from 1; 0: none
	name    string
}

type note struct{ label, text string }

// finish writes the remaining output, even after an error err.
func (d *document) finish(err error) error {
	d.decode()
	for len(d.stack) > 0 {
		if endErr := d.end(); err == nil {
			err = endErr
		}
	}
	for d.flow.outer != nil {
		d.flow = d.flow.outer
	}
	if headErr := d.head(); headErr != nil {
		return headErr
	}
	w := d.flow.w
	d.flow.endParagraph(d)
	d.flow.endTable()
	if w.Err() != nil {
		return w.Err()
	}
	for _, n := range d.notes {
		if noteErr := w.Note(n.label, n.text); noteErr != nil {
			return noteErr
		}
	}
	for _, text := range d.footers {
		if footErr := w.Paragraph("Footer: " + text); footErr != nil {
			return footErr
		}
	}
	if endErr := errors.Join(w.End(), format.LostEquations(d.out, d.equations)); endErr != nil {
		return endErr
	}
	return err
}

// body writes the text of the document, after its head.
type body struct{ d *document }

func (b body) Write(p []byte) (int, error) {
	if err := b.d.head(); err != nil {
		return 0, err
	}
	return b.d.out.Write(p)
}

// head writes the head of the document, before its first text.
func (d *document) head() error {
	if d.headed {
		return nil
	}
	d.headed = true
	for name, value := range d.info {
		if strings.HasPrefix(value, "0000-") {
			d.info[name] = "" // an unset date
		}
	}
	return format.Head(d.out, d.info, "Title", "title", "Subject", "subject", "Author", "author", "Keywords",
		"keywords", "Description", "doccomm",
		"Created", "creatim", "Modified", "revtim")
}

// run reads all groups.
func (d *document) run() error {
	for n := 0; ; n++ {
		if n%4096 == 0 && d.ctx.Err() != nil {
			return d.ctx.Err()
		}
		c, err := d.in.ReadByte()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch c {
		case '{':
			d.decode()
			d.skip = 0
			if len(d.stack) >= maxGroups {
				return errDeep
			}
			s := d.stack[len(d.stack)-1]
			s.opens, s.starred = opensNothing, false
			d.stack = append(d.stack, s)
		case '}':
			d.decode()
			d.skip = 0
			if err := d.end(); err != nil {
				return err
			}
			if len(d.stack) <= 1 {
				return nil // anything after this is not part of the document
			}
		case '\\':
			if err := d.control(); err != nil {
				return err
			}
		case '\r', '\n', 0:
		default:
			d.character(c)
		}
		if err := d.flow.w.Err(); err != nil {
			return err
		}
	}
}

// control reads a control word, a control symbol or a hexadecimal byte.
func (d *document) control() error {
	c, err := d.in.ReadByte()
	if err != nil {
		return nil
	}
	if c == '\'' {
		var pair [2]byte
		if _, err := io.ReadFull(d.in, pair[:]); err != nil {
			return nil
		}
		if d.skip > 0 {
			d.skip--
			return nil
		}
		d.raw(hex(pair[0])<<4 | hex(pair[1]))
		return nil
	}
	if c|0x20 < 'a' || c|0x20 > 'z' {
		d.decode()
		return d.symbol(c)
	}
	word := make([]byte, 1, 32)
	word[0] = c
	for {
		if c, err = d.in.ReadByte(); err != nil || c|0x20 < 'a' || c|0x20 > 'z' {
			break
		}
		if len(word) < 32 {
			word = append(word, c)
		}
	}
	number, has, negative := 0, false, false
	if err == nil && c == '-' {
		negative = true
		c, err = d.in.ReadByte()
	}
	for ; err == nil && c >= '0' && c <= '9'; c, err = d.in.ReadByte() {
		if has = true; number < 1<<28 {
			number = number*10 + int(c-'0')
		}
	}
	if negative {
		number = -number
	}
	if err == nil && c != ' ' {
		_ = d.in.UnreadByte()
	}
	if string(word) != "u" {
		d.decode()
	}
	return d.word(string(word), number, has)
}

func hex(c byte) byte {
	switch {
	case c >= '0' && c <= '9':
		return c - '0'
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10
	}
	return 0
}
