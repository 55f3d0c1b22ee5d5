package openai

import (
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestLongTextsGoToDisk: the texts read back are those that encoding/json reads, wherever the pieces of a body
// end.
func TestLongTextsGoToDisk(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	letters := []rune("ab \"\\/\n\t\u0001é漢😀\u2028<&")
	for n := range 60 {
		text := make([]rune, random.IntN(3*longText))
		for i := range text {
			text[i] = letters[random.IntN(len(letters))]
		}
		want := []string{
			string(text), "short", strings.Repeat(`\`, n), strings.Repeat("x", longText+n),
			" \n" + strings.Repeat("y", longText) + "\t ",
		}
		encoded, err := json.Marshal(want)
		require.NoError(t, err)
		for _, r := range []io.Reader{strings.NewReader(string(encoded)), iotest.HalfReader(
			strings.NewReader(string(encoded))), iotest.OneByteReader(strings.NewReader(string(encoded)))} {
			b, err := readBody(r, t.TempDir())
			require.NoError(t, err)
			require.Less(t, len(b.json), 2*longText+1000)
			var got []string
			require.NoError(t, json.Unmarshal(b.json, &got))
			for i, text := range got {
				if l := b.of(text); l != nil {
					got[i], err = l.whole()
					require.NoError(t, err)
					require.Equal(t, sumOf(want[i]), l.sum)
				}
			}
			require.Equal(t, want, got)
			require.NoError(t, b.Close())
		}
	}
	for _, half := range []string{`\ud83d`, `\ud83dx`, `\ude00`, `\ud83d\u0041`, `\ud83d\n`} {
		encoded := `"` + strings.Repeat("x", longText+1) + half + `"`
		b, err := readBody(strings.NewReader(encoded), t.TempDir())
		require.NoError(t, err)
		var want, mark string
		require.NoError(t, json.Unmarshal([]byte(encoded), &want))
		require.NoError(t, json.Unmarshal(b.json, &mark))
		got, err := b.of(mark).whole()
		require.NoError(t, err)
		require.Equal(t, want, got, half)
		require.NoError(t, b.Close())
	}
	for _, wrong := range []string{`\x`, `\u12g4`, "\n"} {
		_, err := readBody(strings.NewReader(`"`+strings.Repeat("x", longText+1)+wrong+`"`), t.TempDir())
		require.ErrorContains(t, err, "not the expected JSON", wrong)
	}
	b, err := readBody(strings.NewReader(`"`+strings.Repeat("x", longText+1)), t.TempDir())
	require.NoError(t, err)
	require.False(t, json.Valid(b.json))
	require.Nil(t, b.of("\x000:0"))
	require.Nil(t, (*body)(nil).of("x"))
}

// TestPiecesEndAtWords: together the pieces are the whole text, each has a limited size, and words are not split.
func TestPiecesEndAtWords(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "a", strings.Repeat("word ", 5000), strings.Repeat("漢", 5000), strings.Repeat("x", 5000) + " y",
	} {
		var all []string
		for piece := range pieces(&text) {
			require.LessOrEqual(t, len(piece), mostPiece)
			require.NotEmpty(t, piece)
			all = append(all, piece)
		}
		require.Equal(t, text, strings.Join(all, ""))
		if strings.HasPrefix(text, "word") {
			for _, piece := range all {
				require.True(t, strings.HasSuffix(piece, " "))
			}
		}
	}
	for range pieces(nil) {
		t.Fatal("there is no text")
	}
}

// TestAWholeAnswerKeepsItsConnectionAlive: white space is sent until the JSON follows.
func TestAWholeAnswerKeepsItsConnectionAlive(t *testing.T) {
	t.Parallel()
	r := &run{ended: make(chan struct{})}
	w := httptest.NewRecorder()
	tick := make(chan time.Time)
	over := make(chan bool)
	go func() { over <- r.outwait(w, httptest.NewRequest(http.MethodPost, "/", nil), tick) }()
	for range 3 {
		tick <- time.Time{}
	}
	close(r.ended)
	require.True(t, <-over)
	require.Equal(t, "    ", w.Body.String())
	require.True(t, w.Flushed)
	require.Equal(t, "application/json", w.Header().Get("Content-Type"))
}
