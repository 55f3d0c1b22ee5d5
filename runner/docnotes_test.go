package runner_test

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner"
)

// TestDocumentsSayWhatCannotBeTrusted: the first message and the cells contain the notes on a document.
func TestDocumentsSayWhatCannotBeTrusted(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write([]byte(strings.Repeat("a line of a log\n", 5000)))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	path := filepath.Join(t.TempDir(), "a.log.gz")
	require.NoError(t, os.WriteFile(path, b.Bytes()[:b.Len()-9], 0o600))
	model := root([]string{fence(`FINAL(docs[0].Notes[0])`)}, nil)
	res, err := newRunner(t, model).Answer(timeout(t), "What is missing?", runner.Path(path))
	require.NoError(t, err)
	require.Equal(t, "only part of it was unpacked: the compressed file is cut off", res.Answer)
	require.Contains(t, model.Requests()[0].Messages[1].Content, res.Answer)
}
