// Package guess guesses the encoding of a text that is not Unicode, by statistics.
package guess

import (
	"cmp"
	"slices"

	"github.com/gogs/chardet"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
)

// fewBytes is the least number of bytes beyond ASCII for which statistics count.
const fewBytes = 24

// Charset is an encoding other than UTF-8.
type Charset struct {
	Name     string
	Encoding encoding.Encoding
}

// Remark explains to people that an encoding was guessed. It is empty for multi-byte encodings: hardly any text in
// another encoding is valid in them.
func (c Charset) Remark() string {
	if _, single := c.Encoding.(*charmap.Charmap); !single {
		return ""
	}
	return "encoding guessed: " + c.Name
}

// singles are single-byte encodings, the commonest first: those of Western Europe, then those of Russian, whose
// words are entirely beyond ASCII, then those of other languages.
var singles = []Charset{
	{"windows-1252", charmap.Windows1252},
	{"cp850", charmap.CodePage850},
	{"cp437", charmap.CodePage437},
	{"macintosh", charmap.Macintosh},
	{"windows-1251", charmap.Windows1251},
	{"cp866", charmap.CodePage866},
	{"koi8-r", charmap.KOI8R},
	{"windows-1250", charmap.Windows1250},
	{"cp852", charmap.CodePage852},
}

// westerns is how many of singles are for Western Europe.
const westerns = 4

// Of guesses the encoding of a text that is not Unicode from a sample of it: the result of statistics if that
// reaches the confidence (out of 100), otherwise windows-1252. If this encoding puts letters and signs where nobody
// writes them, Of prefers one that does not, such as one of DOS or old Macs, which the statistics do not cover.
func Of(sample []byte, confidence int) Charset {
	c := singles[0]
	high := 0
	for _, b := range sample {
		if b >= 0x80 {
			high++
		}
	}
	if high >= fewBytes { // statistics mislead with few characters
		if enc, err := htmlindex.Get(statistics(sample, confidence)); err == nil { // no encoding has the empty name
			if name, err := htmlindex.Name(enc); err == nil && name != "utf-8" && name != "replacement" {
				c = Charset{name, enc}
			}
		}
	}
	return c.orBetter(sample)
}

// DOS guesses the encoding of names: the code page of DOS (cp437), unless another one fits them much better.
func DOS(names []byte) Charset { return Charset{"cp437", charmap.CodePage437}.orBetter(names) }

// orBetter returns c, or an encoding that fits a sample unmistakably better.
func (c Charset) orBetter(sample []byte) Charset {
	least, _, all := c.misplaced(sample)
	if least*5 < all || least == 0 {
		return c
	}
	best := c
	for _, other := range singles {
		if bad, good, all := other.misplaced(sample); bad < least && bad*20 <= all && good*2 >= all {
			best, least = other, bad
		}
	}
	return best
}

// first are the encodings that win ties, the commonest first.
var first = []string{"windows-1252", "ISO-8859-1", "windows-1251"}

// statistics returns the name of the likeliest encoding of a text, judging by its beginning; empty if none reaches
// the confidence. The result is deterministic: the detector runs its recognizers concurrently, and its own choice
// among equally likely ones is the first to answer.
func statistics(sample []byte, confidence int) string {
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
