package columns_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/documents/format/formattest"
	"github.com/gorlm/rlm/internal/documents/internal/columns"
)

const testdata = "../../testdata/"

func convert(t *testing.T, data []byte) (formattest.Document, error) {
	t.Helper()
	return formattest.Convert(t.Context(), columns.Parquet, "a.parquet", data)
}

// table is the schema of a document, and its rows.
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

// TestLikeDuckDB: it wrote the files in all compressions and both versions of pages, and the same rows as CSV.
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

type nested struct {
	ID     int64     `parquet:"id"`
	Names  []string  `parquet:"names"`
	Deep   []inner   `parquet:"deep,list"`
	Maybe  *inner    `parquet:"maybe,optional"`
	When   time.Time `parquet:"when,timestamp(millisecond)"`
	Bytes  []byte    `parquet:"bytes"`
	Ratios []float64 `parquet:"ratios,list"`
	Key    [16]byte  `parquet:"key,uuid"`
}

type inner struct {
	A []int32 `parquet:"a,list"`
	B *string `parquet:"b,optional"`
}

func TestRecordsInLists(t *testing.T) {
	b := "x\"y"
	var buf bytes.Buffer
	require.NoError(t, parquet.Write(&buf, []nested{
		{ID: 1, Names: []string{"one", "two"}, Deep: []inner{{A: []int32{1, 2}, B: &b}, {}, {A: []int32{3}}}, Maybe: &inner{}, When: time.UnixMilli(-1), Bytes: []byte{0, 1}, Ratios: []float64{1, 0.5}},
		{ID: 2},
	}))
	doc, err := convert(t, buf.Bytes())
	require.NoError(t, err)
	_, rows := table(t, doc)
	lines := strings.Split(strings.TrimSpace(rows), "\n")
	require.Len(t, lines, 2)
	require.Equal(t, `{"id":1,"names":["one","two"],"deep":[{"a":[1,2],"b":"x\"y"},{"a":[],"b":null},{"a":[3],"b":null}],"maybe":{"a":[],"b":null},`+
		`"when":"1969-12-31 23:59:59.999Z","bytes":"X'0001'","ratios":[1.0,0.5],"key":"00000000-0000-0000-0000-000000000000"}`, lines[0])
	require.Contains(t, lines[1], `"names":[],"deep":[],"maybe":null,`)
}

type flat struct {
	U8    uint8   `parquet:"u8"`
	U64   uint64  `parquet:"u64"`
	Small int64   `parquet:"small,decimal(4:18)"`
	Date  int32   `parquet:"date,date"`
	F     float32 `parquet:"f"`
	Note  *string `parquet:"note,optional"`
}

func TestValues(t *testing.T) {
	var buf bytes.Buffer
	require.NoError(t, parquet.Write(&buf, []flat{{U8: 255, U64: 1<<64 - 1, Small: -5, Date: -1, F: 0.1}, {F: 1e20}}))
	doc, err := convert(t, buf.Bytes())
	require.NoError(t, err)
	_, rows := table(t, doc)
	require.Equal(t, "u8,u64,small,date,f,note\n255,18446744073709551615,-0.0005,1969-12-31,0.1,\n0,0,0.0000,1970-01-01,1e+20,\n", rows)
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
