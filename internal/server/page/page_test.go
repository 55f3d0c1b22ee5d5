package page_test

import (
	"compress/gzip"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/server/page"
)

// TestThePageIsSmallAndComesFromHere: all files that a browser loads are in the binary, and are at most 300 kB when compressed.
func TestThePageIsSmallAndComesFromHere(t *testing.T) {
	files, err := os.ReadDir("dist")
	require.NoError(t, err)
	counted := counter(0)
	zip, err := gzip.NewWriterLevel(&counted, gzip.BestCompression)
	require.NoError(t, err)
	for _, f := range files {
		w := httptest.NewRecorder()
		page.Assets().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/assets/"+f.Name(), nil))
		require.Equal(t, http.StatusOK, w.Code, f.Name())
		if strings.HasSuffix(f.Name(), ".txt") { // licences, which nobody loads
			continue
		}
		_, err := zip.Write(w.Body.Bytes())
		require.NoError(t, err)
	}
	require.NoError(t, zip.Close())
	require.Less(t, int(counted), 300_000)
	require.Positive(t, int(counted))

	html := string(page.HTML("abc"))
	for _, name := range []string{"app.js", "style.css", "chunk.js", "editor.js"} {
		require.Contains(t, html, `"/assets/`+name+`"`)
		require.FileExists(t, "dist/"+name)
	}
	require.NotContains(t, html, "//") // nothing of elsewhere
	require.NotContains(t, html, "<script>")
}

type counter int

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}
