package pdf

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/internal/documents/format/formattest"
)

func corpus(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "corpus", name))
	require.NoError(t, err)
	return data
}

// The files were written by LaTeX, LibreOffice, Chromium, groff with Ghostscript, and XeTeX.
func TestFilesOfProgramsAreReadInTheOrderOfPeople(t *testing.T) {
	tests := []struct {
		file  string
		lines []string // lines that must occur in this order
	}{
		{"article.pdf", []string{
			"Title: On the efficiency of coastal lights", "--- page 1 ---", "less than five percent.",
			"their fluctuation.", "| Light | 2021 | 2022 | 2023 |", "| Gull Rock | 310.0 | 305.7 | 422.8 |",
			"2Nights with fog were left out.", "The intensity falls with the square of the distance,", "place alone.",
			"3 Discussion",
			"--- page 2 ---", "References",
		}},
		{"report-office.pdf", []string{
			"Author: Ada Brandt; Émile Duvall", "1. The lamp at Gull Rock was replaced after a storm.",
			"a. Henrietta Osgood, after thirty-one years;",
			"| Skerry Point | 31.4 | 18 | 9,120.40 | 8,777.10 |", "--- page 3 ---",
			"and to count the sea-birds again. Efficient fittings, affluent offices, baffling fjords and waffles:",
		}},
		{"languages-chromium.pdf", []string{
			"weißer Strahl über das Wasser, und die Schiffer wissen, wo sie sind. Im",
			"δέσμη περνά πάνω από το νερό και οι ναυτικοί ξέρουν πού βρίσκονται. Το",
			"只。费用共计 48210 元。", "は毎日、風と潮と船を日誌に書き留めています。",
			"فيعرف البحارة أين هم. أضيئت أول مرة عام 1811 وبلغت كلفتها 312 دينارا.",
			"יודעים היכן הם. הוא הודלק לראשונה בשנת 1811 ועלה 312 שקלים.", "| 日本語 | 灯台 | 1040 | 10.8 % |",
		}},
		{"world.pdf", []string{
			"μια λευκή δέσμη περνά πάνω από το νερό.", "渡り、船乗りたちは自分の居場所を知ります。",
			"| Ακτή | 7 | 1999.9 |",
		}},
		{"form.pdf", []string{"Puffin", "7.35", "stays over the winter"}},
	}
	for _, test := range tests {
		t.Run(test.file, func(t *testing.T) {
			doc, err := formattest.Convert(t.Context(), Convert, test.file, corpus(t, test.file))
			require.NoError(t, err)
			assert.Equal(t, "pdf", doc.Kind)
			rest := doc.Text
			for _, line := range test.lines {
				_, after, ok := strings.Cut(rest, line+"\n")
				require.True(t, ok, "%q is missing, or comes too early, in:\n%s", line, doc.Text)
				rest = after
			}
		})
	}
}

func TestEncryptedFilesOpenWithTheEmptyPasswordOnly(t *testing.T) {
	plain, err := formattest.Convert(t.Context(), Convert, "x.pdf", corpus(t, "manual-ps.pdf"))
	require.NoError(t, err)
	for _, name := range []string{
		"encrypted-rc4-40.pdf", "encrypted-rc4-128.pdf", "encrypted-aes-128.pdf",
		"encrypted-aes-256.pdf", "owner-aes-256.pdf",
	} {
		doc, err := formattest.Convert(t.Context(), Convert, name, corpus(t, name))
		require.NoError(t, err, name)
		assert.Equal(t, plain.Text, doc.Text, name)
	}
	_, err = formattest.Convert(t.Context(), Convert, "secret.pdf", corpus(t, "secret.pdf"))
	assert.ErrorIs(t, err, format.ErrPassword)
}

func TestPagesWithoutTextAreNamed(t *testing.T) {
	doc, err := formattest.Convert(t.Context(), Convert, "half.pdf", corpus(t, "half-scan.pdf"))
	require.NoError(t, err)
	assert.Equal(t, []string{"1 page without text: 2"}, doc.Notes)
	assert.Len(t, doc.Parts, 2)

	doc, err = formattest.Convert(t.Context(), Convert, "scan.pdf", corpus(t, "scan.pdf"))
	assert.ErrorIs(t, err, format.ErrNoText)
	assert.ErrorContains(t, err, "1 page without a text layer, as in a scan")
	assert.Empty(t, doc.Parts)
}

func TestTheReasonWithoutTextIsTrue(t *testing.T) {
	unknown := "<</Subtype/Type0/Encoding/Identity-H/DescendantFonts[<</Subtype/CIDFontType2/BaseFont/Unknown>>]>>"
	picture := stream("/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray", "x")
	for content, reason := range map[string]string{
		"BT /F1 10 Tf 50 700 Td <00410042> Tj ET": "its fonts do not say what its letters mean (1 page)",
		"/X1 Do":                       "1 page without a text layer, as in a scan",
		"BI /W 1 /H 1 ID x EI":         "1 page without a text layer, as in a scan",
		"50 50 m 100 100 l S":          "1 page of drawings without letters",
		"50 50 100 100 re f /F1 10 Tf": "1 page of drawings without letters",
		"":                             "1 empty page",
	} {
		_, err := formattest.Convert(t.Context(), Convert, "x.pdf", page(content, unknown, picture))
		require.ErrorIs(t, err, format.ErrNoText, content)
		assert.ErrorContains(t, err, reason, content)
	}
}

func TestLettersThatCannotBeTrustedAreNoted(t *testing.T) {
	composite := func(base string) string {
		return "<</Subtype/Type0/Encoding/Identity-H/DescendantFonts[<</Subtype/CIDFontType2/BaseFont/" + base +
			"/W[36 36 667 68 68 556 87 87 278]>>]/ToUnicode 6 0 R>>"
	}
	toUnicode := stream("", "1 beginbfrange <0100> <01ff> <0041> endbfrange")
	known, unknown := strings.Repeat("0100", 30), strings.Repeat("0024", 30)
	for _, test := range []struct{ font, shown, want string }{
		{"Courier", known, ""},
		{"Courier", known + "00240025", ""}, // two unknown letters may be list markers
		{"Courier", known + unknown, "1 page with some letters left out because their fonts do not say what they mean: 1"},
		{"Courier", known + unknown + unknown, "1 page whose fonts do not say what their letters mean: 1"},
		{
			"Arial", known + unknown,
			"1 page with guessed letters, because their fonts are not in the file and do not say what they mean: 1",
		},
	} {
		doc, err := formattest.Convert(t.Context(), Convert, "x.pdf",
			page("BT /F1 1 Tf 50 700 Td <"+test.shown+"> Tj ET", composite(test.font), toUnicode))
		require.NoError(t, err)
		assert.Equal(t, test.want, strings.Join(doc.Notes, "\n"))
	}
}

func TestConvertStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := formattest.Convert(ctx, Convert, "x.pdf", corpus(t, "article.pdf"))
	assert.ErrorIs(t, err, context.Canceled)
}

func TestTheErrorOfTheOutputEndsIt(t *testing.T) {
	full := errors.New("full")
	data := corpus(t, "article.pdf")
	err := Convert(t.Context(), format.Source{Bytes: strings.NewReader(string(data)), Size: int64(len(data))},
		failing{full})
	assert.Equal(t, full, err)
}

type failing struct{ err error }

func (f failing) Kind(string) error         { return nil }
func (f failing) Meta(string, string) error { return nil }
func (f failing) Begin(format.Part) error   { return nil }
func (f failing) Write([]byte) (int, error) { return 0, f.err }
func (f failing) Note(string) error         { return nil }
func (f failing) Skip(string, string) error { return nil }
func (f failing) Member(string, time.Time, io.Reader) error {
	return nil
}
