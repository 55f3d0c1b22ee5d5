package mail

import (
	"bytes"
	"strconv"

	"github.com/gorlm/rlm/internal/kit/startup"
)

// mostUU limits a part in uuencode, in bytes.
const mostUU = 128 << 20

// uuBegin matches the line before a file in uuencode, as mail programs put it into texts before MIME.
var uuBegin = startup.Regexp(`(?m)^begin [0-7]{3,4} (\S.*)\n`)

// otherBegin matches the begin of a file in an encoding that is not read.
var otherBegin = startup.Regexp(`(?m)^(=ybegin |begin-base64 [0-7]{3,4} |\(This file must be converted with BinHex)`)

// uuBlock is a file in uuencode.
type uuBlock struct {
	name     string
	data     []byte
	from, to int // its place in the text
}

// uuBlocks finds the files of a text that are complete.
func uuBlocks(text []byte) (blocks []uuBlock) {
	for at := 0; ; {
		m := uuBegin().FindSubmatchIndex(text[at:])
		if m == nil {
			return blocks
		}
		b := uuBlock{name: string(text[at+m[2] : at+m[3]]), from: at + m[0]}
		if at += m[1]; b.read(text, at) {
			blocks, at = append(blocks, b), b.to
		}
	}
}

// read decodes the lines from an offset, and reports whether they end as they should.
func (b *uuBlock) read(text []byte, at int) bool {
	for at < len(text) {
		line, _, _ := bytes.Cut(text[at:], []byte("\n"))
		at = min(at+len(line)+1, len(text))
		if string(line) == "end" {
			b.to = at
			return len(b.data) > 0
		}
		if len(line) == 0 || line[0] < ' ' || line[0] > '`' {
			return false
		}
		n := int(line[0]-' ') & 63
		digits := append(bytes.Clone(line[1:]), "   "...) // blanks at the end may be lost
		if len(digits) < (n*4+2)/3 || len(line) > 1+(n+2)/3*4+1 {
			return false
		}
		for i := 0; i < n; i++ {
			high, low := digits[i/3*4+i%3]-' ', byte(0)
			if j := i/3*4 + i%3 + 1; j < len(digits) {
				low = digits[j] - ' '
			}
			shift := 2 * (i%3 + 1)
			b.data = append(b.data, high&63<<shift|low&63>>(6-shift))
		}
	}
	return false
}

// unpackUU attaches the files in uuencode that a text contains, and takes them out of it.
func (m *message) unpackUU(text []byte) []byte {
	if otherBegin().Match(text) {
		m.note("a file within the text is in yEnc, BinHex or base64, and was not decoded")
	}
	if !uuBegin().Match(text) {
		return text
	}
	var rest []byte
	at := 0
	for _, b := range uuBlocks(text) {
		name := "attachment; filename=" + strconv.Quote(b.name)
		m.attach(header{"content-disposition": name}, "", bytes.NewReader(b.data))
		rest = append(rest, text[at:b.from]...)
		at = b.to
	}
	rest = append(rest, text[at:]...)
	if uuBegin().Match(rest) {
		m.note("a file in uuencode within the text is damaged or cut off")
	}
	return rest
}
