package unzip_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/internal/documents/internal/unzip"
)

// contents returns the members of an archive; for an unreadable member, the part before the error.
func contents(t *testing.T, data []byte) (all map[string]string, cut bool) {
	t.Helper()
	z, cut, err := unzip.Open(format.Source{Bytes: bytes.NewReader(data), Size: int64(len(data))})
	require.NoError(t, err)
	all = map[string]string{}
	for _, f := range z.File {
		if r, err := f.Open(); err == nil {
			text, _ := io.ReadAll(r)
			all[f.Name] = string(text)
		}
	}
	return all, cut
}

// TestWithoutTheList: the same members are found by their own headers, without the archive's directory, in archives
// from several writers.
func TestWithoutTheList(t *testing.T) {
	paths, err := filepath.Glob("../../testdata/corpus/*")
	require.NoError(t, err)
	tried := 0
	for _, path := range paths {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		if !bytes.HasPrefix(data, []byte("PK\x03\x04")) {
			continue
		}
		want, cut := contents(t, data)
		require.False(t, cut, path)
		list := binary.LittleEndian.Uint32(data[bytes.LastIndex(data, []byte("PK\x05\x06"))+16:])
		got, cut := contents(t, data[:list])
		if !cut {
			continue // the archive ends with a nested one, whose directory was found instead
		}
		tried++
		for name, text := range want {
			if !strings.HasSuffix(name, "/") {
				require.True(t, text == got[name], "%s: %s", path, name)
			}
		}
	}
	require.Greater(t, tried, 10)
}

// TestCutAnywhere: complete members stay complete, and the last one has its beginning.
func TestCutAnywhere(t *testing.T) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	want := map[string]string{}
	for _, name := range []string{"a.txt", "b/ü.txt", "c.txt"} {
		f, err := w.Create(name) // a streamed member, with its sizes after the data
		require.NoError(t, err)
		for i := range 4000 {
			want[name] += name + strings.Repeat(string(rune('a'+i%7)), i%13) + "\n"
		}
		_, err = io.WriteString(f, want[name])
		require.NoError(t, err)
	}
	f, err := w.CreateRaw(&zip.FileHeader{
		Name: "stored.txt", Method: zip.Store, CRC32: 0xD87F7E0C, CompressedSize64: 4, UncompressedSize64: 4,
	})
	require.NoError(t, err)
	_, err = io.WriteString(f, "test")
	require.NoError(t, err)
	require.NoError(t, w.Close())
	for size := 200; size < b.Len()-22; size += 97 {
		got, cut := contents(t, b.Bytes()[:size])
		require.True(t, cut)
		for name, text := range got {
			require.True(t, strings.HasPrefix(want[name]+"test", text), "%s of %d bytes", name, size)
		}
		for _, name := range []string{"a.txt", "b/ü.txt"} { // members that are followed by another one
			if end := bytes.Index(b.Bytes(),
				[]byte(map[string]string{"a.txt": "b/ü.txt", "b/ü.txt": "c.txt"}[name])); size > end {
				require.True(t, want[name] == got[name], "%s of %d bytes", name, size)
			}
		}
	}
	_, _, err = unzip.Open(format.Source{Bytes: strings.NewReader("PK\x03\x04 and nothing of the kind"), Size: 30})
	require.ErrorContains(t, err, "damaged or cut off")
}

func FuzzOpen(f *testing.F) {
	f.Add([]byte("PK\x03\x04\x14\x00\x08\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00a\x03\x00PK\x07\x08"))
	f.Fuzz(func(_ *testing.T, data []byte) {
		z, _, err := unzip.Open(format.Source{Bytes: bytes.NewReader(data), Size: int64(len(data))})
		if err != nil {
			return
		}
		for _, m := range z.File {
			if r, err := m.Open(); err == nil {
				_, _ = io.Copy(io.Discard, io.LimitReader(r, 1<<20))
			}
		}
	})
}
