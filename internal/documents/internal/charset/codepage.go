package charset

import (
	"strconv"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
)

// pages are the code pages that are not called "windows-" and their number.
var pages = [...]struct {
	number int
	name   string
}{
	{866, "ibm866"},
	{932, "shift_jis"},
	{936, "gbk"},
	{949, "euc-kr"},
	{1361, "euc-kr"},
	{950, "big5"},
	{10000, "macintosh"},
	{54936, "gb18030"},
	{65001, "utf-8"},
}

// dos are the DOS code pages that package htmlindex lacks.
var dos = [...]struct {
	number int
	page   *charmap.Charmap
}{
	{437, charmap.CodePage437},
	{850, charmap.CodePage850},
	{852, charmap.CodePage852},
	{855, charmap.CodePage855},
	{860, charmap.CodePage860},
	{862, charmap.CodePage862},
	{863, charmap.CodePage863},
	{865, charmap.CodePage865},
}

// CodePage returns the encoding with a number of Windows or DOS; nil if the number is unknown.
func CodePage(n int) encoding.Encoding {
	for _, d := range dos {
		if d.number == n {
			return d.page
		}
	}
	name := "windows-" + strconv.Itoa(n)
	for _, p := range pages {
		if p.number == n {
			name = p.name
		}
	}
	e, err := htmlindex.Get(name)
	if err != nil {
		return nil
	}
	return e
}
