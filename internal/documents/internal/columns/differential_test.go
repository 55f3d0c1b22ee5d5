//go:build differential

// The writer of parquet-go takes long to compile, so these tests need a tag: go test -tags differential.

package columns

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/documents/format"
)

// everything has a column of each type in each encoding that the writer supports.
type everything struct {
	Bool      bool                `parquet:"bool"`
	MaybeBool *bool               `parquet:"maybe_bool,optional"`
	I32       int32               `parquet:"i32"`
	I32Delta  int32               `parquet:"i32_delta,delta"`
	I32Dict   int32               `parquet:"i32_dict,dict"`
	I32Split  int32               `parquet:"i32_split,split"`
	I64       int64               `parquet:"i64"`
	I64Delta  int64               `parquet:"i64_delta,delta,optional"`
	I64Split  int64               `parquet:"i64_split,split"`
	U8        uint8               `parquet:"u8"`
	U32Delta  uint32              `parquet:"u32_delta,delta"`
	U64       uint64              `parquet:"u64,dict,optional"`
	F32       float32             `parquet:"f32"`
	F32Split  float32             `parquet:"f32_split,split,optional"`
	F64       float64             `parquet:"f64"`
	F64Split  float64             `parquet:"f64_split,split"`
	Text      string              `parquet:"text"`
	TextDict  string              `parquet:"text_dict,dict,optional"`
	TextDelta string              `parquet:"text_delta,delta"`
	Lengths   []byte              `parquet:"lengths,delta,optional"`
	Fixed     [5]byte             `parquet:"fixed"`
	FixedDict [3]byte             `parquet:"fixed_dict,dict"`
	UUID      [16]byte            `parquet:"uuid,uuid"`
	Old       deprecated.Int96    `parquet:"old"`
	When      time.Time           `parquet:"when,timestamp(microsecond)"`
	Day       int32               `parquet:"day,date"`
	Time      int64               `parquet:"time,time(microsecond)"`
	Money     int64               `parquet:"money,decimal(2:18)"`
	Enum      string              `parquet:"enum,enum"`
	JSON      string              `parquet:"json,json"`
	List      []int64             `parquet:"list,list"`
	Repeated  []string            `parquet:"repeated"`
	Map       map[string]*float64 `parquet:"map"`
	Deep      []deep              `parquet:"deep,list"`
	Maybe     *deep               `parquet:"maybe,optional"`
	Nothing   *string             `parquet:"nothing,optional"`
}

type deep struct {
	A []*int32  `parquet:"a,list"`
	B []deeper  `parquet:"b"`
	C []float32 `parquet:"c,list,optional"`
}

type deeper struct {
	Name string  `parquet:"name,optional,delta"`
	N    []int32 `parquet:"n"`
}

// some returns a row of random values, many of them equal to those of the previous row.
func some(r *rand.Rand, n int) everything {
	text := func() string {
		return strings.Repeat("prefix", r.IntN(3)) + fmt.Sprint(r.IntN(9)) + strings.Repeat("ö", r.IntN(5))
	}
	maybe := func() bool { return r.IntN(3) > 0 }
	e := everything{
		Bool: r.IntN(4) == 0, I32: int32(r.Uint32()), I32Delta: int32(n * 3), I32Dict: int32(r.IntN(9)),
		I32Split: int32(r.Uint32()), I64: int64(r.Uint64()),
		I64Split: int64(r.Uint64()), U8: uint8(r.Uint32()), U32Delta: r.Uint32(), F32: r.Float32(), F64: math.Inf(1),
		F64Split: r.NormFloat64(),
		Text:     text(), TextDelta: text(), Day: int32(r.IntN(40000)) - 9000, Time: r.Int64N(86_400_000_000),
		Money: r.Int64() - r.Int64(), Enum: text(), JSON: `{"a":1}`,
		Old:  deprecated.Int96{r.Uint32(), r.Uint32() % 20000, 2440588 + r.Uint32()%20000},
		When: time.UnixMicro(r.Int64N(1e16)).UTC(),
	}
	binary.LittleEndian.PutUint64(e.UUID[:], r.Uint64())
	binary.LittleEndian.PutUint32(e.Fixed[:], r.Uint32())
	e.FixedDict[1] = byte(r.IntN(4))
	if maybe() {
		b, i, u, f, s, l := r.IntN(2) == 0, r.Int64(), r.Uint64()%5, r.Float32(), text(), []byte(text())
		e.MaybeBool, e.I64Delta, e.U64, e.F32Split, e.TextDict, e.Lengths = &b, i, u, f, s, l
	}
	someDeep := func() (d deep) {
		for range r.IntN(3) {
			i := int32(r.Uint32())
			d.A = append(d.A, &i, nil)
			x := deeper{N: make([]int32, r.IntN(3))}
			if maybe() {
				x.Name = text()
			}
			d.B = append(d.B, x)
		}
		if maybe() {
			d.C = make([]float32, r.IntN(4))
		}
		return d
	}
	for range r.IntN(4) {
		e.List, e.Repeated, e.Deep = append(e.List, r.Int64()), append(e.Repeated, text()), append(e.Deep, someDeep())
	}
	if maybe() {
		d, f := someDeep(), r.Float64()
		e.Maybe, e.Map = &d, map[string]*float64{text(): &f, "null": nil}
	}
	return e
}

// TestValuesLikeParquetGo writes files with the library, and reads them with both readers.
func TestValuesLikeParquetGo(t *testing.T) {
	codecs := map[string]compress.Codec{
		"plain": &parquet.Uncompressed, "snappy": &parquet.Snappy, "gzip": &parquet.Gzip, "zstd": &parquet.Zstd,
		"brotli": &parquet.Brotli, "lz4": &parquet.Lz4Raw,
	}
	for name, codec := range codecs {
		for version := 1; version <= 2; version++ {
			t.Run(fmt.Sprint(name, version), func(t *testing.T) {
				r := rand.New(rand.NewPCG(uint64(version), uint64(len(name))))
				var buf bytes.Buffer
				w := parquet.NewGenericWriter[everything](
					&buf, parquet.Compression(codec), parquet.DataPageVersion(version), parquet.PageBufferSize(700),
					parquet.MaxRowsPerRowGroup(120), parquet.DictionaryMaxBytes(60))
				for n := range 260 {
					_, err := w.Write([]everything{some(r, n)})
					require.NoError(t, err)
				}
				require.NoError(t, w.Close())
				likeParquetGo(t, buf.Bytes())
			})
		}
	}
}

// TestLargeValuesTakeTheRoomOfOne: only one large value at a time is in memory, without those of other rows and
// without the statistics, in which the library repeats whole values four times.
func TestLargeValuesTakeTheRoomOfOne(t *testing.T) {
	const size = 2 << 20
	type row struct {
		Text string `parquet:"text"`
	}
	r := rand.New(rand.NewPCG(1, 2))
	for name, codec := range map[string]compress.Codec{
		"plain": &parquet.Uncompressed, "snappy": &parquet.Snappy, "zstd": &parquet.Zstd, "lz4": &parquet.Lz4Raw,
	} {
		t.Run(name, func(t *testing.T) {
			var buf bytes.Buffer
			w := parquet.NewGenericWriter[row](&buf, parquet.Compression(codec))
			for range 8 {
				text := make([]byte, size)
				for i := range text {
					text[i] = " ,\"\nabcdefgh"[r.IntN(12)]
				}
				_, err := w.Write([]row{{string(text)}})
				require.NoError(t, err)
				require.NoError(t, w.Flush())
			}
			require.NoError(t, w.Close())
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			out := new(counted)
			require.NoError(t, Parquet(t.Context(),
				format.Source{Name: "a.parquet", Bytes: bytes.NewReader(buf.Bytes()), Size: int64(buf.Len())}, out))
			runtime.ReadMemStats(&after)
			require.Greater(t, out.bytes, 8*size)
			require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(5*size),
				"allocated for 8 values, from first to last")
		})
	}
}

// counted is an output that stores nothing.
type counted struct {
	format.Output
	bytes int
}

func (*counted) Kind(string) error       { return nil }
func (*counted) Begin(format.Part) error { return nil }
func (c *counted) Write(p []byte) (int, error) {
	c.bytes += len(p)
	return len(p), nil
}

// TestFilesLikeParquetGo reads files that DuckDB wrote.
func TestFilesLikeParquetGo(t *testing.T) {
	files, err := filepath.Glob("../../testdata/corpus/*.parquet")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			likeParquetGo(t, data)
		})
	}
}

// likeParquetGo requires the same schema, values and levels.
func likeParquetGo(t *testing.T, data []byte) {
	t.Helper()
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	require.NoError(t, err)
	src := format.Source{Name: "a.parquet", Bytes: bytes.NewReader(data), Size: int64(len(data))}
	footer, err := readFooter(src, newMetadataReader(src.Bytes))
	require.NoError(t, err)
	root, leaves, err := newTree(footer.Schema)
	require.NoError(t, err)
	require.Equal(t, f.Schema().String(), root.String())
	var u unpacker
	for g, group := range f.RowGroups() {
		for i, theirs := range group.ColumnChunks() {
			c, err := newChunk(leaves[i], src, newMetadataReader(src.Bytes), &u, &footer.RowGroups[g].Columns[i],
				new(pageRoom))
			require.NoError(t, err)
			var have []value
			for {
				n := len(have)
				have, err = c.row(have)
				require.NoError(t, err, leaves[i].name)
				if len(have) == n {
					break
				}
				for i := range have[n:] { // copies values, which are valid only until the next row
					have[n+i].bytes = bytes.Clone(have[n+i].bytes)
				}
			}
			require.Equal(t, valuesOf(t, theirs), have, leaves[i].name)
		}
	}
}

// valuesOf reads a column with the library.
func valuesOf(t *testing.T, c parquet.ColumnChunk) (values []value) {
	t.Helper()
	pages := c.Pages()
	defer func() { require.NoError(t, pages.Close()) }()
	for {
		page, err := pages.ReadPage()
		if err == io.EOF {
			return values
		}
		require.NoError(t, err)
		buf := make([]parquet.Value, page.NumValues())
		n, err := page.Values().ReadValues(buf)
		require.True(t, err == nil || err == io.EOF)
		require.Len(t, buf, n)
		for _, v := range buf {
			to := value{rep: v.RepetitionLevel(), def: v.DefinitionLevel(), null: v.IsNull()}
			switch v.Kind() {
			case parquet.Boolean:
				if v.Boolean() {
					to.bits = 1
				}
			case parquet.Int32, parquet.Float:
				to.bits = uint64(v.Uint32())
			case parquet.Int64, parquet.Double:
				to.bits = v.Uint64()
			case parquet.Int96:
				for _, word := range v.Int96() {
					to.bytes = binary.LittleEndian.AppendUint32(to.bytes, word)
				}
			case parquet.ByteArray, parquet.FixedLenByteArray:
				to.bytes = bytes.Clone(v.ByteArray())
				if to.bytes == nil {
					to.bytes = []byte{}
				}
			}
			values = append(values, to)
		}
	}
}
