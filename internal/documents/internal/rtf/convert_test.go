package rtf

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/documents/format/formattest"
	"github.com/gorlm/rlm/internal/documents/internal/golden"
)

func TestFiles(t *testing.T) { golden.Files(t, Convert, ".rtf") }

func TestWhatIsShown(t *testing.T) {
	const fonts = `{\fonttbl{\f0\fcharset0 Times;}{\f1\fcharset204 Times CYR;}{\f2\fcharset128 MS Mincho;}{\f3\fcharset2 Symbol;}{\f4\fcharset161 Greek;}}`
	for _, c := range []struct{ name, body, want string }{
		{"signs", `a\tab b\line c\emdash d\~e\_f\-g \{\\\}\par`, "a\tb\nc—d\u00A0e-fg {\\}\n"},
		{"bytes", `caf\'e9 {\f1 \'cc\'e0\'ff\'ea} {\f2 \'93\'fa\'83A} {\f3 \'61} {\f4\'e1}\par`, "café Маяк 日ア α α\n"},
		{"unicode", `\u26085?\u26412?{\uc2 \u233\'c3\'a9}{\uc0\u233}x \u-10179?\u-8704?\par`, "日本ééx 😀\n"},
		{"hidden", `a{\v no}b{\deleted no}c{\*\unknown no}d{\pict 0102}e{\xe no}\par`, "abcde\n"},
		{"binary", "a{\\*\\x\\bin5 }}}}}}b\\par", "ab\n"},
		{"link", `{\field{\*\fldinst{HYPERLINK "https://e.org" }}{\fldrslt{\ul here}}} {\field{\*\fldinst DATE}{\fldrslt 1 May}}\par`, "[here](https://e.org) 1 May\n"},
		{
			"footnote and comment", `text{\super\chftn}{\footnote\pard\plain {\super\chftn} a note\par}{\*\atnid A}{\*\atnauthor Ann}\chatn{\*\annotation\pard why?} more\par`,
			"text[^1][^c1] more\n\n[^1]: a note\n\n[^c1]: Comment by Ann: why?\n",
		},
		{
			"table", `\trowd\cellx100\cellx200\pard\intbl Name\cell Sum|x\cell\row\trowd\pard\intbl A\par B\cell 1\cell\row\pard after\par`,
			"| Name | Sum\\|x |\n| --- | --- |\n| A<br>B | 1 |\n\nafter\n",
		},
		{"list", `{\listtext\pard\plain 1.\tab}\pard\ls1\ilvl0 one\par{\listtext\pard\plain\f3\'b7\tab}\pard\ls2\ilvl1 dot\par`, "1. one\n   - dot\n"},
		{
			"heading by style", `{\stylesheet{\s5 heading 2;}{\s6\outlinelevel0 Mine;}}\pard\s5 Two\par\pard\s6 One\par`,
			"## Two\n\n# One\n",
		},
		{"raised", `10{\super 6}H{\sub 2}O\par`, "10⁶H₂O\n"},
		{"header and footer", `{\header Top {\field{\*\fldinst PAGE}{\fldrslt 7}}\par}{\footer Bottom\par}text\par{\header Top \par}`, "Header: Top\n\ntext\n\nFooter: Bottom\n"},
		{"choice", `{\upr{ansi}{\*\ud{\u26085?}}} {\object{\*\objdata 00}{\result{shown}}}\par`, "日 shown\n"},
		{"box", `a{\shp{\*\shpinst{\sp{\sn x}{\sv y}}{\shptxt\pard boxed\par}}}\par`, "a\n\nboxed\n"},
		{"cut off", `half {\b a text`, "half a text\n"},
		{"raised by a distance", `x{\up8 2} + H{\dn2 2}O {\up8 3\up0 3}`, "x² + H₂O ³3\n"},
		{"dates that nobody knows", `{\info{\author Ann}{\creatim\yr0\mo0\dy0\hr0\min0}}x\par`, "Author: Ann\n\nx\n"},
		{
			"head", `{\info{\title A \'e9}{\author Ann}{\operator Bob}{\creatim\yr2025\mo3\dy1\hr9\min5}}x\par`,
			"Title: A é\nAuthor: Ann\nCreated: 2025-03-01 09:05\n\nx\n",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc, err := formattest.Convert(
				context.Background(), Convert, "a.rtf", []byte(`{\rtf1\ansi\ansicpg1252\deff0`+fonts+"\n"+c.body+"}"))
			require.NoError(t, err)
			require.Equal(t, c.want, doc.Text)
		})
	}
	doc, err := formattest.Convert(context.Background(), Convert, "a.rtf",
		[]byte(`{\rtf1 a{\object\objemb{\*\objclass Equation.3}{\*\objdata 01}{\result{\pict 01}}}{\object{\*\objclass Package}{\*\objdata 01}}b\par}`))
	require.NoError(t, err)
	require.Equal(t, "ab\n", doc.Text)
	require.Equal(t, []string{"equations left out because they are pictures: 1"}, doc.Notes)
	_, err = formattest.Convert(context.Background(), Convert, "a.rtf", []byte("no"))
	require.ErrorContains(t, err, "not RTF")
}

func TestHostile(t *testing.T) {
	for name, body := range map[string]string{
		"deep groups": strings.Repeat("{", 100_000),
		"many ends":   strings.Repeat("}", 100_000),
		"deep notes":  strings.Repeat(`{\footnote x`, 1500),
		"long word":   `\` + strings.Repeat("a", 1<<20),
		"long number": `\u` + strings.Repeat("9", 1<<20),
		"long skip":   `\uc99999999\u65?` + strings.Repeat("x", 1000),
		"binary":      `\bin2147483647 x`,
		"links":       strings.Repeat(`{\field{\*\fldinst HYPERLINK "https://e.org"}{\fldrslt x}}`, 20_000),
		"deep links":  strings.Repeat(`{\field{\*\fldinst HYPERLINK "https://e.org"}{\fldrslt x`, 600),
		"cells":       strings.Repeat(`\cell`, 100_000),
	} {
		t.Run(name, func(t *testing.T) {
			doc, _ := formattest.Convert(context.Background(), Convert, "a.rtf", []byte(`{\rtf1 `+body))
			require.Less(t, len(doc.Text), 8<<20)
		})
	}
}

func FuzzConvert(f *testing.F) {
	f.Add(`{\fonttbl{\f0\fcharset128 x;}}\trowd\intbl a\cell\row\pard\u233?\'e9{\footnote x}{\field{\*\fldinst HYPERLINK x}{\fldrslt y}}\par`)
	f.Fuzz(func(t *testing.T, body string) {
		doc, _ := formattest.Convert(context.Background(), Convert, "a.rtf", []byte(`{\rtf1`+body))
		require.LessOrEqual(t, len(doc.Text), 4096+300*len(body), "what %d bytes became", len(body))
	})
}
