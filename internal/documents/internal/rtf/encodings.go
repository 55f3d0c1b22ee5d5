package rtf

import (
	"slices"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"

	"github.com/gorlm/rlm/internal/documents/internal/charset"
)

// symbolCode marks fonts whose bytes are symbols, not letters.
const symbolCode = -2

// codePage returns the encoding of a code page; Western European if it is unknown.
func codePage(n int) encoding.Encoding {
	if e := charset.CodePage(n); e != nil {
		return e
	}
	return charmap.Windows1252
}

// doubleByte reports whether b is the first byte of a two-byte character in a code page.
func doubleByte(page int, b byte) bool {
	switch page {
	case 932:
		return b >= 0x81 && b <= 0x9F || b >= 0xE0 && b <= 0xFC
	case 936, 949, 950, 1361:
		return b >= 0x81 && b <= 0xFE
	}
	return false
}

// charsets maps the charsets of fonts to code pages.
var charsets = [...][2]int{
	{2, symbolCode},
	{77, 10000},
	{128, 932},
	{129, 949},
	{130, 949},
	{134, 936},
	{136, 950},
	{161, 1253},
	{162, 1254},
	{163, 1258},
	{177, 1255},
	{178, 1256},
	{186, 1257},
	{204, 1251},
	{222, 874},
	{238, 1250},
	{254, 437},
	{255, 850},
}

// pageOf returns the code page of a font's charset, or the document's if the charset is unknown.
func pageOf(n, document int) int {
	for _, c := range charsets {
		if c[0] == n {
			return c[1]
		}
	}
	if n == 0 && slices.Contains([]int{932, 936, 949, 950}, document) {
		return 1252 // a Western font in an East Asian document
	}
	return document
}
