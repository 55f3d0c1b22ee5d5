package data

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/gorlm/rlm/internal/kit/text"
)

// outline is a record with shortened long texts, so that it can be examined without memory for all of it.
type outline struct {
	short   []byte
	counted map[string]int // estimated tokens of each shortened text, by its short form
}

const (
	longText = 64 << 10 // texts of at least this many bytes are shortened
	keptHead = 4 << 10  // bytes kept of the beginning and of the end
	piece    = 64 << 10 // bytes counted in one step
	counts   = 32       // about how many pieces of a very long text are counted
)

var errCutOff = errors.New("it is not a JSON object: it is cut off")

// outlineOf shortens the texts of a record.
func outlineOf(record []byte) (outline, error) {
	o := outline{counted: map[string]int{}}
	for {
		at := bytes.IndexByte(record, '"')
		if at < 0 {
			o.short = append(o.short, record...)
			return o, nil
		}
		o.short = append(o.short, record[:at]...)
		record = record[at:]
		end := endOfText(record)
		if end < 0 {
			return o, errCutOff
		}
		literal := record[:end]
		record = record[end:]
		if len(literal) < longText {
			o.short = append(o.short, literal...)
			continue
		}
		short, n, err := shorten(literal[1 : len(literal)-1])
		if err != nil {
			return o, err
		}
		o.counted[short] = n
		quoted, err := json.Marshal(short)
		if err != nil {
			return o, err
		}
		o.short = append(o.short, quoted...)
	}
}

// endOfText returns the end of the text whose opening quote begins the record; -1 if it does not end.
func endOfText(record []byte) int {
	for i := 1; ; {
		at := bytes.IndexByte(record[i:], '"')
		if at < 0 {
			return -1
		}
		i += at
		escapes := 0
		for record[i-1-escapes] == '\\' {
			escapes++
		}
		i++
		if escapes%2 == 0 {
			return i
		}
	}
}

// shorten keeps the beginning and the end of a text in JSON, and estimates the tokens of all of it. In a very long
// text only evenly spread pieces are counted.
func shorten(raw []byte) (short string, tokens int, err error) {
	every := max(1, len(raw)/piece/counts)
	counted, seen := 0, 0
	var head, tail string
	for i, at := 0, 0; at < len(raw); i++ {
		end := border(raw, at+piece)
		last := end == len(raw)
		if i%every == 0 || last {
			s, err := unquote(raw[at:end])
			if err != nil {
				return "", 0, err
			}
			counted += text.CountTokens(s)
			seen += end - at
			if i == 0 {
				head = text.Cut(s, keptHead)
			}
			if last {
				tail = s
			}
		}
		at = end
	}
	if last := border(raw, len(raw)-2*keptHead); len(tail) < keptHead && last < len(raw) {
		if tail, err = unquote(raw[last:]); err != nil {
			return "", 0, err
		}
	}
	if cut := len(tail) - keptHead; cut > 0 {
		for cut < len(tail) && !utf8.RuneStart(tail[cut]) {
			cut++
		}
		tail = tail[cut:]
	}
	return head + "\n" + tail, int(float64(counted) / float64(max(seen, 1)) * float64(len(raw))), nil
}

// border returns the first position from at on where a text in JSON can be cut: after a space, or else where no
// escape is near.
func border(raw []byte, at int) int {
	if at >= len(raw) {
		return len(raw)
	}
	if space := bytes.IndexByte(raw[at:min(at+piece, len(raw))], ' '); space >= 0 {
		return at + space + 1
	}
	for ; at < len(raw); at++ {
		if utf8.RuneStart(raw[at]) && bytes.IndexByte(raw[max(0, at-6):at], '\\') < 0 {
			break
		}
	}
	return at
}

// unquote decodes a piece of a text in JSON.
func unquote(raw []byte) (s string, err error) {
	if bytes.IndexByte(raw, '\\') < 0 && bytes.IndexFunc(raw, func(r rune) bool { return r < ' ' }) < 0 {
		return strings.ToValidUTF8(string(raw), "\uFFFD"), nil
	}
	quoted := make([]byte, 0, len(raw)+2)
	quoted = append(append(append(quoted, '"'), raw...), '"')
	err = json.Unmarshal(quoted, &s)
	return s, err
}
