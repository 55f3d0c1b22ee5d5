package guess_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"

	"github.com/gorlm/rlm/internal/kit/text/guess"
)

// Repeated short words fit several encodings equally well. The result must not depend on which recognizer finishes
// first.
func TestTheSameBytesHaveTheSameEncoding(t *testing.T) {
	for _, text := range []string{
		"caf\xe9 au lait\n", "\xe9t\xe9\n", "na\xefve r\xf4le\n", "\xc4\xd6\xdc \xe4\xf6\xfc\n",
	} {
		sample := bytes.Repeat([]byte(text), 500)
		want := guess.Of(sample, 10)
		for range 300 {
			require.Equal(t, want, guess.Of(sample, 10), "%q", text)
		}
	}
}

func TestEncodingsAreFound(t *testing.T) {
	russian, err := charmap.Windows1251.NewEncoder().String(
		"Все счастливые семьи похожи друг на друга, каждая несчастливая семья несчастлива по-своему. Все смешалось в доме. ")
	require.NoError(t, err)
	kana, err := japanese.ShiftJIS.NewEncoder().String("いろはにほへとちりぬるをわかよたれそつねならむ。")
	require.NoError(t, err)
	require.Equal(t, "windows-1251", guess.Of(bytes.Repeat([]byte(russian), 50), 10).Name)
	japaneseText := guess.Of(bytes.Repeat([]byte(kana), 50), 10)
	require.Equal(t, "shift_jis", japaneseText.Name)
	require.Empty(t, japaneseText.Remark(), "no other text is valid in it")
	require.Equal(t, "encoding guessed: windows-1252", guess.Of(bytes.Repeat([]byte("caf\xe9\n"), 50), 101).Remark(),
		"nothing is as sure as that")
}

// The encodings of DOS and of old Macs are unknown to the statistics, but are recognised by words.
func TestEncodingsOfDOSAndMacsAreFound(t *testing.T) {
	const (
		german  = "Falsches Üben von Xylophonmusik quält jeden größeren Zwerg. Öfter genügt ein Löffel Süßes.\n"
		french  = "Voilà l’été où Noël, naïf, a goûté un bœuf à côté de Bücher : « Ça va, garçon ? » – Très bien !\n"
		spanish = "¿Qué pasó mañana? El señor García comió jamón aquí según él; ¡qué acción más fácil!\n"
		swedish = "Får jag få en räksmörgås på ön, Åke? Det går bra, säger hon. Även här är det så på måndagar.\n"
		polish  = "Zażółć gęślą jaźń, a potem wypij świeżą wodę źródlaną z Łodzi, która jest bardzo smaczna.\n"
		russian = "Съешь же ещё этих мягких французских булок, да выпей чаю. Широкая электрификация губерний.\n"
		english = "“Don’t,” she said – it’s the café’s price, isn’t it? ‘Well…’ he’d naïvely answered.\n"
		table   = "┌──────┬──────┐\n│ Größe│ Menge│\n├──────┼──────┤\n│ für 5│    12│\n└──────┴──────┘\n"
	)
	for _, c := range []struct {
		want     guess.Charset
		language string
		text     string
	}{
		{cp850, "German", german},
		{cp850, "Spanish", spanish},
		{cp850, "Swedish", swedish},
		{cp850, "a table", table},
		{cp850, "a small one", "┌────┬────┐\n│ für│ 12 │\n└────┴────┘\n"},
		{cp850, "a word", "für "},
		{cp850, "another", "Müller und Söhne "},
		{cp850, "French", "café à la crème, Noël "},
		{mac, "German", german},
		{mac, "French", french},
		{mac, "Spanish", spanish},
		{mac, "Swedish", swedish},
		{mac, "English", english},
		{mac, "a word", "für "},
		{mac, "words", "Für Bäume "},
		{cp866, "Russian", russian},
		{koi8, "Russian", russian},
		{koi8, "a sentence", "Договор подписан первого марта.\n"},
		{windows1251, "Russian", russian},
		{windows1251, "a word", "Привет\n"},
		{cp852, "Polish", polish},
		{windows1250, "Polish", polish},
		{western, "German", german},
		{western, "French", french},
		{western, "Spanish", spanish},
		{western, "Swedish", swedish},
		{western, "English", english},
		{western, "fields", "Name§Größe§5 °C\nA§B§C§x²\n"},
	} {
		for _, times := range []int{1, 2, 50} {
			sample, err := c.want.Encoding.NewEncoder().Bytes(bytes.Repeat([]byte(c.text), times))
			require.NoError(t, err, c.language)
			got := guess.Of(sample, 30)
			text, err := got.Encoding.NewDecoder().Bytes(sample)
			require.NoError(t, err)
			require.Equal(t, strings.Repeat(c.text, times), string(text), "%s of %s, guessed as %s", c.language,
				c.want.Name, got.Name)
		}
	}
	names := []byte("Stra\xe1en \x81ber M\x84nner.txt")
	require.Equal(t, "cp437", guess.DOS(names).Name)
	require.Equal(t, "cp866", guess.DOS([]byte("\x8f\xe0\xa8\xa2\xa5\xe2.txt")).Name)
	require.Equal(t, "windows-1252", guess.DOS([]byte("Stra\xdfen \xfcber M\xe4nner.txt")).Name)
}

var (
	cp850       = guess.Charset{Name: "cp850", Encoding: charmap.CodePage850}
	cp852       = guess.Charset{Name: "cp852", Encoding: charmap.CodePage852}
	cp866       = guess.Charset{Name: "cp866", Encoding: charmap.CodePage866}
	koi8        = guess.Charset{Name: "koi8-r", Encoding: charmap.KOI8R}
	mac         = guess.Charset{Name: "macintosh", Encoding: charmap.Macintosh}
	western     = guess.Charset{Name: "windows-1252", Encoding: charmap.Windows1252}
	windows1250 = guess.Charset{Name: "windows-1250", Encoding: charmap.Windows1250}
	windows1251 = guess.Charset{Name: "windows-1251", Encoding: charmap.Windows1251}
)
