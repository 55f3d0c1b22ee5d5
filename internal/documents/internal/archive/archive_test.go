package archive_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"
	"github.com/ulikunitz/xz"

	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/internal/documents/format/formattest"
	"github.com/gorlm/rlm/internal/documents/internal/archive"
)

const corpus = "../../testdata/corpus/"

func convert(t *testing.T, c format.Converter, name string, data []byte) (formattest.Document, error) {
	t.Helper()
	return formattest.Convert(t.Context(), c, name, data)
}

func file(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(corpus + name)
	require.NoError(t, err)
	return b
}

// contents maps members to their contents.
func contents(t *testing.T, doc formattest.Document) map[string]string {
	t.Helper()
	m := map[string]string{}
	for _, member := range doc.Members {
		require.NoError(t, member.Err, member.Path)
		m[member.Path] = string(member.Bytes)
	}
	return m
}

// TestArchivesOfOtherToolsHoldTheSame reads the same files from all formats that tar, zip and 7z write.
func TestArchivesOfOtherToolsHoldTheSame(t *testing.T) {
	doc, err := convert(t, archive.Tar, "files.tar", file(t, "files.tar"))
	require.NoError(t, err)
	want := contents(t, doc)
	require.NotEmpty(t, want)
	for name, c := range map[string]format.Converter{
		"files.tar.bz2": archive.Bzip2, "files.tar.xz": archive.XZ, "files.tar.zst": archive.Zstd,
		"files.tgz":  archive.Gzip,
		"stored.zip": archive.Zip, "deflated.zip": archive.Zip, "bzip2.zip": archive.Zip, "lzma.zip": archive.Zip,
	} {
		t.Run(name, func(t *testing.T) {
			doc, err := convert(t, c, name, file(t, name))
			require.NoError(t, err)
			if filepath.Ext(name) == ".zip" {
				require.Equal(t, "zip", doc.Kind)
			} else {
				require.Equal(t, "tar", doc.Kind)
			}
			got := contents(t, doc)
			for member, content := range got {
				if other, ok := want[member]; ok {
					require.Equal(t, other, content, member)
				}
			}
			require.Len(t, got, len(want))
		})
	}
}

func TestCompressedFilesHoldOneDocument(t *testing.T) {
	want, err := os.ReadFile("../../testdata/expected/log.txt")
	require.NoError(t, err)
	for name, c := range map[string]format.Converter{
		"log.txt.gz": archive.Gzip, "log.txt.bz2": archive.Bzip2,
		"log.txt.xz": archive.XZ, "log.txt.zst": archive.Zstd,
	} {
		t.Run(name, func(t *testing.T) {
			doc, err := convert(t, c, "logs/"+name, file(t, name))
			require.NoError(t, err)
			require.Equal(t, map[string]string{"log.txt": string(want)}, contents(t, doc))
		})
		t.Run(name+" padded", func(t *testing.T) {
			doc, err := convert(t, c, name, append(file(t, name), make([]byte, 512)...))
			require.NoError(t, err)
			require.NoError(t, doc.Members[0].Err)
			require.Equal(t, map[string]string{"log.txt": string(want)}, contents(t, doc))
		})
		t.Run(name+" cut off", func(t *testing.T) {
			data := file(t, name)
			doc, err := convert(t, c, name, data[:len(data)/2])
			if err == nil {
				require.Len(t, doc.Members, 1)
				require.Error(t, doc.Members[0].Err)
			}
		})
		t.Run(name+" damaged", func(t *testing.T) {
			_, err := convert(t, c, name, []byte("not compressed at all"))
			require.ErrorContains(t, err, "the compressed file is")
		})
	}
}

func TestGzipOfManyStreamsAndItsNames(t *testing.T) {
	var b bytes.Buffer
	for _, s := range []string{"one ", "two"} {
		w := gzip.NewWriter(&b)
		w.Name, w.ModTime = "inside.txt", time.Unix(1e9, 0)
		_, err := io.WriteString(w, s)
		require.NoError(t, err)
		require.NoError(t, w.Close())
	}
	for name, want := range map[string]string{
		"a.csv.gz": "a.csv", "A.CSV.GZ": "A.CSV", "data": "inside.txt", "x/.gz": "inside.txt", "b.bin": "inside.txt",
	} {
		doc, err := convert(t, archive.Gzip, name, b.Bytes())
		require.NoError(t, err)
		require.Equal(t, "gzip", doc.Kind)
		require.Equal(t, map[string]string{want: "one two"}, contents(t, doc))
		require.Equal(t, int64(1e9), doc.Members[0].Modified.Unix())
	}
	doc, err := convert(t, archive.Gzip, "data", append(b.Bytes(), "and what a copier left"...))
	require.NoError(t, err)
	require.Equal(t, "one two", string(doc.Members[0].Bytes))
	require.EqualError(t, doc.Members[0].Err, "data after its end is not compressed, and was left out")
}

func TestTarKeepsOnlyFiles(t *testing.T) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range []tar.Header{
		{Name: "d/", Typeflag: tar.TypeDir},
		{Name: "d/a.txt", Typeflag: tar.TypeReg, Size: 1},
		{Name: "link", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"},
		{Name: "hard", Typeflag: tar.TypeLink, Linkname: "d/a.txt"},
		{Name: "null", Typeflag: tar.TypeChar},
		{Name: "pipe", Typeflag: tar.TypeFifo},
		{Name: "../../up.txt", Typeflag: tar.TypeReg, Size: 1},
		{Name: "d/._a.txt", Typeflag: tar.TypeReg, Size: 1},
		{Name: strings.Repeat("long/", 60) + "ü.txt", Typeflag: tar.TypeReg, Size: 1},
	} {
		require.NoError(t, w.WriteHeader(&h))
		if h.Size > 0 {
			_, err := w.Write([]byte("x"))
			require.NoError(t, err)
		}
	}
	require.NoError(t, w.Close())
	doc, err := convert(t, archive.Tar, "a.tar", b.Bytes())
	require.NoError(t, err)
	require.Equal(t, map[string]string{"d/a.txt": "x", "../../up.txt": "x", strings.Repeat("long/", 60) + "ü.txt": "x"},
		contents(t, doc))
	require.Equal(t, map[string]string{
		"link": "it is a symbolic link", "hard": "it is a hard link to d/a.txt", "null": "it is a device",
		"pipe":      "it is a pipe",
		"d/._a.txt": "it contains only macOS metadata",
	}, doc.Skipped)

	doc, err = convert(t, archive.Tar, "a.tar", b.Bytes()[:3*512+100])
	require.ErrorContains(t, err, "damaged or cut off after")
	require.Empty(t, doc.Members[1:])
}

// tarOf returns an archive of one-byte files.
func tarOf(t *testing.T, names ...string) []byte {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, name := range names {
		require.NoError(t, w.WriteHeader(&tar.Header{Name: name, Size: 1}))
		_, err := w.Write([]byte("x"))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

// TestTarsBehindEachOther: data after the end of an archive is read if it is an archive, and an archive without an
// end counts as truncated.
func TestTarsBehindEachOther(t *testing.T) {
	one, two := tarOf(t, "a", "b"), tarOf(t, "c")
	for name, c := range map[string]struct {
		data   []byte
		holds  int
		reason string
	}{
		"two":      {slices.Concat(one, two), 3, ""},
		"padded":   {slices.Concat(one, make([]byte, 20<<10), two, make([]byte, 512)), 3, ""},
		"no tar":   {slices.Concat(one, bytes.Repeat([]byte("left by the copier"), 100)), 2, ""},
		"cut":      {one[:700], 1, "has no end"},
		"no end":   {one[:1024], 1, "has no end"},
		"cut then": {slices.Concat(one, two[:700]), 3, "has no end"},
	} {
		t.Run(name, func(t *testing.T) {
			doc, err := convert(t, archive.Tar, "a.tar", c.data)
			require.Len(t, contents(t, doc), c.holds)
			if c.reason == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, c.reason)
			}
		})
	}
}

func TestZipMembersThatCannotBeRead(t *testing.T) {
	doc, err := convert(t, archive.Zip, "secret.zip", file(t, "secret.zip"))
	require.NoError(t, err)
	require.Empty(t, doc.Members)
	require.NotEmpty(t, doc.Skipped)
	for _, reason := range doc.Skipped {
		require.Equal(t, "it is password-protected", reason)
	}

	data := zipped(t, map[string]string{"a.txt": strings.Repeat("abc ", 1000), "b.txt": "fine"})
	at := bytes.Index(data, []byte("a.txt")) + 10
	data[at] ^= 0xFF
	doc, err = convert(t, archive.Zip, "a.zip", data)
	require.NoError(t, err)
	require.Len(t, doc.Members, 2)
	for _, m := range doc.Members {
		if m.Path == "a.txt" {
			require.Error(t, m.Err)
		} else {
			require.NoError(t, m.Err)
			require.Equal(t, "fine", string(m.Bytes))
		}
	}

	_, err = convert(t, archive.Zip, "a.zip", data[:len(data)/2])
	require.ErrorContains(t, err, "damaged or cut off")
}

func zipped(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, content := range files {
		f, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, NonUTF8: true})
		require.NoError(t, err)
		_, err = io.WriteString(f, content)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

// TestZipsOfNewerPrograms: WinZip and 7-Zip also pack members with zstd and xz.
func TestZipsOfNewerPrograms(t *testing.T) {
	text := strings.Repeat("packed anew\n", 100)
	for method, writer := range map[uint16]func(w io.Writer) (io.WriteCloser, error){
		93: func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) },
		95: func(w io.Writer) (io.WriteCloser, error) { return xz.NewWriter(w) },
	} {
		var packed, b bytes.Buffer
		p, err := writer(&packed)
		require.NoError(t, err)
		_, err = io.WriteString(p, text)
		require.NoError(t, err)
		require.NoError(t, p.Close())
		w := zip.NewWriter(&b)
		f, err := w.CreateRaw(&zip.FileHeader{
			Name: "a.txt", Method: method, CRC32: crc32.ChecksumIEEE([]byte(text)),
			CompressedSize64: uint64(packed.Len()), UncompressedSize64: uint64(len(text)),
		})
		require.NoError(t, err)
		_, err = packed.WriteTo(f)
		require.NoError(t, err)
		require.NoError(t, w.Close())
		doc, err := convert(t, archive.Zip, "a.zip", b.Bytes())
		require.NoError(t, err)
		require.Len(t, doc.Members, 1, "method %d: %v", method, doc.Skipped)
		require.Equal(t, text, string(doc.Members[0].Bytes), "method %d", method)
	}
}

func TestZipNamesInOldEncodings(t *testing.T) {
	for raw, want := range map[string]string{
		"Stra\xE1e \x81ber.txt":                     "Straße über.txt", // code page 437
		"\xD6\xD0\xCE\xC4/\xC4\xE3\xBA\xC3.txt":     "中文/你好.txt",       // GBK
		"\x90V\x82\xb5\x82\xa2\x95\xf1\x8d\x90.txt": "新しい報告.txt",       // Shift-JIS
		"\x8F\xE0\xA8\xA2\xA5\xE2.txt":              "Привет.txt",      // code page 866
		"Stra\xDFe \xFCber.txt":                     "Straße über.txt", // windows-1252
		"grün.txt":                                  "grün.txt",        // UTF-8 without the UTF-8 flag
		`dir\file.txt`:                              "dir/file.txt",
	} {
		doc, err := convert(t, archive.Zip, "a.zip", zipped(t, map[string]string{raw: "x"}))
		require.NoError(t, err)
		require.Equal(t, map[string]string{want: "x"}, contents(t, doc))
		guessed := strings.HasPrefix(raw, "Stra") || strings.HasPrefix(raw, "\x8F")
		require.Equal(t, guessed, strings.Contains(strings.Join(doc.Notes, ""), "its name: encoding guessed: "))
	}
}

// TestZipMembersOfOneName: each member gets its own name.
func TestZipMembersOfOneName(t *testing.T) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, text := range []string{"one", "two", "three"} {
		f, err := w.Create("d/same.txt")
		require.NoError(t, err)
		_, err = io.WriteString(f, text)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	doc, err := convert(t, archive.Zip, "a.zip", b.Bytes())
	require.NoError(t, err)
	require.Equal(t, map[string]string{"d/same.txt": "one", "d/same (2).txt": "two", "d/same (3).txt": "three"},
		contents(t, doc))
}

func TestZipWhoseMembersOverlap(t *testing.T) {
	data := zipped(t, map[string]string{"a.txt": strings.Repeat("abcdefgh", 10000) + "and more"})
	dir := bytes.Index(data, []byte("PK\x01\x02"))
	end := bytes.Index(data, []byte("PK\x05\x06"))
	entry := data[dir:end]
	bomb := append([]byte{}, data[:dir]...)
	const n = 60000
	bomb = append(bomb, bytes.Repeat(entry, n)...)
	bomb = append(bomb, data[end:]...)
	at := len(bomb) - len(data[end:])
	binary.LittleEndian.PutUint16(bomb[at+8:], n)
	binary.LittleEndian.PutUint16(bomb[at+10:], n)
	binary.LittleEndian.PutUint32(bomb[at+12:], uint32(len(entry)*n))
	doc, err := convert(t, archive.Zip, "bomb.zip", bomb)
	require.ErrorContains(t, err, "overlap")
	require.Empty(t, doc.Members)
}

func TestUnpackingStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]format.Converter{
		"files.tar": archive.Tar, "files.tgz": archive.Gzip, "stored.zip": archive.Zip, "log.txt.zst": archive.Zstd,
	} {
		_, err := formattest.Convert(ctx, c, name, file(t, name))
		require.ErrorIs(t, err, context.Canceled, name)
	}
}

// TestTooLargeWindows: files that need gigabytes for decompression are refused before allocating them.
func TestTooLargeWindows(t *testing.T) {
	data := file(t, "log.txt.xz")
	data[16] = 40 // a dictionary of 4 GiB, refused before the header's checksum is verified
	_, err := convert(t, archive.XZ, "a.xz", data)
	require.ErrorContains(t, err, "128 MiB")
}

func FuzzArchives(f *testing.F) {
	for _, name := range []string{"log.txt.gz", "log.txt.bz2", "log.txt.xz", "log.txt.zst", "secret.zip"} {
		b, err := os.ReadFile(corpus + name)
		require.NoError(f, err)
		f.Add(b)
	}
	all := []format.Converter{archive.Zip, archive.Tar, archive.Gzip, archive.Bzip2, archive.XZ, archive.Zstd}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, c := range all {
			_, _ = formattest.Convert(t.Context(), limited(c), "a", data)
		}
	})
}

// limited limits the output of fuzzed archives.
func limited(c format.Converter) format.Converter {
	return func(ctx context.Context, src format.Source, out format.Output) error { return c(ctx, src, small{out}) }
}

type small struct{ format.Output }

func (s small) Member(path string, modified time.Time, r io.Reader) error {
	return s.Output.Member(path, modified, io.LimitReader(r, 1<<20))
}
