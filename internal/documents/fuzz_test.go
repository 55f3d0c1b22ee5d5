package documents

import (
	"archive/tar"
	"bytes"
	"context"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/internal/documents/format/formattest"

	"github.com/stretchr/testify/assert"
)

// Limits of one fuzzed conversion, chosen to keep the targets fast.
const (
	fuzzText    = 4 << 20
	fuzzMember  = 1 << 20
	fuzzMembers = 50
	fuzzTime    = 2 * time.Second
	fuzzSeed    = 64 << 10 // maximum size of a seed in bytes
)

func FuzzConvertPDF(f *testing.F)    { fuzzConvert(f, format.PDF) }
func FuzzConvertHTML(f *testing.F)   { fuzzConvert(f, format.HTML) }
func FuzzConvertZipped(f *testing.F) { fuzzConvert(f, format.Zip) }
func FuzzConvertMail(f *testing.F)   { fuzzConvert(f, format.Mail, format.Mbox) }
func FuzzConvertTables(f *testing.F) { fuzzConvert(f, format.Parquet, format.SQLite) }
func FuzzConvertOther(f *testing.F)  { fuzzConvert(f, format.Notebook, format.RTF, format.OLE) }
func FuzzConvertPacked(f *testing.F) {
	fuzzConvert(f, format.Tar, format.Gzip, format.Bzip2, format.XZ, format.Zstd)
}

// fuzzConvert starts with the test documents of these forms. Whatever the fuzzer produces is recognised and
// converted: no converter may panic, and every error must be readable for people.
func fuzzConvert(f *testing.F, forms ...format.Form) {
	seed := func(name string, data []byte) {
		form, _ := recogniseAll(data, name)
		if slices.Contains(forms, form) && len(data) <= fuzzSeed {
			f.Add(name, data)
		}
	}
	for _, name := range corpus(f) {
		seed(name, corpusFile(f, name))
	}
	for _, h := range hostileSeeds(f) {
		seed(h.name, h.data)
	}
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		form, _ := recogniseAll(data, name)
		c, ok := converters[form]
		if !ok {
			return
		}
		ctx, cancel := context.WithTimeout(t.Context(), fuzzTime)
		defer cancel()
		convert := func(ctx context.Context, src format.Source, out format.Output) error {
			return c.convert(ctx, src, &bounded{Output: out})
		}
		doc, err := formattest.Convert(ctx, convert, name, data)
		said := append([]string{doc.Kind}, doc.Notes...)
		if err != nil {
			said = append(said, err.Error())
		}
		for _, reason := range doc.Skipped {
			said = append(said, reason)
		}
		for _, s := range said {
			assert.False(t, technical.MatchString(s) ||
				strings.Contains(s, "not foreseen"), "as %s: %.300q is not for people", form, s)
		}
	})
}

var (
	makeSeeds sync.Once
	seeds     []hostile
)

// hostileSeeds returns the small hostile documents, created once for all targets.
func hostileSeeds(f *testing.F) []hostile {
	makeSeeds.Do(func() {
		for _, some := range [][]hostile{hostileOffice(f), hostilePages(f), hostilePDFs(f), hostileTables(f)} {
			keepSeeds(some)
		}
	})
	return append(smallArchives(), seeds...)
}

// slow are small documents that unpack to as much as is allowed: fuzzed variants would be just as slow.
var slow = map[string]bool{"content-bomb.pdf": true, "attributes.docx": true}

// keepSeeds keeps the small hostile documents, because creating all takes seconds.
func keepSeeds(all []hostile) {
	for _, h := range all {
		if len(h.data) <= fuzzSeed && !slow[h.name] {
			seeds = append(seeds, hostile{name: h.name, data: bytes.Clone(h.data)})
		}
	}
}

// smallArchives returns small versions of the large bombs.
func smallArchives() []hostile {
	return []hostile{
		{name: "sparse.tar", data: sparseTar()},
		{name: "huge.tar", data: patchedTar(10 << 30)},
		{name: "links.tar", data: tarOf(tar.Header{Name: "../up", Linkname: "/etc/passwd", Typeflag: tar.TypeSymlink},
			tar.Header{Name: "good.txt"})},
		{name: "zeros.zst", data: zstdZeros(20)},
		{name: "zeros.gz", data: gzipOf(make([]byte, 1<<20))},
		{name: "zeros.bz2", data: decoded(megabyteBzip2)},
		{name: "zeros.xz", data: decoded(megabyteXZ)},
		{name: "overlapping.zip", data: overlapping(20)},
	}
}

func recogniseAll(data []byte, name string) (format.Form, string) {
	return format.Recognise(data[:min(len(data), format.HeadLen)], int64(len(data)), name)
}

// bounded is an output with a low limit.
type bounded struct {
	format.Output
	text, members int
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.text += len(p); b.text > fuzzText {
		return 0, format.ErrTooLarge
	}
	return b.Output.Write(p)
}

func (b *bounded) Member(path string, modified time.Time, r io.Reader) error {
	if b.members++; b.members > fuzzMembers {
		return format.ErrTooLarge
	}
	return b.Output.Member(path, modified, io.LimitReader(r, fuzzMember))
}
