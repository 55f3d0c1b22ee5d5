package sheets

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/documents/format"
)

// BenchmarkLarge converts a workbook of RLM_XLSX_MB megabytes (file size, default 4): dates, numbers, inline and
// shared strings.
func BenchmarkLarge(b *testing.B) {
	megabytes, err := strconv.Atoi(os.Getenv("RLM_XLSX_MB"))
	if err != nil {
		megabytes = 4
	}
	data := large(b, megabytes<<20)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		out := &counter{}
		src := format.Source{Name: "large.xlsx", Bytes: bytes.NewReader(data), Size: int64(len(data))}
		require.NoError(b, Convert(context.Background(), src, out))
		b.ReportMetric(float64(out.n)/1e6, "MB-text")
		b.ReportMetric(float64(out.peak-min(out.peak, uint64(len(data))))/1e6, "MB-heap")
	}
}

// large returns a workbook of about size bytes.
func large(tb testing.TB, size int) []byte {
	var buf bytes.Buffer
	z := zip.NewWriter(&buf)
	put := func(name, text string) io.Writer {
		w, err := z.Create(name)
		if err == nil {
			_, err = io.WriteString(w, text)
		}
		require.NoError(tb, err)
		return w
	}
	const main = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`
	const rels = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`
	const kind = `http://schemas.openxmlformats.org/officeDocument/2006/relationships/`
	put("_rels/.rels", rels+`<Relationship Id="a" Type="`+kind+`officeDocument" Target="book.xml"/></Relationships>`)
	put("_rels/book.xml.rels",
		rels+`<Relationship Id="s" Type="`+kind+`worksheet" Target="one.xml"/><Relationship Id="t" Type="`+kind+
			`sharedStrings" Target="texts.xml"/><Relationship Id="y" Type="`+kind+
			`styles" Target="styles.xml"/></Relationships>`)
	put("book.xml", `<workbook `+main+`><sheets><sheet name="Large" sheetId="1" r:id="s"/></sheets></workbook>`)
	put("styles.xml", `<styleSheet `+main+
		`><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="4"/></cellXfs></styleSheet>`)
	random := rand.New(rand.NewPCG(1, 2))
	w := put("texts.xml", `<sst `+main+`>`)
	const shared = 50_000
	for i := range shared {
		fmt.Fprintf(w, "<si><t>Shared text %d of %x</t></si>", i, random.Uint64())
	}
	io.WriteString(w, "</sst>")
	w = put("one.xml", `<worksheet `+main+`><dimension ref="A1:F1048576"/><sheetData>`)
	for row := 1; buf.Len() < size; row++ {
		fmt.Fprintf(w, `<row r="%d" spans="1:6"><c r="A%d" s="1"><v>%d</v></c><c r="B%d" s="2"><v>%v</v></c><c r="C%d" t="s"><v>%d</v></c><c r="D%d"><v>%d</v></c><c r="E%d" t="s" s="0"><v>%d</v></c><c r="F%d" t="str"><f>A%d+B%d</f><v>Text %d</v></c></row>`,
			row, row, 40000+random.IntN(6000), row, float64(random.IntN(1e8))/100, row, random.IntN(shared), row,
			random.IntN(1e6), row, random.IntN(shared), row, row, row, random.IntN(1e5))
	}
	io.WriteString(w, "</sheetData></worksheet>")
	require.NoError(tb, z.Close())
	return buf.Bytes()
}

// counter is an output that counts bytes and samples the heap.
type counter struct {
	n, looked int
	peak      uint64
}

func (c *counter) Kind(string) error                         { return nil }
func (c *counter) Meta(string, string) error                 { return nil }
func (c *counter) Begin(format.Part) error                   { return nil }
func (c *counter) Member(string, time.Time, io.Reader) error { return nil }
func (c *counter) Note(string) error                         { return nil }
func (c *counter) Skip(string, string) error                 { return nil }

func (c *counter) Write(p []byte) (int, error) {
	if c.n += len(p); c.n-c.looked > 4<<20 {
		c.looked = c.n
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		c.peak = max(c.peak, m.HeapInuse)
	}
	return len(p), nil
}
