package decoding_test

import (
	"bufio"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"

	"github.com/gorlm/rlm/internal/kit/text/decoding"
)

var encodings = map[string]encoding.Encoding{
	"utf-8":              unicode.UTF8,
	"utf-8 with mark":    unicode.UTF8BOM,
	"utf-16le with mark": unicode.UTF16(unicode.LittleEndian, unicode.UseBOM),
	"utf-16be with mark": unicode.UTF16(unicode.BigEndian, unicode.UseBOM),
	"utf-16le":           unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM),
	"utf-16be":           unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM),
	"utf-32le with mark": utf32.UTF32(utf32.LittleEndian, utf32.UseBOM),
	"utf-32be with mark": utf32.UTF32(utf32.BigEndian, utf32.UseBOM),
}

func TestText(t *testing.T) {
	t.Parallel()
	for name, enc := range encodings {
		for _, lineEnd := range []string{"\n", "\r\n", "\r"} {
			text := "Größe 😁" + lineEnd + lineEnd + strings.Repeat("many words ", 2000) + lineEnd
			encoded, err := enc.NewEncoder().String(text)
			require.NoError(t, err)
			want := strings.ReplaceAll(text, lineEnd, "\n")
			got, err := decoding.Text(iotest.OneByteReader(strings.NewReader(encoded)))
			require.NoError(t, err, name)
			require.Equal(t, want, got, name)
			got, err = decoding.Text(iotest.DataErrReader(strings.NewReader(encoded)))
			require.NoError(t, err, name)
			require.Equal(t, want, got, name)
			require.Equal(t, text, string(decoding.Bytes([]byte(encoded))), name)
			require.Equal(t, name == "utf-8" && lineEnd != "\r", decoding.Plain([]byte(encoded)), "%s %q", name,
				lineEnd)
		}
	}
	for short, want := range map[string]string{"": "", "a": "a", "\n": "\n", "é": "é", "\uFEFF": "", "\xFF\xFE": ""} {
		got, err := decoding.Text(strings.NewReader(short))
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}

// Text with a run of zeros, as in a log that was truncated while it was being written, is text; small numbers in a
// binary file are not.
func TestWideTextWithAHole(t *testing.T) {
	t.Parallel()
	for name, order := range map[string]unicode.Endianness{
		"utf-16le": unicode.LittleEndian, "utf-16be": unicode.BigEndian,
	} {
		want := "started\n" + strings.Repeat("\x00", 1000) + strings.Repeat("after the hole\n", 20)
		encoded, err := unicode.UTF16(order, unicode.IgnoreBOM).NewEncoder().String(want)
		require.NoError(t, err)
		require.Equal(t, want, string(decoding.Bytes([]byte(encoded))), name)
	}
	enc, _ := decoding.Wide([]byte(strings.Repeat("\x01\x00\x00\x00\x02\x00\x00\x00", 50)))
	require.Nil(t, enc)
}

// A line is decoded as soon as it is written, even if a byte order mark came separately, because its writer may
// wait for an answer before it writes more.
func TestALineIsThereWhenItWasWritten(t *testing.T) {
	t.Parallel()
	for name, enc := range encodings {
		for _, end := range []string{"\n", "\r\n", "\r"} {
			from, to := io.Pipe()
			answered := make(chan struct{})
			go func() {
				w := enc.NewEncoder().Writer(to)
				for range 3 {
					_, _ = io.WriteString(w, "the question"+end)
					<-answered
				}
				_ = to.Close()
			}()
			in := bufio.NewReader(decoding.Lines(from))
			for range 3 {
				line, err := in.ReadString('\n')
				require.NoError(t, err)
				require.Equal(t, "the question\n", line, "%s %q", name, end)
				answered <- struct{}{}
			}
			_, err := in.ReadByte()
			require.Equal(t, io.EOF, err)
		}
	}
}

func TestWhatIsNoText(t *testing.T) {
	t.Parallel()
	for in, says := range map[string]string{
		"caf\xe9":                           "it is not UTF-8 text (see line 1): save it as such",
		"one\r\ntwo\r\na\x00b":              "it is not UTF-8 text (see line 3): save it as such",
		strings.Repeat("\n", 9000) + "\xff": "(see line 9001)",
		"cut \xe4\xba":                      "(see line 1)",
	} {
		_, err := decoding.Text(strings.NewReader(in))
		require.ErrorContains(t, err, says)
	}
	broken := iotest.ErrReader(io.ErrUnexpectedEOF)
	_, err := decoding.Text(io.MultiReader(strings.NewReader("text"), broken))
	require.Equal(t, io.ErrUnexpectedEOF, err)
	_, err = io.ReadAll(decoding.Lines(broken))
	require.Equal(t, io.ErrUnexpectedEOF, err)
}
