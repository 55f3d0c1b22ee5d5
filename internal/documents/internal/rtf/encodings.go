package rtf

import (
	"slices"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"

	"github.com/gorlm/rlm/internal/documents/internal/charset"
)

// symbolCode stands for fonts whose bytes are signs and not letters.
const symbolCode = -2

// codePage is the encoding of a Windows code page; an unknown one is that of Western Europe.
func codePage(n int) encoding.Encoding {
	if e := charset.CodePage(n); e != nil {
		return e
	}
	return charmap.Windows1252
}

// doubleByte says whether signs of a code page can have two bytes, the first of which is b.
func doubleByte(page int, b byte) bool {
	switch page {
	case 932:
		return b >= 0x81 && b <= 0x9F || b >= 0xE0 && b <= 0xFC
	case 936, 949, 950, 1361:
		return b >= 0x81 && b <= 0xFE
	}
	return false
}

// charsets are the code pages of fonts by their charsets.
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

// pageOf is the code page of a font by its charset; that of the document, where it does not say.
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
