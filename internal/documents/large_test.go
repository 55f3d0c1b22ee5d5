package documents

import (
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A large document has more time than a small one to yield its first text.
func TestALargeDocumentHasMoreTime(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "large"))
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	const size = 200 << 20 // a sparse file, except for its first line
	_, err = io.WriteString(f, "TEST slow\n")
	require.NoError(t, err)
	require.NoError(t, f.Truncate(size))
	p := newPool(t, Options{Timeout: time.Second})
	calls := 0
	require.NoError(t, p.Convert(t.Context(), Job{Name: "large", Bytes: f, Size: size}, func(d Document) error {
		calls++
		require.Empty(t, d.Why)
		text, err := io.ReadAll(d.Text)
		require.NoError(t, err)
		require.Equal(t, "in time", string(text))
		return nil
	}))
	require.Equal(t, 1, calls)
}
