//go:build differential

package columns_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"
)

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
		{
			ID: 1, Names: []string{"one", "two"}, Deep: []inner{{A: []int32{1, 2}, B: &b}, {}, {A: []int32{3}}},
			Maybe: &inner{}, When: time.UnixMilli(-1), Bytes: []byte{0, 1}, Ratios: []float64{1, 0.5},
		},
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
