package guess_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"

	"github.com/gorlm/rlm/internal/kit/text/guess"
)

// Repeated short words fit several encodings equally well: the result must not depend on which recognizer is
// fastest.
func TestTheSameBytesHaveTheSameEncoding(t *testing.T) {
	for _, text := range []string{
		"caf\xe9 au lait\n", "\xe9t\xe9\n", "na\xefve r\xf4le\n", "\xc4\xd6\xdc \xe4\xf6\xfc\n",
	} {
		sample := bytes.Repeat([]byte(text), 500)
		want := guess.Encoding(sample, 10)
		for range 300 {
			require.Equal(t, want, guess.Encoding(sample, 10), "%q", text)
		}
	}
	require.Equal(t, "ISO-8859-1", guess.Encoding(bytes.Repeat([]byte("caf\xe9 au lait\n"), 500), 10))
}

func TestEncodingsAreFound(t *testing.T) {
	russian, err := charmap.Windows1251.NewEncoder().String(
		"Все счастливые семьи похожи друг на друга, каждая несчастливая семья несчастлива по-своему. Все смешалось в доме. ")
	require.NoError(t, err)
	kana, err := japanese.ShiftJIS.NewEncoder().String("いろはにほへとちりぬるをわかよたれそつねならむ。")
	require.NoError(t, err)
	require.Equal(t, "windows-1251", guess.Encoding(bytes.Repeat([]byte(russian), 50), 10))
	require.Equal(t, "Shift_JIS", guess.Encoding(bytes.Repeat([]byte(kana), 50), 10))
	require.Empty(t, guess.Encoding(bytes.Repeat([]byte(kana), 50), 101), "nothing is as sure as that")
}
