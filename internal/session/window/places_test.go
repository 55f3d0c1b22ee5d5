package window

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner"
)

// A document whose file was deleted while the session is open is still found, and hides no other.
func TestDocumentsWhoseFilesAreGone(t *testing.T) {
	docs := []runner.Document{
		{Name: "a", Size: 10},
		{Name: "deleted", Offset: 10, Size: 10, State: runner.DocumentGone},
		{Name: "empty", Offset: 20, State: runner.DocumentGone},
		{Name: "b", Offset: 20, Size: 10},
		{Name: "left out", State: runner.DocumentGone},
	}
	for offset, name := range map[int64]string{0: "a", 9: "a", 10: "deleted", 20: "b", 29: "b"} {
		d, ok := DocumentAt(docs, offset)
		require.True(t, ok, offset)
		require.Equal(t, name, d.Name)
		d, ok = DocumentNamed(docs, name)
		require.True(t, ok, name)
		require.Equal(t, name, d.Name)
	}
	_, ok := DocumentAt(docs, 30)
	require.False(t, ok)
	_, ok = DocumentNamed(docs, "left out")
	require.False(t, ok)
}
