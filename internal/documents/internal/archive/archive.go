// Package archive unpacks archives and compressed files. It hands their members over as they are, one after the other, and reads none
// of them.
package archive

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/internal/documents/internal/charset"
)

// stopping is a reader that ends with its context.
type stopping struct {
	ctx context.Context
	r   io.Reader
}

func (s stopping) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.r.Read(p)
}

// Tar is the converter of tar archives.
func Tar(ctx context.Context, src format.Source, out format.Output) error {
	if err := out.Kind("tar"); err != nil {
		return err
	}
	return readTar(ctx, src.Reader(), out)
}

func readTar(ctx context.Context, in io.Reader, out format.Output) error {
	r := tar.NewReader(stopping{ctx, in})
	for n := 0; ; n++ {
		h, err := r.Next()
		switch {
		case err == io.EOF:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return fmt.Errorf("the archive is damaged or cut off after %d entries: %w", n, err)
		}
		name := charset.String(h.Name, "")
		reason := leftOut(name, h.FileInfo().Mode())
		if h.Typeflag == tar.TypeLink {
			reason = "it is another name of " + format.OneLine(h.Linkname)
		}
		switch {
		case h.Typeflag == tar.TypeDir || h.Typeflag == tar.TypeXGlobalHeader:
		case reason != "":
			err = out.Skip(name, reason)
		default:
			err = out.Member(name, h.ModTime, r)
		}
		if err != nil {
			return err
		}
	}
}

// leftOut says why an entry of an archive is no document; empty if it may be one.
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
		return "macOS keeps its own notes in it"
	}
	return ""
}

// damaged says what is wrong with a compressed file.
func damaged(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the compressed file is cut off")
	}
	return fmt.Errorf("the compressed file is damaged: %w", err)
}
