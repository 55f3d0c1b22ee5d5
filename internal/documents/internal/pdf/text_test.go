package pdf

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/internal/documents/format/formattest"
)

func TestTextOfAPage(t *testing.T) {
	tests := map[string]struct{ content, want string }{
		"drawn in any order": {
			at(50, 700, "second line") + at(50, 720, "first line"), "first line\nsecond line\n",
		},
		"spaces by position":       {"BT /F1 10 Tf 50 700 Td [(one)-300(two)-20(s)] TJ ET", "one twos\n"},
		"twice for boldness":       {at(50, 700, "bold") + "BT /F1 10 Tf 50.3 700 Td (bold) Tj ET", "bold\n"},
		"letters that are doubled": {at(50, 700, "aabbcc oo"), "aabbcc oo\n"},
		"invisible":                {"3 Tr " + at(50, 700, "scanned"), "scanned\n"},
		"raised":                   {"BT /F1 10 Tf 50 700 Td (x) Tj 4 Ts /F1 6 Tf (2) Tj ET", "x2\n"},
		"turned": {
			"BT /F1 10 Tf 0 1 -1 0 100 300 Tm (upwards) Tj ET\n" + at(50, 700, "level"), "level\n\nupwards\n",
		},
		"outside of the page": {at(50, 700, "in") + at(5000, 700, "out"), "in\n"},
		"a word at a line end": {at(50, 700, "an inter-") + at(50, 688, "national word") + at(50, 676, "X-") +
			at(50, 664, "ray"), "an international\nword\nX-\nray\n"},
		"paragraphs": {
			at(50, 700, "one") + at(50, 688, "two") + at(50, 676, "three") + at(50, 650, "four") + at(50, 638, "five"),
			"one\ntwo\nthree\n\nfour\nfive\n",
		},
		"a table": {
			at(50, 700, "Light") + at(200, 700, "2022") + at(300, 700, "2023") +
				at(50, 685, "Gull | Rock") + at(300, 685, "1,234.50") +
				at(50, 670, "Far Banks") + at(200, 670, "7") + at(300, 670, "-0.5"),
			"| Light | 2022 | 2023 |\n|---|---|---|\n| Gull \\| Rock |  | 1,234.50 |\n| Far Banks | 7 | -0.5 |\n",
		},
		"a list": {
			at(50, 700, "1.") + at(80, 700, "first") + at(50, 688, "2.") + at(80, 688, "second") + at(50, 676, "3.") +
				at(80, 676, "third"),
			"1.   first\n2.   second\n3.   third\n",
		},
		"what it stands for": {"/Span <</ActualText (fi)>> BDC " + at(50, 700, "@") + " EMC", "fi\n"},
		"what unknown letters stand for": {
			"/Span <</ActualText (ffi)>> BDC BT /F1 10 Tf 50 700 Td (\\001) Tj ET EMC", "ffi\n",
		},
		"spaces that are drawn over": {"BT /F1 10 Tf 50 700 Td [(P )278(reface )-300( x)] TJ ET", "Preface x\n"},
		"an image among it":          {"BI /W 1 /H 1 ID \x00 (EI) Tj EI\n" + at(50, 700, "after"), "after\n"},
		"a broken operator":          {at(50, 700, "before") + "] >> ( Tj Td [ [ ", "before\n"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, test.want, textOf(t, page(test.content, helvetica)))
		})
	}
}

func TestColumnsAreReadOneAfterTheOther(t *testing.T) {
	for name, shift := range map[string]int{"lines of the same height": 0, "lines of different heights": 5} {
		t.Run(name, func(t *testing.T) {
			var content, want strings.Builder
			content.WriteString(at(50, 750,
				"A title that runs across the columns of the page, from its left to its right edge, all of it"))
			want.WriteString("A title that runs across the columns of the page, from its left to its right edge, all of it\n\n")
			for column, x := range []int{50, 310} {
				if column > 0 {
					want.WriteString("\n")
				}
				for line := range 20 {
					text := fmt.Sprintf("column %d has a line %02d with many more words", column, line)
					content.WriteString(at(x, 720-12*line-column*shift, text))
					want.WriteString(text + "\n")
				}
			}
			assert.Equal(t, want.String(), textOf(t, page(content.String(), helvetica)))
		})
	}
}

// Even if a font gives the markers of a list no known character, their text is a list, not a table.
func TestListsWithSignsOfSymbolFonts(t *testing.T) {
	font := "<</Type/Font/Subtype/Type0/BaseFont/X/Encoding/UniJIS-UCS2-H/DescendantFonts[<</Subtype/CIDFontType0/DW 500>>]>>"
	var content string
	for i, letter := range "abc" {
		content += fmt.Sprintf("BT /F1 10 Tf 50 %d Td <F095> Tj 30 0 Td <%04X> Tj ET\n", 700-12*i, letter)
	}
	assert.Equal(t, "\uF095   a\n\uF095   b\n\uF095   c\n", textOf(t, page(content, font)))
}

// A table is above two columns and a heading below them, and the gap between the columns extends through both.
func TestTablesAndHeadingsBesideColumnsAreNotCut(t *testing.T) {
	var content, columns strings.Builder
	content.WriteString(at(50, 760,
		"What boats pay in the harbour, and what is asked of those who stay for more than one night"))
	table := [][]string{
		{"Kind", "Length", "Summer", "Winter"},
		{"Dinghy", "3.20", "14.50", "9.75"},
		{"Cutter", "11.80", "88.00", "61.25"},
	}
	for i, cells := range table {
		for j, cell := range cells {
			content.WriteString(at(50+130*j, 730-12*i, cell))
		}
	}
	content.WriteString(at(50, 680, "Conduct"))
	for column, x := range []int{50, 310} {
		for line := range 10 {
			text := fmt.Sprintf("column %d has a line %02d with many more words", column, line)
			content.WriteString(at(x, 668-12*line, text))
			columns.WriteString(text + "\n")
		}
		columns.WriteString("\n")
	}
	content.WriteString(at(50, 530, "Languages") + at(
		50, 518, "Every boat is greeted in the language of its harbour, and in that of ours where that is not known"))
	assert.Equal(t, "What boats pay in the harbour, and what is asked of those who stay for more than one night\n\n"+
		"| Kind | Length | Summer | Winter |\n|---|---|---|---|\n| Dinghy | 3.20 | 14.50 | 9.75 |\n| Cutter | 11.80 | 88.00 | 61.25 |\n\n"+
		"Conduct\n\n"+columns.String()+
		"Languages\nEvery boat is greeted in the language of its harbour, and in that of ours where that is not known\n",
		textOf(t, page(content.String(), helvetica)))
}

func TestFontsSayWhatTheirCodesMean(t *testing.T) {
	toUnicode := stream("", "1 begincodespacerange <00> <ff> endcodespacerange 2 beginbfchar <41> <00660066> <42> <D83DDE00> endbfchar "+
		"1 beginbfrange <43> <45> <0391> endbfrange")
	composite := func(encoding string) string {
		return "<</Type/Font/Subtype/Type0/BaseFont/X/Encoding/" + encoding +
			"/DescendantFonts[<</Type/Font/Subtype/CIDFontType2/DW 1000/CIDSystemInfo<</Ordering(X)>>>>]>>"
	}
	mapped := strings.TrimSuffix(composite("Identity-H"), ">>") + "/ToUnicode 6 0 R>>"
	notEmbedded := func(widths string) string {
		return "<</Subtype/Type0/Encoding/Identity-H/DescendantFonts[<</Subtype/CIDFontType2/BaseFont/Arial/" + widths +
			">>]>>"
	}
	collection := func(ordering, encoding string) string {
		return strings.Replace(composite(encoding), "(X)", "("+ordering+")/Registry(Adobe)/Supplement 2", 1)
	}
	tests := map[string]struct {
		font, shown, want string
		more              []string
	}{
		"differences": {
			font:  "<</Subtype/Type1/BaseFont/X/Encoding<</Differences[65/fi/Euro/uni03A9/f_f_l/one.oldstyle/a70]>>>>",
			shown: "(ABCDEF)", want: "fi€Ωffl1F",
		},
		"to unicode": {
			font: "<</Subtype/Type1/BaseFont/X/ToUnicode 6 0 R>>", shown: "(ABCDE)",
			want: "ff😀ΑΒΓ", more: []string{toUnicode},
		},
		"old style": {
			font: "<</Subtype/Type1/BaseFont/X/Encoding<</Differences[65/threeoldstyle/Bsmall/trianglerightsld/mapsto]>>>>", shown: "(ABCD)", want: "3B▶↦",
		},
		"symbol": {font: "<</Subtype/Type1/BaseFont/Symbol>>", shown: "(abg)", want: "αβγ"},
		"mac": {
			font: "<</Subtype/Type1/BaseFont/X/Encoding/MacRomanEncoding>>", shown: "(\x8a\x9f)", want: "äü",
		},
		"type 3": {
			font: "<</Subtype/Type3/FontMatrix[.01 0 0 .01 0 0]/FontBBox[0 0 100 100]/FirstChar 65/Widths[50 50]/Encoding<</Differences[65/X/a66]>>>>", shown: "(AB)", want: "XB",
		},
		"Chinese":      {font: composite("UniGB-UCS2-H"), shown: "<4E2D6587>", want: "中文"},
		"Chinese GBK":  {font: composite("GBK-EUC-H"), shown: "<D6D0CEC4>", want: "中文"},
		"Japanese":     {font: composite("90ms-RKSJ-H"), shown: "<93FA967B41>", want: "日本A"},
		"Korean":       {font: composite("KSCms-UHC-H"), shown: "<C7D1B1B9>", want: "한국"},
		"Chinese Big5": {font: composite("ETen-B5-H"), shown: "<A4A4A4E5>", want: "中文"},
		"Japanese JIS": {font: composite("H"), shown: "<467C4B5C>", want: "日本"},
		"UTF-16": {
			font: composite("UniJIS-UTF16-H"), shown: "<65E5672CD83DDE00>", want: "日本😀",
		},
		"Chinese of seven bits": {font: composite("GB-H"), shown: "<56504E44>", want: "中文"},
		"Korean of seven bits":  {font: composite("KSC-H"), shown: "<47513139>", want: "한국"},
		"Japan1": {
			font: collection("Japan1", "Identity-H"), shown: "<0CD40E8A094E>", want: "日本縦",
		},
		"Japan1 downwards": {
			font: collection("Japan1", "Identity-V"), shown: "<0CD40E8A094E>", want: "日本縦",
		},
		"Japan1 by a name of its own": {
			font: collection("Japan1", "Adobe-Japan1-2"), shown: "<0CD40E8A094E>", want: "日本縦",
		},
		"GB1":  {font: collection("GB1", "Identity-H"), shown: "<11CF0ED3>", want: "中文"},
		"CNS1": {font: collection("CNS1", "Identity-H"), shown: "<029502D6>", want: "中文"},
		"CNS1 with signs of vertical lines": {
			font: collection("CNS1", "Identity-H"), shown: "<008202950083>", want: "(中)",
		},
		"Korea1": {
			font: collection("Korea1", "Identity-H"), shown: "<0CE004B4>", want: "한국",
		},
		"KR": {font: collection("KR", "Identity-H"), shown: "<0B130161>", want: "한국"},
		"numbered as in fonts of Windows": {
			font: notEmbedded("W[3[278] 36[667 667 722] 87[278]]"), shown: "<00240057>", want: "At",
		},
		"numbered by Unicode": {
			font: notEmbedded("W[32[278] 65[667 667 722] 116[278]]"), shown: "<00410074>", want: "At",
		},
		"ranges that count from zero": {
			font: mapped, shown: "<0041004201510061>", want: "ABőa", more: []string{
				stream("", "1 begincodespacerange <0000> <ffff> endcodespacerange 2 beginbfrange <0000> <00ff> <0000> <0100> <01ff> <0100> endbfrange"),
			},
		},
		"a simple font that counts from zero": {
			font: "<</Subtype/TrueType/BaseFont/X/Encoding<</Differences[65/g1]>>/ToUnicode 6 0 R>>", shown: "(A\\351)",
			want: "Aé", more: []string{
				stream("", "1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfrange <00> <ff> <0000> endbfrange"),
			},
		},
		"mapped to zero": {
			font: "<</Subtype/TrueType/BaseFont/X/ToUnicode 6 0 R>>", shown: "(ABCD)", want: "AxCy",
			more: []string{
				stream("", "3 beginbfchar <41> <0000> <42> <00780000> <43> <FFFD> endbfchar 2 beginbfrange <41> <41> <0000> <44> <44> [<0079>] endbfrange"),
			},
		},
		"ranges that overlap": {font: mapped, shown: "<00410042004300440045>", want: "AbCxE", more: []string{
			stream("", "3 beginbfrange <0000> <00ff> <0000> <0042> <0042> <0062> <0044> <0044> [<0078>] endbfrange"),
		}},
		"own code page": {font: "<</Subtype/Type0/Encoding 6 0 R/ToUnicode 7 0 R/DescendantFonts[<</Subtype/CIDFontType0/W[1[500 500]]>>]>>", shown: "<0141>", want: "é!", more: []string{
			stream("", "1 begincodespacerange <00> <ff> endcodespacerange 1 begincidrange <00> <ff> 0 endcidrange"),
			stream("", "2 beginbfchar <01> <00E9> <41> <0021> endbfchar"),
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			data := page("BT /F1 10 Tf 50 700 Td "+test.shown+" Tj ET", test.font, test.more...)
			assert.Equal(t, test.want+"\n", textOf(t, data))
		})
	}
}

func TestPresentationFormsBecomeLettersAndOtherSignsStay(t *testing.T) {
	for shown, want := range map[string]string{
		"FB01": "fi", "FB04": "ffl", "00B2": "²", "00BD": "½", "2460": "①",
		"FF21": "Ａ", "2F00": "一", "F0B7": "•", "00AD": "-",
	} {
		font := "<</Subtype/Type0/Encoding/UniJIS-UCS2-H/DescendantFonts[<</Subtype/CIDFontType0>>]>>"
		assert.Equal(t, want+"\n", textOf(t, page("BT /F1 10 Tf 50 700 Td <"+shown+"> Tj ET", font)))
	}
}

func TestTextFromRightToLeftIsInItsOrder(t *testing.T) {
	font := "<</Subtype/Type0/Encoding/UniJIS-UCS2-H/DescendantFonts[<</Subtype/CIDFontType0/DW 1000>>]>>"
	hex := func(s string) string {
		var b strings.Builder
		for _, r := range s {
			fmt.Fprintf(&b, "%04X", r)
		}
		return "<" + b.String() + ">"
	}
	for seen, want := range map[string]string{
		"םולש":              "שלום",
		"(םולש) 12.5 בא":    "אב 12.5 (שלום)",
		"ﺎﺒﺣﺮﻣ":             "مرحبا",
		"see םולש now and.": "see שלום now and.",
	} {
		data := page("BT /F1 10 Tf 50 700 Td "+hex(seen)+" Tj ET", font)
		assert.Equal(t, want+"\n", textOf(t, data), seen)
	}
}

func TestMarksGoToTheirLetters(t *testing.T) {
	font := "<</Subtype/Type0/Encoding/Identity-H/DescendantFonts[<</Subtype/CIDFontType2/DW 500/W[2[0 0] 5[0 500]]>>]/ToUnicode 6 0 R>>"
	names := stream("", "1 begincodespacerange <0000> <ffff> endcodespacerange 6 beginbfchar <0001> <05DE> <0002> <05B4> <0003> <0301> <0004> <0065> <0005> <0308> "+
		"<0006> <0932> endbfchar")
	for shown, want := range map[string]string{
		"<00020001>": "מִ", // in left-to-right order, the vowel comes first
		"<00040003>": "é", "<0004000500040003>": "ëé",
	} {
		assert.Equal(t, want+"\n", textOf(t, page("BT /F1 10 Tf 50 700 Td "+shown+" Tj ET", font, names)))
	}
}

func TestWhatLiesOnAPageIsReadToo(t *testing.T) {
	data := build(
		"<</Type/Catalog/Pages 2 0 R/PageLabels<</Nums[0<</S/r>>1<</P(A-)/S/D>>]>>/Names<</EmbeddedFiles<</Names[(x)<</UF(data.csv)/EF<</F 9 0 R>>>>]>>>>"+
			"/OCProperties<</D<</OFF[10 0 R]>>>>>>",
		"<</Type/Pages/Kids[3 0 R 11 0 R]/Count 2/MediaBox[0 0 600 800]/Resources<</Font<</F1 4 0 R>>/XObject<</X1 6 0 R>>/Properties<</L 10 0 R>>>>>>",
		"<</Type/Page/Parent 2 0 R/Contents 5 0 R/Annots[7 0 R 8 0 R 12 0 R]>>",
		helvetica,
		stream("", at(50, 700, "page")+"q 1 0 0 1 0 -20 cm /X1 Do Q /OC /L BDC "+at(50, 600, "switched off")+" EMC"),
		stream("/Type/XObject/Subtype/Form/BBox[0 0 600 800]", at(50, 700, "form")+"/X1 Do"),
		"<</Subtype/Widget/FT/Tx/V(value)/Rect[50 500 200 515]>>",
		"<</Subtype/Text/Contents(Is this right?)/T(Ada)/Rect[0 0 10 10]>>",
		stream("", "a,b"),
		"<</Type/OCG/Name(hidden)>>",
		"<</Type/Page/Parent 2 0 R/Rotate 90/Contents 13 0 R>>",
		"<</Subtype/Widget/Parent<</V(inherited)>>/Rect[50 400 200 415]>>",
		stream("", "BT /F1 10 Tf 0 1 -1 0 100 300 Tm (level when looked at) Tj ET"),
	)
	doc, err := formattest.Convert(t.Context(), Convert, "x.pdf", data)
	require.NoError(t, err)
	require.Len(t, doc.Parts, 2)
	assert.Equal(t, format.Part{Kind: format.Page, Number: 1, Name: "i"}, doc.Parts[0].Part)
	assert.Equal(t, "A-1", doc.Parts[1].Name)
	assert.Equal(t, "page\nform\n\nvalue\ninherited\n\n[Comment by Ada: Is this right?]\n",
		strings.TrimRight(doc.Parts[0].Text, "\n")+"\n")
	assert.Equal(t, "level when looked at\n", doc.Parts[1].Text)
	require.Len(t, doc.Members, 1)
	assert.Equal(t, "data.csv a,b", doc.Members[0].Path+" "+string(doc.Members[0].Bytes))
}

func TestTheHeadSaysWhatTheDocumentSaysOfItself(t *testing.T) {
	data := page(at(50, 700, "text"), helvetica,
		"<</Title<FEFF00DC0062006500720020D83DDE00>/Author(A \\234 B)/CreationDate(D:20240131123000+01'00')>>")
	data = []byte(strings.Replace(string(data), "/Root 1 0 R", "/Root 1 0 R/Info 6 0 R", 1))
	doc, err := formattest.Convert(t.Context(), Convert, "x.pdf", data)
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"Title": "Über 😀", "Author": "A œ B", "Created": "2024-01-31 12:30:00 +01:00"},
		doc.Meta)
}
