// Package archive unpacks archives and compressed files. It passes on their members one after another, unconverted.
package archive

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/internal/documents/internal/charset"
)

// contextReader is a reader that fails once its context is done.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (s contextReader) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.r.Read(p)
}

// Tar is the converter for tar archives.
func Tar(ctx context.Context, src format.Source, out format.Output) error {
	if err := out.Kind("tar"); err != nil {
		return err
	}
	return readTar(ctx, src.Reader(), out)
}

// readTar reads an archive, and further ones appended to it.
func readTar(ctx context.Context, in io.Reader, out format.Output) error {
	rest := bufio.NewReader(contextReader{ctx, in})
	for n := 0; ; {
		before, end := n, &ending{r: rest}
		err := readEntries(tar.NewReader(end), out, &n)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case before > 0 && n == before && errors.Is(err, tar.ErrHeader):
			return nil // the rest is not an archive
		case err != nil:
			return err
		case end.zeros < block:
			return fmt.Errorf("the archive has no end: anything after its %d entries is cut off", n)
		case n == before || !goesOn(rest):
			return nil
		}
	}
}

func readEntries(r *tar.Reader, out format.Output, n *int) error {
	for ; ; *n++ {
		h, err := r.Next()
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return fmt.Errorf("the archive is damaged or cut off after %d entries: %w", *n, err)
		}
		name := charset.String(h.Name, "")
		reason := leftOut(name, h.FileInfo().Mode())
		if h.Typeflag == tar.TypeLink {
			reason = "it is a hard link to " + format.OneLine(h.Linkname)
		}
		switch {
		case h.Typeflag == tar.TypeDir || h.Typeflag == tar.TypeXGlobalHeader:
		case reason != "":
			err = out.Skip(name, reason)
		default:
			err = out.Member(name, h.ModTime, damageReader{r})
		}
		if err != nil {
			return err
		}
	}
}

const (
	block   = 512     // bytes of zeros that end an archive
	padding = 1 << 20 // bytes of zeros that may follow it
)

// ending counts the zero bytes at the end of the bytes read.
type ending struct {
	r     io.Reader
	zeros int
}

func (e *ending) Read(p []byte) (int, error) {
	n, err := e.r.Read(p)
	rest := len(bytes.TrimRight(p[:n], "\x00"))
	if rest > 0 {
		e.zeros = 0
	}
	e.zeros += n - rest
	return n, err
}

// goesOn skips the zeros that end an archive and reports whether more data follows.
func goesOn(r *bufio.Reader) bool {
	for range padding {
		if b, err := r.ReadByte(); err != nil {
			return false
		} else if b != 0 {
			return r.UnreadByte() == nil
		}
	}
	return false
}

// leftOut returns the reason to skip an entry of an archive; empty if the entry may be a document.
func leftOut(name string, mode fs.FileMode) string {
	base := path.Base(name)
	switch {
	case mode&fs.ModeSymlink != 0:
		return "it is a symbolic link"
	case mode&(fs.ModeDevice|fs.ModeCharDevice) != 0:
		return "it is a device"
	case mode&fs.ModeNamedPipe != 0:
		return "it is a pipe"
	case mode&fs.ModeSocket != 0:
		return "it is a socket"
	case strings.HasPrefix(name, "__MACOSX/"), strings.HasPrefix(base, "._") && len(base) > 2, base == ".DS_Store":
		return "it contains only macOS metadata"
	}
	return ""
}

// damaged describes an error of a compressed file.
func damaged(err error) error {
	switch {
	case errors.Is(err, format.ErrBomb), errors.Is(err, format.ErrPassword), errors.Is(err, errBehind),
		errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the compressed file is cut off")
	case errors.Is(err, zip.ErrChecksum), errors.Is(err, gzip.ErrChecksum):
		return errors.New("the compressed file is damaged: its checksum is wrong")
	case errors.Is(err, errWindow), errors.Is(err, zstd.ErrWindowSizeExceeded):
		return errWindow
	}
	return errors.New("the compressed file is damaged")
}

// damageReader turns decompression errors into messages for people.
type damageReader struct{ r io.Reader }

func (u damageReader) Read(p []byte) (int, error) {
	n, err := u.r.Read(p)
	if err != nil && err != io.EOF {
		err = damaged(err)
	}
	return n, err
}
