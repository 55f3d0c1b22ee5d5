package sandbox

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/sandbox/internal/worker"
)

// Of the text that init functions write, the end is kept, whatever its size. Of later text the first part is kept, up
// to a limit. It does not matter in which pieces all of this is read.
func TestStderrBeforeAndAfterTheDivider(t *testing.T) {
	t.Parallel()
	init := strings.Repeat("deprecated\n", 7_000) + "the end"
	report := "panic: no\n" + worker.Divider + "deprecated\n"
	for name, in := range map[string]func(io.Reader) io.Reader{
		"pieces": func(r io.Reader) io.Reader { return r }, "bytes": iotest.OneByteReader,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var c capture
			require.False(t, c.read(in(strings.NewReader(init))))
			require.True(t, strings.HasSuffix(c.String(), "deprecated\nthe end"))
			require.LessOrEqual(t, len(c.String()), maxStderr)
			require.False(t, c.read(in(strings.NewReader(worker.Divider))))
			require.Empty(t, c.last())
			require.True(t, strings.HasSuffix(c.ever(), `deprecated\nthe end"`))
			require.False(t, c.read(in(strings.NewReader(report))))
			require.Equal(t, report, c.String(), "a second divider is text")
			require.NotContains(t, c.ever(), "the end")
			require.True(t, c.read(in(strings.NewReader(strings.Repeat("x", maxStderr)))))
			require.True(t, strings.HasPrefix(c.String(), report))
			require.Len(t, c.String(), maxStderr)
		})
	}
}
