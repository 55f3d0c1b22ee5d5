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

var errUnpack = errors.New("a page does not unpack to the size that it states")

// unpacker decompresses the pages of a file.
type unpacker struct{ zstd *zstd.Decoder }

// zstdRatio is the maximum ratio of zstd: a block of four bytes may encode 128 KiB.
const zstdRatio = 32 << 10

// unpack decompresses data to size bytes, into to if it is large enough. It never allocates more than data can
// fill.
func (u *unpacker) unpack(codec format.CompressionCodec, data []byte, size int, to []byte) ([]byte, error) {
	switch codec {
	case format.Snappy:
		if n, err := snappy.DecodedLen(data); err != nil || n > size || n > 64*len(data) {
			return nil, errors.Join(errUnpack, err)
		}
		return snappy.Decode(to[:cap(to)], data)
	case format.Lz4Raw:
		if size > 256*len(data) {
			return nil, errUnpack
		}
		to = room(to, size)
		n, err := lz4.UncompressBlock(data, to)
		return to[:max(n, 0)], err
	case format.Gzip:
		r, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			return nil, err
		}
		return upTo(r, size, to)
	case format.Zstd:
		if size > zstdRatio*len(data) {
			return nil, errUnpack
		}
		if u.zstd == nil {
			var err error
			u.zstd, err = zstd.NewReader(
				nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecodeAllCapLimit(true))
			if err != nil {
				return nil, err
			}
		}
		to, err := u.zstd.DecodeAll(data, room(to, size)[:0])
		if err == nil && len(to) != size {
			err = errUnpack
		}
		return to, err
	case format.Brotli:
		return upTo(brotli.NewReader(bytes.NewReader(data)), size, to)
	}
	return nil, fmt.Errorf("it is compressed with %v, which is not supported", codec)
}

// upTo reads at most size bytes, into to if it is large enough. It allocates as it reads.
func upTo(r io.Reader, size int, to []byte) ([]byte, error) {
	b := to[:0]
	for len(b) < size {
		if len(b) == cap(b) {
			b = append(make([]byte, 0, min(size, max(2*cap(b), firstRoom))), b...)
		}
		n, err := r.Read(b[len(b):min(cap(b), size)])
		b = b[:len(b)+n]
		switch {
		case err == io.EOF && len(b) < size:
			return nil, errUnpack
		case err != nil && err != io.EOF:
			return nil, err
		}
	}
	return b, nil
}

// firstRoom is the initial buffer for a page, in bytes: most pages are not larger.
const firstRoom = 1 << 20
