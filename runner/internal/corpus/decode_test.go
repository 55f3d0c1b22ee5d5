package corpus_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"

	"github.com/gorlm/rlm/runner/internal/corpus"
)

const (
	german  = "Falsches Üben von Xylophonmusik quält jeden größeren Zwerg. Öfter genügt ein Löffel Süßes für über 100 Mäuse, und die Bäckerei schließt um fünf.\n"
	russian = "Съешь же ещё этих мягких французских булок, да выпей чаю. Широкая электрификация южных губерний даст мощный толчок подъёму сельского хозяйства.\n"
	chinese = "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。人人有资格享受本宣言所载的一切权利和自由。\n"
	nihongo = "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。人間は、理性と良心とを授けられている。\n"
)

func TestEncodings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text string
		enc        encoding.Encoding
		want       string // the recorded encoding
	}{
		{"utf-8", german + chinese, unicode.UTF8, "utf-8"},
		{"utf-8 with mark", german, unicode.UTF8BOM, "utf-8"},
		{"utf-16le with mark", german + chinese, unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), "utf-16le"},
		{"utf-16be with mark", german + chinese, unicode.UTF16(unicode.BigEndian, unicode.UseBOM), "utf-16be"},
		{"utf-16le without mark", german, unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), "utf-16le"},
		{"utf-16be without mark", german, unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), "utf-16be"},
		{"utf-32le", chinese, utf32.UTF32(utf32.LittleEndian, utf32.UseBOM), "utf-32le"},
		{"latin-1", german, charmap.ISO8859_1, "windows-1252"},
		{"windows-1252", "“Smart” quotes – and a price of 5 €\n", charmap.Windows1252, "windows-1252"},
		{"a few words of latin-1", "café", charmap.ISO8859_1, "windows-1252"},
		{"windows-1251", russian, charmap.Windows1251, "windows-1251"},
		{"koi8-r", russian, charmap.KOI8R, "koi8-r"},
		{"shift_jis", nihongo, japanese.ShiftJIS, "shift_jis"},
		{"euc-jp", nihongo, japanese.EUCJP, "euc-jp"},
		{"gb18030", chinese, simplifiedchinese.GB18030, "gb18030"},
		{"big5", "人人生而自由在尊嚴和權利上一律平等他們賦有理性和良心並應以兄弟關係的精神相對待\n", traditionalchinese.Big5, "big5"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, repeat := range []int{1, 3, 20_000} {
				want := strings.Repeat(c.text, repeat)
				if c.name == "a few words of latin-1" && repeat > 3 {
					want = strings.Repeat("all of this is ASCII\n", repeat) + c.text
				}
				encoded, err := c.enc.NewEncoder().String(want)
				require.NoError(t, err)
				text := build(t, corpus.Source{Name: "stdin", Reader: strings.NewReader(encoded)})
				require.True(t, want == content(t, text))
				require.Equal(t, c.want, text.Documents()[0].Encoding)
				require.Equal(t, int64(utf8.RuneCountInString(want)), text.Facts().Chars)
				require.Equal(t, map[string]int{c.want: 1}, text.Facts().Encodings)
				require.Zero(t, text.Facts().Replaced)
			}
		})
	}
}

// TestAGuessedEncodingIsSaid: the encodings of DOS and old Macs are recognised by words, and a note reports that an
// encoding was guessed, unless hardly any other is possible.
func TestAGuessedEncodingIsSaid(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		enc  encoding.Encoding
		want []string
	}{
		{german, charmap.CodePage850, []string{"encoding guessed: cp850"}},
		{german, charmap.Macintosh, []string{"encoding guessed: macintosh"}},
		{"Name;Ort\nMüller;Köln\nJäger;Lübeck\n", charmap.CodePage437, []string{"encoding guessed: cp850"}},
		{russian, charmap.CodePage866, []string{"encoding guessed: cp866"}},
		{russian, charmap.Windows1251, []string{"encoding guessed: windows-1251"}},
		{german, charmap.Windows1252, []string{"encoding guessed: windows-1252"}},
		{nihongo, japanese.ShiftJIS, nil},
		{german, unicode.UTF8, nil},
	} {
		encoded, err := c.enc.NewEncoder().String(c.text)
		require.NoError(t, err)
		for _, filler := range []string{"", strings.Repeat("all of this is ASCII\n", 20_000)} {
			text := build(t, corpus.Source{Name: "a.csv", Reader: strings.NewReader(filler + encoded)})
			require.Equal(t, filler+c.text, content(t, text))
			require.Equal(t, c.want, text.Documents()[0].Notes())
		}
	}
}

// TestZeroBytesAreSaid: a log that was cut while it was written has a hole of zero bytes, which no line shows.
func TestZeroBytesAreSaid(t *testing.T) {
	t.Parallel()
	const line = "a line of a log\n"
	for in, want := range map[string][]string{
		strings.Repeat("\x00", 5000) + line: {
			"it has 5000 zero bytes, as in a file that was cut off while being written",
		},
		strings.Repeat(line, 1000) + "\x00\n": {
			"it has 1 zero byte, as in a file that was cut off while being written",
		},
		line: nil,
	} {
		text := build(t, corpus.Source{Name: "a.log", Reader: strings.NewReader(in)})
		require.Equal(t, in, content(t, text))
		require.Equal(t, want, text.Documents()[0].Notes())
	}
}

func TestDamagedUTF8IsRepairedAndSaid(t *testing.T) {
	in := german + "broken \xc3 here \xff\xfe and \xe4\xba there " + chinese + "cut \xe4\xba"
	want := german + "broken \uFFFD here \uFFFD\uFFFD and \uFFFD\uFFFD there " + chinese + "cut \uFFFD\uFFFD"
	text := build(t, corpus.Source{Name: "x", Reader: strings.NewReader(in)})
	require.Equal(t, want, content(t, text))
	require.Equal(t, int64(7), text.Facts().Replaced)
	require.Equal(t, int64(7), text.Documents()[0].Replaced)
	require.Equal(t, "utf-8", text.Documents()[0].Encoding)

	text = build(t, corpus.Source{Name: "x", Reader: strings.NewReader("naïve caf\xe9")})
	require.Equal(t, "naïve caf\uFFFD", content(t, text),
		"one valid character is as good a sign of UTF-8 as one that is not is against it")

	// A string is UTF-8 by declaration; nothing is guessed.
	text = build(t, corpus.Source{Name: "x", String: "caf\xe9\x00\x00"})
	require.Equal(t, "caf\uFFFD\x00\x00", content(t, text))
}

// TestPiecesDoNotMatter: the text is the same however a stream is split.
func TestPiecesDoNotMatter(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	alphabet := []string{"\xff", "\xe4\xba", "\xc3", "a", "\n", "é", "人", "😀"}
	for range 50 {
		b := strings.Builder{}
		b.WriteString(chinese) // enough to recognise the encoding
		for range 2000 {
			b.WriteString(alphabet[min(r.IntN(80), len(alphabet)-1)])
			b.WriteString("人é"[:3*r.IntN(2)])
		}
		in := b.String()
		want := content(t, build(t, corpus.Source{String: in}))
		require.True(t, utf8.ValidString(want))
		require.True(t, string([]rune(in)) == want)
		require.True(t, want == content(
			t, build(t, corpus.Source{Reader: iotest.OneByteReader(strings.NewReader(in))})))
		require.True(t, want == content(
			t, build(t, corpus.Source{Reader: iotest.DataErrReader(strings.NewReader(in))})))
	}
	// Characters may cross the boundaries of large pieces.
	long := strings.Repeat(chinese, 30_000)
	for shift := range 4 {
		in := strings.Repeat("x", shift) + long
		require.True(t, in == content(t, build(t, corpus.Source{Reader: strings.NewReader(in)})))
	}
}

func TestFactsAgreeWithACountOfTheWhole(t *testing.T) {
	for _, in := range []string{
		"", "x", "x\n", "\n\n", german, strings.Repeat(german+chinese, 3000), strings.Repeat("no newline ", 100_000),
	} {
		text := build(t, corpus.Source{String: in})
		f := text.Facts()
		require.Equal(t, int64(len(in)), f.Bytes)
		require.Equal(t, int64(utf8.RuneCountInString(in)), f.Chars)
		lines := 0
		for range strings.Lines(in) {
			lines++
		}
		require.Equal(t, int64(lines), f.Lines)
		require.True(t, strings.HasPrefix(in, f.Head) && len(f.Head) <= 2048 && utf8.ValidString(f.Head))
		require.True(t, strings.HasSuffix(in, f.Tail) && len(f.Tail) <= 2048 && utf8.ValidString(f.Tail))
		if len(in) <= 2048 {
			require.Equal(t, in, f.Head)
		}
		of, err := text.FactsOf(0, text.Size())
		require.NoError(t, err)
		of.Documents, of.Encodings = f.Documents, f.Encodings
		require.Equal(t, f, of)
		for _, at := range []int64{-1, 0, 1, f.Bytes / 3, f.Bytes - 1, f.Bytes, f.Bytes + 1} {
			known, newlines := text.NewlinesBefore(at)
			require.True(t, known <= max(at, 0) && at-known < 8<<10, "%d is near %d", known, at)
			require.Equal(t, int64(strings.Count(in[:known], "\n")), newlines)
		}
	}
	text := build(t, corpus.Source{String: "one\ntwo\nthree"})
	f, err := text.FactsOf(4, 4)
	require.NoError(t, err)
	require.Equal(t, []any{int64(4), int64(1), "two\n"}, []any{f.Bytes, f.Lines, f.Head})
	for _, bad := range [][2]int64{{-1, 1}, {0, 14}, {13, 1}, {1 << 62, 1 << 62}} {
		_, err := text.FactsOf(bad[0], bad[1])
		require.Error(t, err)
	}
}

func FuzzBuild(f *testing.F) {
	for _, s := range []string{
		"", "plain", german, "caf\xe9", "\xff\xfea\x00b\x00", "\xef\xbb\xbfx", "\x00\x01", "%PDF-1.4",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		text, err := corpus.Build(t.Context(), []corpus.Source{{Name: "in", Reader: strings.NewReader(string(in))}})
		if err != nil {
			require.ErrorContains(t, err, "binary")
			return
		}
		defer text.Close()
		got := content(t, text)
		require.True(t, utf8.ValidString(got))
		if utf8.Valid(in) && text.Documents()[0].Encoding == "utf-8" {
			require.Equal(t, strings.TrimPrefix(string(in), "\uFEFF"), got)
		}
		require.Equal(t, int64(utf8.RuneCountInString(got)), text.Facts().Chars)
	})
}
