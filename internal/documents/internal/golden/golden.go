// Package golden tests converters: against reviewed texts of real files, and with archives built in a test.
package golden

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/internal/documents/format/formattest"
)

// Files converts each file in testdata with the extension and compares the complete output with FILE.golden next to
// it. RLM_UPDATE=1 writes these files.
func Files(t *testing.T, convert format.Converter, extension string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("testdata", "*"+extension))
	require.NoError(t, err)
	require.NotEmpty(t, names)
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			data, err := os.ReadFile(name)
			require.NoError(t, err)
			doc, err := formattest.Convert(context.Background(), convert, filepath.Base(name), data)
			got := Text(doc, err)
			if os.Getenv("RLM_UPDATE") != "" {
				require.NoError(t, os.WriteFile(name+".golden", []byte(got), 0o644))
			}
			want, err := os.ReadFile(name + ".golden")
			require.NoError(t, err)
			require.Equal(t, string(want), got)
		})
	}
}

// Text returns the complete output of a conversion.
func Text(doc formattest.Document, err error) string {
	var b strings.Builder
	b.WriteString(doc.Text)
	fmt.Fprintf(&b, "\n=== %s, %d parts\n", doc.Kind, len(doc.Parts))
	for _, n := range doc.Notes {
		fmt.Fprintf(&b, "note: %s\n", n)
	}
	for _, m := range doc.Members {
		fmt.Fprintf(&b, "member: %s, %d bytes\n", m.Path, len(m.Bytes))
	}
	if err != nil {
		fmt.Fprintf(&b, "error: %v\n", err)
	}
	return b.String()
}

// Zip builds an archive from parts: name, content, name, content.
func Zip(tb testing.TB, parts ...string) []byte {
	tb.Helper()
	var buf bytes.Buffer
	z := zip.NewWriter(&buf)
	for i := 0; i < len(parts); i += 2 {
		w, err := z.Create(parts[i])
		require.NoError(tb, err)
		_, err = w.Write([]byte(parts[i+1]))
		require.NoError(tb, err)
	}
	require.NoError(tb, z.Close())
	return buf.Bytes()
}

// Rewrite replaces texts in all parts of an archive.
func Rewrite(tb testing.TB, data []byte, texts *strings.Replacer) []byte {
	tb.Helper()
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	require.NoError(tb, err)
	var parts []string
	for _, f := range z.File {
		r, err := f.Open()
		require.NoError(tb, err)
		b, err := io.ReadAll(r)
		require.NoError(tb, err)
		parts = append(parts, f.Name, texts.Replace(string(b)))
	}
	return Zip(tb, parts...)
}
