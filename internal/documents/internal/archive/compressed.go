package archive

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"context"
	"errors"
	"io"
	"path"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"

	"github.com/gorlm/rlm/internal/documents/format"
)

// maxWindow limits the memory that decompression of a file may need. The strongest levels of xz and zstd need 64
// and 128 MiB.
const maxWindow = 128 << 20

var errWindow = errors.New("unpacking it needs more than 128 MiB of memory")

// decompressedStream is the decompressed content of a file, with its metadata.
type decompressedStream struct {
	io.Reader
	name     string
	modified time.Time
	close    func()
}

// Gzip is the converter for .gz and .tgz.
func Gzip(ctx context.Context, src format.Source, out format.Output) error {
	return compressed(ctx, src, out, "gzip", func(r io.Reader) (decompressedStream, error) {
		packed := &countingReader{r: r}
		in := bufio.NewReaderSize(packed, 64<<10)
		z, err := gzip.NewReader(in)
		if err != nil {
			return decompressedStream{}, err
		}
		z.Multistream(false)
		return decompressedStream{Reader: &streams{z: z, in: in, packed: packed}, name: z.Name, modified: z.ModTime},
			nil
	})
}

// errBehind reports uncompressed data after the end of a compressed file.
var errBehind = errors.New("data after its end is not compressed, and was left out")

// streams reads the streams of a gzip file one after another. Padding with zeros may follow them, as on tapes.
type streams struct {
	z      *gzip.Reader
	in     *bufio.Reader
	packed *countingReader
	n      int64 // decompressed bytes
}

func (s *streams) Read(p []byte) (int, error) {
	for {
		n, err := s.z.Read(p)
		if s.n += int64(n); isBomb(s.n, s.packed.n) {
			return 0, format.ErrBomb
		}
		switch {
		case err != io.EOF:
			return n, err
		case n > 0:
			return n, nil
		}
		if head, _ := s.in.Peek(64); !bytes.HasPrefix(head, []byte("\x1F\x8B\x08")) {
			if len(bytes.Trim(head, "\x00")) > 0 {
				return 0, errBehind
			}
			return 0, io.EOF
		}
		if err := s.z.Reset(s.in); err != nil {
			return 0, err
		}
		s.z.Multistream(false)
	}
}

// countingReader counts the bytes read.
type countingReader struct {
	r io.Reader
	n int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// isBomb reports whether the compression ratio is higher than that of any real text. The maximum of DEFLATE is
// 1032.
func isBomb(unpacked, packed int64) bool { return unpacked > 8<<20 && unpacked/900 > packed }

// Bzip2 is the converter for .bz2.
func Bzip2(ctx context.Context, src format.Source, out format.Output) error {
	return compressed(ctx, src, out, "bzip2", func(r io.Reader) (decompressedStream, error) {
		return decompressedStream{Reader: &unpadded{
			r: bzip2.NewReader(r), padding: bzip2.StructuralError("bad magic value in continuation file"),
		}}, nil
	})
}

// unpadded is a reader that ends at the padding that tapes and disks add after the last stream.
type unpadded struct {
	r         io.Reader
	padding   error // the error that padding causes
	some, end bool
}

func (u *unpadded) Read(p []byte) (int, error) {
	if u.end {
		return 0, io.EOF
	}
	n, err := u.r.Read(p)
	if u.some = u.some || n > 0; u.some && errors.Is(err, u.padding) {
		u.end, err = true, io.EOF
	}
	return n, err
}

// XZ is the converter for .xz.
func XZ(ctx context.Context, src format.Source, out format.Output) error {
	return compressed(ctx, src, out, "xz", func(r io.Reader) (decompressedStream, error) {
		head := make([]byte, 64)
		n, err := io.ReadFull(r, head)
		if n == 0 {
			return decompressedStream{}, err
		}
		if xzWindow(head[:n]) > maxWindow {
			return decompressedStream{}, errWindow
		}
		z, err := xz.NewReader(io.MultiReader(strings.NewReader(string(head[:n])), r))
		return decompressedStream{Reader: z}, err
	})
}

// xzWindow returns the dictionary size that the first block of an .xz file declares; 0 if it is not found.
func xzWindow(head []byte) int64 {
	const lzma2 = 0x21
	if len(head) < 18 {
		return 0
	}
	block := head[12:]
	i := 2 // skips the header's size and flags
	for _, size := range []byte{0x40, 0x80} {
		if block[1]&size != 0 { // the block's sizes precede the filters
			for i < len(block) && block[i]&0x80 != 0 {
				i++
			}
			i++
		}
	}
	for i+2 < len(block) {
		id, props := block[i], int(block[i+1])
		if id == lzma2 {
			if bits := block[i+2]; bits < 40 {
				return int64(2|bits&1) << (bits/2 + 11)
			}
			return 4 << 30
		}
		i += 2 + props
	}
	return 0
}

// Zstd is the converter for .zst.
func Zstd(ctx context.Context, src format.Source, out format.Output) error {
	return compressed(ctx, src, out, "zstd", func(r io.Reader) (decompressedStream, error) {
		z, err := zstd.NewReader(
			r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return decompressedStream{}, err
		}
		return decompressedStream{Reader: &unpadded{r: z, padding: zstd.ErrMagicMismatch}, close: z.Close}, nil
	})
}

// compressed passes on the content of a compressed file: one document, or the members of a tar.
func compressed(
	ctx context.Context, src format.Source, out format.Output, kind string,
	open func(io.Reader) (decompressedStream, error),
) error {
	u, err := open(contextReader{ctx, bufio.NewReaderSize(src.Reader(), 256<<10)})
	if err == nil {
		if u.close != nil {
			defer u.close()
		}
		r := bufio.NewReaderSize(u, 64<<10)
		var head []byte
		head, err = r.Peek(format.HeadLen)
		if len(head) > 0 || err == io.EOF {
			name := memberName(src.Name, u.name)
			form, _ := format.Recognise(head, int64(len(head)), name)
			if form == format.Tar {
				if err := out.Kind("tar"); err != nil {
					return err
				}
				return readTar(ctx, r, out)
			}
			if err := out.Kind(kind); err != nil {
				return err
			}
			return out.Member(name, u.modified, damageReader{r})
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if kindErr := out.Kind(kind); kindErr != nil {
		return kindErr
	}
	return damaged(err)
}

// memberName returns the name of a compressed file without its extension, or else the name stored inside.
func memberName(name, inside string) string {
	name = path.Base(name)
	ext := path.Ext(name)
	switch strings.ToLower(ext) {
	case ".tgz", ".tbz", ".tbz2", ".txz", ".tzst":
		return strings.TrimSuffix(name, ext) + ".tar"
	case ".gz", ".bz2", ".xz", ".zst", ".zstd", ".bz":
		if stem := strings.TrimSuffix(name, ext); stem != "" {
			return stem
		}
	case ".svgz":
		return strings.TrimSuffix(name, ext) + ".svg"
	}
	if inside != "" {
		return path.Base(strings.ReplaceAll(inside, `\`, "/"))
	}
	return name
}
