package container_test

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/internal/documents/internal/container"
	"github.com/gorlm/rlm/internal/documents/internal/golden"
)

func open(t *testing.T, data []byte) *container.Archive {
	a, err := container.Open(
		context.Background(), format.Source{Bytes: bytes.NewReader(data), Size: int64(len(data))}, nil)
	require.NoError(t, err)
	return a
}

// TestNames: parts are found under the names that producers write, and no name escapes the archive.
func TestNames(t *testing.T) {
	a := open(t, golden.Zip(t, "word/Document.xml", "1", `ppt\slides\a.xml`, "2", "../../etc/passwd", "3", "a b.xhtml",
		"4", "word/Document.xml", "twice"))
	for name, want := range map[string]string{
		"word/Document.xml": "1", "/word/document.XML": "1", "word/../word/Document.xml": "1", "ppt/slides/a.xml": "2",
		"etc/passwd": "3", "a%20b.xhtml": "4",
	} {
		part, err := a.Open(name)
		require.NoError(t, err, name)
		b, err := io.ReadAll(part)
		require.NoError(t, err, name)
		require.Equal(t, want, string(b))
	}
	_, err := a.Open("%2570assed/%zz")
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.Equal(t, "a/c.xml", container.Resolve("a/b/x.xml", "../c.xml#here"))
	require.Equal(t, "c.xml", container.Resolve("a/b/x.xml", "/../../c.xml"))
}

// TestBomb: an archive that decompresses to far more than its size is rejected, even if each part is small.
func TestBomb(t *testing.T) {
	part := strings.Repeat("x", 40<<20)
	a := open(t, golden.Zip(t, "1", part, "2", part, "3", part))
	var err error
	for _, name := range a.Names() {
		var r io.ReadCloser
		r, err = a.Open(name)
		require.NoError(t, err)
		if _, err = io.Copy(io.Discard, r); err != nil {
			break
		}
	}
	require.ErrorIs(t, err, format.ErrBomb)
}

// TestReasonsAreForPeople: errors of a part are in plain words for every compression method.
func TestReasonsAreForPeople(t *testing.T) {
	data := golden.Zip(t, "a.xml", strings.Repeat("words of many kinds, ", 40))
	data[40] ^= 0xFF
	a := open(t, data)
	part, err := a.Open("a.xml")
	require.NoError(t, err)
	_, err = io.ReadAll(part)
	require.EqualError(t, err, "its compressed data is damaged")
	_, err = a.Open("b.xml")
	require.EqualError(t, err, "its part b.xml is missing")
	require.ErrorIs(t, err, fs.ErrNotExist)
}
