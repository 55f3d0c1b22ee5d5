// Package guess tells by statistics in which encoding a text is that is not Unicode.
package guess

import (
	"cmp"
	"slices"

	"github.com/gogs/chardet"
)

// first are the encodings that win where others are as likely, the commonest first.
var first = []string{"windows-1252", "ISO-8859-1", "windows-1251"}

// Encoding is the name of the likeliest encoding of a text, by its beginning; empty if none reaches the confidence, of 100. The same bytes have
// the same encoding each time: the detector asks its recognizers at once, and where several are equally sure its own choice is the one that
// answers first.
func Encoding(sample []byte, confidence int) string {
	all, err := chardet.NewTextDetector().DetectAll(sample)
	if err != nil { // nothing fits
		return ""
	}
	best := slices.MinFunc(all, func(a, b chardet.Result) int {
		return cmp.Or(cmp.Compare(b.Confidence, a.Confidence), cmp.Compare(place(a.Charset), place(b.Charset)), cmp.Compare(a.Charset, b.Charset))
	})
	if best.Confidence < confidence {
		return ""
	}
	return best.Charset
}

func place(charset string) int {
	if i := slices.Index(first, charset); i >= 0 {
		return i
	}
	return len(first)
}
