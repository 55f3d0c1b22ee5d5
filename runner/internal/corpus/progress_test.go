package corpus_test

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/documents"
	"github.com/gorlm/rlm/runner/internal/corpus"
)

// TestProgress: progress is reported while a large file or a stream is read, and in the end all bytes are counted
// once.
func TestProgress(t *testing.T) {
	large := strings.Repeat("a line of a log\n", 1<<20)
	dir := tree(t, map[string]string{
		"large.log": large, "small.txt": "small", "left-out.png": "\x89PNG\r\n\x1a\n\x00\x00\x00",
	})
	for name, c := range map[string]struct {
		sources []corpus.Source
		of      int
		size    int64
	}{
		"one file": {[]corpus.Source{{Path: filepath.Join(dir, "large.log")}}, 1, 16 << 20},
		"a folder": {[]corpus.Source{{Path: dir}}, 3, 16<<20 + 5 + 11},
		"a stream": {[]corpus.Source{{Name: "stdin", Reader: strings.NewReader(large)}}, 1, 16 << 20},
		"a stream and more": {[]corpus.Source{
			{Path: dir},
			{Name: "stdin", Reader: strings.NewReader(large)},
			{Bytes: bytes.Repeat([]byte("x"), 9)},
		}, 5, 32<<20 + 25},
	} {
		t.Run(name, func(t *testing.T) {
			var told []corpus.Progress
			text, err := corpus.Options{Progress: func(p corpus.Progress) { told = append(told, p) }}.Build(
				t.Context(), c.sources)
			require.NoError(t, err)
			require.NoError(t, text.Close())
			require.Greater(t, len(told), 10)
			var before corpus.Progress
			for _, p := range told {
				require.LessOrEqual(t, p.Bytes, p.OfBytes)
				require.GreaterOrEqual(t, p.Bytes, before.Bytes)
				require.GreaterOrEqual(t, p.Documents, before.Documents)
				before = p
			}
			require.Equal(t, corpus.Progress{Documents: c.of, Of: c.of, Bytes: c.size, OfBytes: c.size}, before)
		})
	}
}

func TestHowMuchIsLeft(t *testing.T) {
	for want, p := range map[time.Duration]corpus.Progress{
		18 * time.Second: {Documents: 120, Of: 300, Bytes: 40e6, OfBytes: 100e6},
		4 * time.Second:  {Documents: 3, Of: 4},
		0:                {Documents: 4, Of: 4, Bytes: 3e6, OfBytes: 2e6},
	} {
		require.Equal(t, want, p.Left(12*time.Second))
		require.Zero(t, p.Left(time.Second), "of the first seconds nothing follows")
	}
	require.Zero(t, corpus.Progress{}.Left(time.Minute))
}

// archive converts a file to three documents.
func archive(_ context.Context, job documents.Job, _ string, yield func(documents.Document) error) error {
	for _, name := range []string{"a", "b", "c"} {
		text := strings.NewReader("text of " + name)
		if err := yield(documents.Document{
			Name: documents.MemberName(job.Name, "!/"+name), Kind: "text",
			Text: io.NewSectionReader(text, 0, text.Size()),
		}); err != nil {
			return err
		}
	}
	return nil
}

// TestProgressOfArchives: the documents of an archive are reported one by one, its bytes when it is done.
func TestProgressOfArchives(t *testing.T) {
	dir := tree(t, map[string]string{"one": rtf + "1}", "text": "text"})
	var told []corpus.Progress
	o := corpus.Options{Cache: fake(archive).cache(), Progress: func(p corpus.Progress) { told = append(told, p) }}
	text, err := o.Build(t.Context(),
		[]corpus.Source{{Path: dir}, {Name: "stdin", Reader: strings.NewReader(rtf + "1}")}})
	require.NoError(t, err)
	require.Len(t, text.Documents(), 7)
	require.NoError(t, text.Close())
	require.Equal(t, corpus.Progress{Documents: 3, Of: 3, Bytes: 18, OfBytes: 18, Conversions: 2, Made: 6},
		told[len(told)-1])
	require.Len(t, told, 9)
}
