package web_test

import (
	"compress/gzip"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/front/web"
)

// asset requests a file of the page.
func asset(name, encodings string) *httptest.ResponseRecorder {
	w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/assets/"+name, nil)
	r.Header.Set("Accept-Encoding", encodings)
	web.Assets().ServeHTTP(w, r)
	return w
}

// TestThePageIsSmallAndComesFromHere: everything a browser loads until a question can be typed is in the binary,
// and at most 150 kB compressed.
func TestThePageIsSmallAndComesFromHere(t *testing.T) {
	html := string(web.HTML("abc"))
	require.NotContains(t, html, "//") // nothing from other hosts
	require.NotContains(t, html, "<script>")
	first := regexp.MustCompile(`"/assets/([^"]+)"`).FindAllStringSubmatch(html, -1)
	require.Len(t, first, 3)
	worker, err := filepath.Glob("dist/worker-*.js")
	require.NoError(t, err)
	require.Len(t, worker, 1)
	first = append(first, []string{"", filepath.Base(worker[0])})
	size := len(html)
	for _, f := range first {
		w := asset(f[1], "br, gzip;q=0.8")
		require.Equal(t, "gzip", w.Header().Get("Content-Encoding"), f[1])
		size += w.Body.Len()
	}
	require.Less(t, size, 150_000)
}

// TestFilesOfThePage: files are compressed if the client accepts that, and cached for good if their name has a
// hash.
func TestFilesOfThePage(t *testing.T) {
	files, err := os.ReadDir("dist")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, f := range files {
		content, err := os.ReadFile("dist/" + f.Name())
		require.NoError(t, err)
		for encodings, zipped := range map[string]bool{
			"": false, "identity": false, "gzip;q=0": false,
			"gzip; q=0.0, br": false, "deflate, gzip": true, "*": true,
		} {
			w := asset(f.Name(), encodings)
			require.Equal(t, http.StatusOK, w.Code, f.Name())
			require.Equal(t, strconv.Itoa(w.Body.Len()), w.Header().Get("Content-Length"))
			body := w.Body.Bytes()
			if zipped {
				require.Equal(t, "gzip", w.Header().Get("Content-Encoding"))
				r, err := gzip.NewReader(w.Body)
				require.NoError(t, err)
				body, err = io.ReadAll(r)
				require.NoError(t, err)
			}
			require.Equal(t, content, body, encodings)
			require.Equal(t, f.Name() != "licences.txt", strings.Contains(w.Header().Get("Cache-Control"), "immutable"),
				f.Name())
		}
	}
	plain := asset("app.js", "")
	require.Equal(t, http.StatusOK, plain.Code, "whoever knows the file by its name finds it")
	require.NotContains(t, plain.Header().Get("Cache-Control"), "immutable")
	for _, none := range []string{"nothing.js", "app", ".js", "", "../web.go", "x/licences.txt"} {
		require.Equal(t, http.StatusNotFound, asset(none, "").Code, none)
	}
}

// TestNoFileOfThePageNeedsItself removes files whose imports are all removed, until none is left; a cycle would
// remain.
func TestNoFileOfThePageNeedsItself(t *testing.T) {
	imported := regexp.MustCompile(`(?:from |import\(|import )"\./(\w+)"`)
	needs := map[string][]string{}
	files, err := filepath.Glob("src/*.ts*")
	require.NoError(t, err)
	for _, file := range files {
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		name, _, _ := strings.Cut(filepath.Base(file), ".")
		needs[name] = nil
		for _, m := range imported.FindAllSubmatch(source, -1) {
			needs[name] = append(needs[name], string(m[1]))
		}
	}
	require.Contains(t, needs["app"], "sessionview")
	for taken := true; taken; {
		taken = false
		for name, others := range needs {
			if !slices.ContainsFunc(others, func(other string) bool { _, left := needs[other]; return left }) {
				delete(needs, name)
				taken = true
			}
		}
	}
	require.Empty(t, slices.Sorted(maps.Keys(needs)), "these files are in a cycle of imports, or import one")
}
