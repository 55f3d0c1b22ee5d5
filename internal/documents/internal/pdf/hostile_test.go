package pdf

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/internal/documents/format/formattest"
)

func deflate(t testing.TB, data []byte) string {
	t.Helper()
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	_, err := w.Write(data)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.String()
}

func TestDamagedFilesAreReadAsFarAsTheyGo(t *testing.T) {
	whole := page(at(50, 700, "still here"), helvetica)
	damage := map[string]func([]byte) []byte{
		"no cross-references": func(b []byte) []byte { return b[:bytes.Index(b, []byte("xref"))] },
		"wrong offsets": func(b []byte) []byte {
			return bytes.Replace(b, []byte("%PDF-1.7\n"), []byte("%PDF-1.7\n%padding\n"), 1)
		},
		"something in front": func(b []byte) []byte { return append([]byte("HTTP/1.1 200 OK\r\n\r\n"), b...) },
		"something behind":   func(b []byte) []byte { return append(b, bytes.Repeat([]byte{0}, 5000)...) },
		"no length": func(b []byte) []byte {
			return bytes.ReplaceAll(b, []byte("/Length"), []byte("/Lenght"))
		},
		"wrong length": func(b []byte) []byte {
			return bytes.Replace(b, []byte("/Length "), []byte("/Length 9"), 1)
		},
		"no ends of objects": func(b []byte) []byte {
			return bytes.ReplaceAll(b, []byte("endobj"), []byte("      "))
		},
		"no trailer": func(b []byte) []byte {
			return bytes.Replace(b, []byte("trailer"), []byte("tralier"), 1)
		},
		"no type of the catalog": func(b []byte) []byte {
			return bytes.Replace(b, []byte("/Type/Catalog"), []byte("/Typo/Catalog"), 1)
		},
		"no catalog": func(b []byte) []byte {
			return bytes.Replace(b, []byte("1 0 obj"), []byte("1 0 jbo"), 1)
		},
		"no tree of pages": func(b []byte) []byte {
			return bytes.Replace(b, []byte("/Kids[3 0 R]"), []byte("/Kids[9 0 R]"), 1)
		},
		"no end": func(b []byte) []byte { return b[:bytes.Index(b, []byte("endstream"))] },
		"a reference to itself": func(b []byte) []byte {
			return bytes.Replace(b, []byte("/MediaBox[0 0 600 800]"), []byte("/MediaBox 3 0 R       "), 1)
		},
		"ends of lines of others": func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")) },
	}
	for name, f := range damage {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, "still here\n", textOf(t, f(bytes.Clone(whole))))
		})
	}
}

func TestADamagedPageCostsThatPageOnly(t *testing.T) {
	good := stream("", at(50, 700, "good"))
	data := build(
		"<</Type/Catalog/Pages 2 0 R>>",
		"<</Type/Pages/Kids[3 0 R 4 0 R 5 0 R]/Count 3/MediaBox[0 0 600 800]/Resources<</Font<</F1 6 0 R>>>>>>",
		"<</Type/Page/Contents 7 0 R>>", "<</Type/Page/Contents 8 0 R>>", "<</Type/Page/Contents 9 0 R>>",
		helvetica, good, stream("/Filter/FlateDecode", "this is not packed"), good,
	)
	doc, err := formattest.Convert(t.Context(), Convert, "x.pdf", data)
	require.NoError(t, err)
	require.Len(t, doc.Parts, 3)
	assert.Equal(t, "good\n", doc.Parts[2].Text)
	require.Len(t, doc.Notes, 1)
	assert.Equal(t, "page 2 could not be read completely: its content is damaged or cut off", doc.Notes[0])
}

func TestHostileFilesEnd(t *testing.T) {
	catalog := "<</Type/Catalog/Pages 2 0 R>>"
	fan := make([]string, 0, 40) // each form draws the next one ten times
	for i := range 20 {
		fan = append(fan, stream(fmt.Sprintf("/Subtype/Form/BBox[0 0 1 1]/Resources<</XObject<</X1 %d 0 R>>>>", 7+i),
			strings.Repeat("/X1 Do ", 10)))
	}
	files := map[string][]byte{
		"empty":                   {},
		"a header":                []byte("%PDF-1.7\n"),
		"not a PDF":               []byte(strings.Repeat("lorem ipsum ", 1000)),
		"a tree that is a circle": build(catalog, "<</Type/Pages/Kids[2 0 R 3 0 R]>>", "<</Type/Pages/Kids[2 0 R]>>"),
		"a page a million times": build(
			catalog, "<</Type/Pages/Kids["+strings.Repeat("3 0 R ", 1<<18)+"]>>", "<</Type/Page>>"),
		"deep arrays":           page(strings.Repeat("[", 1<<18), helvetica),
		"deep dictionaries":     page(strings.Repeat("<</A", 1<<18), helvetica),
		"an object of brackets": build(catalog, strings.Repeat("<<[", 1<<17)),
		"saved states":          page(strings.Repeat("q ", 1<<18), helvetica),
		"an open string":        page("("+strings.Repeat("(", 1<<18), helvetica),
		"many operands":         page(strings.Repeat("1 ", 1<<18)+" Tj", helvetica),
		"forms without end":     page("/X1 Do", helvetica, fan...),
		"a form in itself":      page("/X1 Do", helvetica, stream("/Subtype/Form/BBox[0 0 1 1]", "/X1 Do /X1 Do")),
		"a bomb": page("/X1 Do", helvetica, stream(
			"/Subtype/Form/Filter[/FlateDecode/FlateDecode]", deflate(t, []byte(deflate(t, make([]byte, 200<<20)))))),
		"a bomb of content": build(catalog, "<</Type/Pages/Kids[3 0 R]>>", "<</Type/Page/Contents 4 0 R>>",
			stream("/Filter[/FlateDecode/FlateDecode]",
				deflate(t, []byte(deflate(t, bytes.Repeat([]byte("[()"), 25<<20)))))),
		"a length that is itself": build(catalog, "<</Type/Pages/Kids[3 0 R]>>", "<</Type/Page/Contents 4 0 R>>",
			"<</Length 4 0 R>>\nstream\nBT ET\nendstream"),
		"a chain of references": build(catalog, "3 0 R", "4 0 R", "2 0 R"),
		"sections in a circle":  []byte("%PDF-1.7\nxref\n0 0\ntrailer<</Prev 9>>\nstartxref\n9\n%%EOF"),
		"a huge object number": []byte(
			"%PDF-1.7\nxref\n4000000000 1\n0000000000 00000 n \ntrailer<<>>\nstartxref\n9\n%%EOF"),
		"a code map of ranges": page(
			"BT /F1 1 Tf <00000000> Tj ET", "<</Subtype/Type0/ToUnicode 6 0 R/DescendantFonts[<<>>]>>",
			stream("", "1 beginbfrange "+strings.Repeat("<0000> <FFFFFFFF> <0041> ", 1<<16)+" endbfrange")),
		"numbers without end": page(
			"BT /F1 "+strings.Repeat("9", 5000)+" Tf 1e999 -"+strings.Repeat("9", 400)+".5 Td (x) Tj ET", helvetica),
		"a row of pieces": page(func() string {
			var b strings.Builder
			for i := range 20_000 {
				fmt.Fprintf(&b, "BT /F1 .01 Tf %f %d Td (x) Tj ET ", float64(i%2000)*.3, i/2000)
			}
			return b.String()
		}(), helvetica),
	}
	for name, data := range files {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			begin := time.Now()
			_, err := formattest.Convert(t.Context(), Convert, "x.pdf", data)
			t.Log(err, time.Since(begin).Round(time.Millisecond))
			if err != nil {
				assert.NotContains(t, err.Error(), "not foreseen")
			}
		})
	}
}

func TestFilesThatAreChangedAtRandomEnd(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, name := range []string{"form.pdf", "manual-ps.pdf", "encrypted-aes-256.pdf", "world.pdf", "slides.pdf"} {
		whole := corpus(t, name)
		for range 40 {
			data := bytes.Clone(whole)
			for range 1 + random.IntN(30) {
				data[random.IntN(len(data))] = byte(random.IntN(256))
			}
			if random.IntN(3) == 0 {
				data = data[:random.IntN(len(data))]
			}
			_, err := formattest.Convert(t.Context(), Convert, name, data)
			if err != nil {
				assert.NotContains(t, err.Error(), "not foreseen", name)
			}
		}
	}
}

func FuzzConvert(f *testing.F) {
	f.Add(page(at(50, 700, "text")+"/X1 Do", helvetica, stream("/Subtype/Form/BBox[0 0 1 1]", "(x) Tj"),
		"[<</Subtype/Widget/V(v)/Rect[0 0 9 9]>>]"))
	f.Add(page("BT /F1 10 Tf [(a)-300<41>] TJ T* (b) ' ET BI ID x EI",
		"<</Subtype/Type0/Encoding/UniJIS-UCS2-H/DescendantFonts[<</W[1[500]2 9 3]>>]/ToUnicode 6 0 R>>",
		stream("", "1 beginbfrange <00> <ff> <0041> endbfrange 1 begincodespacerange <00> <ff> endcodespacerange")))
	f.Add(page("BT /F1 10 Tf (AB) Tj ET",
		"<</Subtype/Type1/Encoding<</Differences[65/a66/uni0041]>>/FontDescriptor<</FontFile 6 0 R>>>>",
		stream("", "%!PS /Encoding 256 array dup 65 /A put readonly def")))
	f.Fuzz(func(t *testing.T, data []byte) {
		out := &limited{left: 1 << 20}
		err := Convert(t.Context(), format.Source{Bytes: bytes.NewReader(data), Size: int64(len(data))}, out)
		require.NotContains(t, fmt.Sprint(err), "not foreseen")
		for _, note := range out.notes {
			require.NotContains(t, note, "not foreseen")
		}
	})
}

// limited is an output with a limit suitable for a test.
type limited struct {
	failing
	left  int
	notes []string
}

func (l *limited) Write(p []byte) (int, error) {
	if l.left -= len(p); l.left < 0 {
		return 0, format.ErrTooLarge
	}
	return len(p), nil
}

func (l *limited) Note(text string) error {
	l.notes = append(l.notes, text)
	return nil
}
