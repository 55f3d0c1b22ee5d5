// Package guess determines by statistics the encoding of a text that is not Unicode.
package guess

import (
	"cmp"
	"slices"

	"github.com/gogs/chardet"
)

// first are the encodings that win ties, the commonest first.
var first = []string{"windows-1252", "ISO-8859-1", "windows-1251"}

// Encoding returns the name of the likeliest encoding of a text, judging by its beginning; empty if none reaches
// the confidence (out of 100). The result is deterministic: the detector runs its recognizers concurrently, and
// its own choice among equally likely ones is the first to answer.
func Encoding(sample []byte, confidence int) string {
	all, err := chardet.NewTextDetector().DetectAll(sample)
	if err != nil { // nothing fits
		return ""
	}
	best := slices.MinFunc(all, func(a, b chardet.Result) int {
		return cmp.Or(cmp.Compare(b.Confidence, a.Confidence), cmp.Compare(place(a.Charset), place(b.Charset)),
			cmp.Compare(a.Charset, b.Charset))
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
