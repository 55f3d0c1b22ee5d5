package text_test

import (
	"bufio"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/kit/text"
)

func TestReadLine(t *testing.T) {
	long := strings.Repeat("x", 100)
	in := bufio.NewReaderSize(strings.NewReader("one\r\n\n"+long+"\nlast"), 16)
	for _, want := range []string{"one\r\n", "\n", long + "\n", "last"} {
		line, err := text.ReadLine(in, 101)
		require.NoError(t, err)
		require.Equal(t, want, string(line))
	}
	_, err := text.ReadLine(in, 101)
	require.ErrorIs(t, err, io.EOF)
	_, err = text.ReadLine(bufio.NewReaderSize(strings.NewReader(long+"\n"), 16), 100)
	require.ErrorIs(t, err, text.ErrLongLine)
	_, err = text.ReadLine(bufio.NewReader(iotest.ErrReader(io.ErrUnexpectedEOF)), 100)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
}
