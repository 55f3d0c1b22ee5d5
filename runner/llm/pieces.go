package llm

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/gorlm/rlm/internal/kit/startup"
)

// pieces is a growing text. It rejoins characters that were split between two pieces, and detects endpoints whose
// pieces each repeat all the text so far, or whose last piece does.
type pieces struct {
	text strings.Builder
	held string // the first part of a split character

	n     int    // number of nonempty pieces
	first string // the first nonempty piece
	prev  string // the latest piece
	grown int    // number of pieces that extended the one before
	other bool   // some piece did not extend the one before
	whole bool   // each piece repeats all the text so far
}

// Least evidence that each piece repeats all the text so far: a text may repeat itself, too.
const (
	grownPieces = 2
	grownBytes  = 10
)

// add adds a piece and returns the new text in it. again reports that the earlier text was wrong; String then
// returns the corrected text. last marks the reply's last piece.
func (p *pieces) add(piece string, last bool) (added string, again bool) {
	piece = p.join(piece)
	if piece == "" {
		return "", false
	}
	p.n++
	before := p.prev
	p.prev = piece
	switch {
	case p.n == 1:
		p.first = piece
	case p.whole:
		if rest, ok := strings.CutPrefix(piece, before); ok {
			piece = rest
		} else {
			p.whole, p.other = false, true
		}
	case last && p.n > 2 && piece == p.text.String(): // repeats the whole reply
		return "", false
	case p.other:
	case len(piece) > len(before) && strings.HasPrefix(piece, before):
		p.grown++
		if p.grown >= grownPieces && len(piece) >= grownBytes && strings.ReplaceAll(piece, p.first, "") != "" {
			p.whole = true
			p.text.Reset()
			p.text.WriteString(piece)
			return "", true
		}
	case piece != before:
		p.other = true
	}
	p.text.WriteString(piece)
	return piece, false
}

func (p *pieces) String() string { return p.text.String() }

// JSON cannot represent a stray byte or half of a surrogate pair, so a private-use character replaces it.
const (
	loneByte      = 0x10FF00 // plus the byte, from 0x80, which is then the rune's lowest
	loneSurrogate = 0x10E000 // plus the surrogate minus 0xD800
)

var surrogates = startup.Regexp(`\\+u[dD][89a-fA-F][0-9a-fA-F]{2}`)

// keepHalves replaces halves of characters in an event by private-use characters, because json would discard them.
func keepHalves(event []byte) []byte {
	if !utf8.Valid(event) {
		var out bytes.Buffer
		for rest := event; len(rest) > 0; {
			r, n := utf8.DecodeRune(rest)
			if r == utf8.RuneError && n == 1 {
				out.WriteRune(loneByte + rune(rest[0]))
			} else {
				out.Write(rest[:n])
			}
			rest = rest[n:]
		}
		event = out.Bytes()
	}
	if bytes.Contains(event, []byte(`\ud`)) || bytes.Contains(event, []byte(`\uD`)) {
		event = loneSurrogates(event)
	}
	return event
}

// loneSurrogates replaces escapes of unpaired surrogates.
func loneSurrogates(event []byte) []byte {
	var out bytes.Buffer
	from := 0
	found := surrogates().FindAllIndex(event, -1)
	for i := 0; i < len(found); i++ {
		at, end := found[i][0], found[i][1]
		if bytes.Count(event[at:end], []byte(`\`))%2 == 0 { // the last backslash is escaped
			continue
		}
		half := surrogateAt(event, end)
		if half < 0xDC00 && i+1 < len(found) && found[i+1][0] == end {
			if next := found[i+1][1]; next-end == 6 && surrogateAt(event, next) >= 0xDC00 {
				i++ // skip the pair's second half
				continue
			}
		}
		out.Write(event[from : end-6])
		out.WriteRune(loneSurrogate + half - 0xD800)
		from = end
	}
	out.Write(event[from:])
	return out.Bytes()
}

// surrogateAt decodes the escape that ends at end.
func surrogateAt(event []byte, end int) rune {
	n, _ := strconv.ParseUint(string(event[end-4:end]), 16, 16)
	return rune(n)
}

// join rejoins the halves of characters; a half at the end of the piece is held back.
func (p *pieces) join(piece string) string {
	if p.held == "" && !strings.ContainsRune(piece, utf8.RuneError) && strings.IndexFunc(piece, isHalf) < 0 {
		return piece
	}
	text := []rune(p.held + piece)
	p.held = ""
	var out []byte
	whole := 0 // length of out without an incomplete character
	for i := 0; i < len(text); i++ {
		switch r := text[i]; {
		case isByte(r):
			if out = append(out, byte(r)); utf8.FullRune(out[whole:]) {
				whole = len(out)
			}
			continue
		case isSurrogate(r) && i+1 == len(text) && r < loneSurrogate+0x400:
			p.held = string(r)
		case isSurrogate(r) && i+1 < len(text) && isSurrogate(text[i+1]):
			i++
			out = utf8.AppendRune(out, utf16.DecodeRune(r-loneSurrogate+0xD800, text[i]-loneSurrogate+0xD800))
		case isSurrogate(r):
			out = utf8.AppendRune(out, utf8.RuneError)
		default:
			out = utf8.AppendRune(out, r)
		}
		whole = len(out)
	}
	for _, b := range out[whole:] {
		p.held += string(loneByte + rune(b))
	}
	return strings.ToValidUTF8(string(out[:whole]), "\uFFFD")
}

func isByte(r rune) bool      { return r >= loneByte+0x80 && r <= loneByte+0xFF }
func isSurrogate(r rune) bool { return r >= loneSurrogate && r < loneSurrogate+0x800 }
func isHalf(r rune) bool      { return isByte(r) || isSurrogate(r) }

// rest replaces the half of a character whose other half never came.
func (p *pieces) rest() string {
	if p.held == "" {
		return ""
	}
	p.held = ""
	p.text.WriteString("\uFFFD")
	return "\uFFFD"
}
