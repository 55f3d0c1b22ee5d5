package columns

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"
)

var errUnpack = errors.New("a page unpacks to another size than it says")

// unpacker unpacks the pages of a file.
type unpacker struct{ zstd *zstd.Decoder }

// maxWindow is how far zstd looks back, more than its writers use without being asked for a long distance.
const maxWindow = 128 << 20

// unpack is what was packed into data, size bytes. It makes no more room than data can fill.
func (u *unpacker) unpack(codec format.CompressionCodec, data []byte, size int) ([]byte, error) {
	switch codec {
	case format.Uncompressed:
		return data, nil
	case format.Snappy:
		if n, err := snappy.DecodedLen(data); err != nil || n > size || n > 64*len(data) {
			return nil, errors.Join(errUnpack, err)
		}
		return snappy.Decode(nil, data)
	case format.Lz4Raw:
		if size > 256*len(data) {
			return nil, errUnpack
		}
		to := make([]byte, size)
		n, err := lz4.UncompressBlock(data, to)
		return to[:max(n, 0)], err
	case format.Gzip:
		r, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			return nil, err
		}
		return upTo(r, size)
	case format.Zstd:
		if u.zstd == nil {
			var err error
			u.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
			if err != nil {
				return nil, err
			}
		}
		if err := u.zstd.Reset(bytes.NewReader(data)); err != nil {
			return nil, err
		}
		return upTo(u.zstd, size)
	case format.Brotli:
		return upTo(brotli.NewReader(bytes.NewReader(data)), size)
	}
	return nil, fmt.Errorf("it is packed with %v, which is not read", codec)
}

// upTo reads size bytes, and no more.
func upTo(r io.Reader, size int) ([]byte, error) {
	var b bytes.Buffer
	b.Grow(min(size, firstRoom))
	if _, err := b.ReadFrom(io.LimitReader(r, int64(size))); err != nil {
		return nil, err
	}
	if b.Len() < size {
		return nil, errUnpack
	}
	return b.Bytes(), nil
}

// firstRoom is made for a page before it is there: most are no larger.
const firstRoom = 1<<20 + bytes.MinRead
