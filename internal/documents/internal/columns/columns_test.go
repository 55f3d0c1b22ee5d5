package columns_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/documents/format/formattest"
	"github.com/gorlm/rlm/internal/documents/internal/columns"
)

const testdata = "../../testdata/"

func convert(t *testing.T, data []byte) (formattest.Document, error) {
	t.Helper()
	return formattest.Convert(t.Context(), columns.Parquet, "a.parquet", data)
}

// table returns the schema and the rows of a document.
func table(t *testing.T, doc formattest.Document) (schema, rows string) {
	t.Helper()
	require.Len(t, doc.Parts, 1)
	schema, rows, ok := strings.Cut(doc.Parts[0].Text, "\n\n")
	require.True(t, ok)
	return schema, rows
}

func records(t *testing.T, text string) [][]string {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	require.NoError(t, err)
	return rows
}

// TestLikeDuckDB reads files that DuckDB wrote in all compressions and both page versions; DuckDB also wrote the
// rows as CSV.
func TestLikeDuckDB(t *testing.T) {
	want, err := os.ReadFile(testdata + "expected/lights.csv")
	require.NoError(t, err)
	for _, name := range []string{"uncompressed", "snappy", "gzip", "zstd", "v2"} {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(testdata + "corpus/lights-" + name + ".parquet")
			require.NoError(t, err)
			doc, err := convert(t, data)
			require.NoError(t, err)
			require.Equal(t, "parquet", doc.Kind)
			require.Empty(t, doc.Notes)
			schema, rows := table(t, doc)
			require.Contains(t, schema, "DECIMAL(12,2)")
			have, all := records(t, rows), records(t, string(want))
			require.GreaterOrEqual(t, len(have), 51)
			for i := range have {
				require.Equal(t, all[i], have[i])
			}
		})
	}
}

func TestNestedRowsAreLinesOfJSON(t *testing.T) {
	data, err := os.ReadFile(testdata + "corpus/nested.parquet")
	require.NoError(t, err)
	doc, err := convert(t, data)
	require.NoError(t, err)
	_, rows := table(t, doc)
	lines := strings.Split(strings.TrimSpace(rows), "\n")
	require.Len(t, lines, 20)
	for _, l := range lines {
		require.True(t, json.Valid([]byte(l)), l)
	}
	require.JSONEq(t, `{"id":1,"list":["a","b1"],"struct":{"x":1,"y":"Größe"},"map":[{"key":"k","value":2}],"blob":"blob","deep":[[1,null],[]]}`, lines[1])
}

func TestDamagedFiles(t *testing.T) {
	whole, err := os.ReadFile(testdata + "corpus/lights-zstd.parquet")
	require.NoError(t, err)
	_, err = convert(t, whole[:len(whole)/2])
	require.ErrorContains(t, err, "damaged or cut off")
	data := bytes.Clone(whole)
	for i := 200; i < 2000; i++ {
		data[i] = 0xFF
	}
	doc, err := convert(t, data)
	if err == nil {
		require.NotEmpty(t, doc.Notes)
	}
}

func FuzzParquet(f *testing.F) {
	for _, name := range []string{"nested", "lights-v2"} {
		whole, err := os.ReadFile(testdata + "corpus/" + name + ".parquet")
		require.NoError(f, err)
		f.Add(whole)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		_, _ = formattest.Convert(t.Context(), columns.Parquet, "a.parquet", data)
	})
}
