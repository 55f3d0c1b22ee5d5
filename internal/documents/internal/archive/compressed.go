package archive

import (
	"bufio"
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

// maxWindow bounds the memory that a compressed file asks for to be unpacked. The strongest levels of xz and zstd want 64 and 128 MiB.
const maxWindow = 128 << 20

// unpacked is a stream that is read in the place of a compressed one, with what it says of itself.
type unpacked struct {
	io.Reader
	name     string
	modified time.Time
	close    func()
}

// Gzip is the converter of .gz and .tgz.
func Gzip(ctx context.Context, src format.Source, out format.Output) error {
	return compressed(ctx, src, out, "gzip", func(r io.Reader) (unpacked, error) {
		z, err := gzip.NewReader(r)
		if err != nil {
			return unpacked{}, err
		}
		return unpacked{Reader: z, name: z.Name, modified: z.ModTime}, nil
	})
}

// Bzip2 is the converter of .bz2.
func Bzip2(ctx context.Context, src format.Source, out format.Output) error {
	return compressed(ctx, src, out, "bzip2", func(r io.Reader) (unpacked, error) {
		return unpacked{Reader: bzip2.NewReader(r)}, nil
	})
}

// XZ is the converter of .xz.
func XZ(ctx context.Context, src format.Source, out format.Output) error {
	return compressed(ctx, src, out, "xz", func(r io.Reader) (unpacked, error) {
		head := make([]byte, 64)
		n, err := io.ReadFull(r, head)
		if n == 0 {
			return unpacked{}, err
		}
		if xzWindow(head[:n]) > maxWindow {
			return unpacked{}, errors.New("it needs more than 128 MiB of memory to be unpacked")
		}
		z, err := xz.NewReader(io.MultiReader(strings.NewReader(string(head[:n])), r))
		return unpacked{Reader: z}, err
	})
}

// xzWindow is the dictionary that the first block of an .xz file asks for; 0 if it is not found.
func xzWindow(head []byte) int64 {
	const lzma2 = 0x21
	if len(head) < 18 {
		return 0
	}
	block := head[12:]
	i := 2 // size of the header, flags
	for _, size := range []byte{0x40, 0x80} {
		if block[1]&size != 0 { // The size of the block packed or unpacked stands before the filters.
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

// Zstd is the converter of .zst.
func Zstd(ctx context.Context, src format.Source, out format.Output) error {
	return compressed(ctx, src, out, "zstd", func(r io.Reader) (unpacked, error) {
		z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return unpacked{}, err
		}
		return unpacked{Reader: z, close: z.Close}, nil
	})
}

// compressed hands over what is in a compressed file: one document, or the members of a tar.
func compressed(ctx context.Context, src format.Source, out format.Output, kind string, open func(io.Reader) (unpacked, error)) error {
	u, err := open(stopping{ctx, bufio.NewReaderSize(src.Reader(), 256<<10)})
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
			return out.Member(name, u.modified, r)
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

// memberName is the name of a compressed file without the extension that says so, or else the name that it has inside.
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
