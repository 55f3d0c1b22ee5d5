package columns

import (
	"errors"
	"fmt"
	"io"
	mathbits "math/bits"

	"github.com/parquet-go/parquet-go/format"

	documents "github.com/gorlm/rlm/internal/documents/format"
)

// chunk reads the values of a column in a row group, page by page.
type chunk struct {
	leaf       *node
	in         io.ReaderAt
	at, end    int64
	metadata   *metadataReader
	unpacker   *unpacker
	codec      format.CompressionCodec
	dictionary []value

	*pageRoom

	left     int64 // values left in the chunk
	inPage   int   // values left in the page
	rep, def *hybrid
	values   decoder

	ahead value // the next value
	has   bool
}

// maxRow is the largest number of values that a column may have in a row.
const maxRow = 16 << 20

var (
	errRow    = fmt.Errorf("a row has more than %d values", maxRow)
	errPage   = errors.New("a page is damaged")
	errCipher = errors.New("it is encrypted")
)

// pageRoom has the buffers for a page of a column; the next page reuses them.
type pageRoom struct{ raw, unpacked []byte }

func newChunk(
	leaf *node, src documents.Source, m *metadataReader, u *unpacker, of *columnChunk, room *pageRoom,
) (*chunk, error) {
	meta := &of.Metadata
	if of.FilePath != "" {
		return nil, errors.New("its values are in another file")
	}
	if of.CryptoMetadata.Value != nil {
		return nil, errCipher
	}
	c := &chunk{
		leaf: leaf, in: src.Bytes, at: meta.DataPageOffset, end: src.Size, metadata: m,
		unpacker: u, codec: meta.Codec, left: meta.NumValues, pageRoom: room,
	}
	if d := meta.DictionaryPageOffset; d > 0 && d < c.at {
		c.at = d
	}
	if meta.Type != leaf.physical || c.at < 4 || c.at > src.Size ||
		leaf.physical == format.FixedLenByteArray && leaf.length <= 0 {
		return nil, errPage
	}
	return c, nil
}

// peek reads the next value into ahead; ok is false at the end.
func (c *chunk) peek() (ok bool, err error) {
	if c.has {
		return true, nil
	}
	for c.inPage == 0 {
		if c.left <= 0 {
			return false, nil
		}
		if err := c.page(); err != nil {
			return false, err
		}
	}
	c.inPage--
	c.left--
	v := value{def: c.leaf.def}
	if c.rep != nil {
		level, err := c.rep.next()
		if err != nil {
			return false, err
		}
		v.rep = int(level)
	}
	if c.def != nil {
		level, err := c.def.next()
		if err != nil {
			return false, err
		}
		v.def = int(level)
	}
	if v.null = v.def < c.leaf.def; !v.null {
		held, err := c.values.next()
		if err != nil {
			return false, err
		}
		v.bits, v.bytes = held.bits, held.bytes
	}
	c.ahead, c.has = v, true
	return true, nil
}

// row appends the values of the next row, or nothing at the end. Their bytes are valid until the next call.
func (c *chunk) row(to []value) ([]value, error) {
	ok, err := c.peek()
	if !ok || err != nil {
		return to, err
	}
	for {
		to = append(to, c.ahead)
		c.has = false
		if c.leaf.rep == 0 {
			return to, nil // ahead belongs to the next row
		}
		if len(to) > maxRow {
			return to, errRow
		}
		if ok, err = c.peek(); err != nil || !ok || c.ahead.rep == 0 {
			return to, err
		}
	}
}

// page reads the next page that has values.
func (c *chunk) page() error {
	var head pageHeader
	n, err := c.metadata.read(c.at, c.end, &head)
	if err != nil {
		return fmt.Errorf("the header of a page is damaged: %w", err)
	}
	c.at += n
	packed, size := int64(head.PackedSize), int(head.Size)
	if packed < 0 || size < 0 || packed > c.end-c.at {
		return errPage
	}
	if c.leaf.rep > 0 { // values of the current row are in the last page
		c.raw, c.unpacked = nil, nil
	}
	c.raw = room(c.raw, int(packed))
	if n, err := c.in.ReadAt(c.raw, c.at); n < len(c.raw) {
		return fmt.Errorf("a page is cut off: %w", err)
	}
	c.at += packed
	switch {
	case head.Type == format.DictionaryPage && head.Dictionary.Valid && c.dictionary == nil:
		return c.readDictionary(int(head.Dictionary.V.NumValues), size)
	case head.Type == format.DataPage && head.DataPage.Valid:
		return c.first(&head.DataPage.V, size)
	case head.Type == format.DataPageV2 && head.DataPageTwo.Valid:
		return c.second(&head.DataPageTwo.V, size)
	case head.Type == format.IndexPage:
		return nil
	}
	return errPage
}

// room returns a slice of n bytes: b if it is large enough. A new one is larger than n, because page sizes vary a
// little.
func room(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, n, n+n/8)
	}
	return b[:n]
}

// unpack decompresses bytes of the page, reusing the buffer of the last one.
func (c *chunk) unpack(data []byte, size int) (_ []byte, err error) {
	if c.codec == format.Uncompressed {
		return data, nil
	}
	c.unpacked, err = c.unpacker.unpack(c.codec, data, size, c.unpacked)
	return c.unpacked, err
}

func (c *chunk) readDictionary(n, size int) error {
	data, err := c.unpack(c.raw, size)
	if err != nil {
		return err
	}
	c.dictionary = []value{}
	read := &plainReader{leaf: c.leaf, data: data}
	for range n {
		v, err := read.next()
		if err != nil {
			return err
		}
		c.dictionary = append(c.dictionary, v)
	}
	c.raw, c.unpacked = nil, nil // the values still refer to the buffers
	return nil
}

// first starts a page of the first version, in which levels are compressed along with the values.
func (c *chunk) first(head *dataPageHeader, size int) error {
	data, err := c.unpack(c.raw, size)
	if err != nil {
		return err
	}
	if c.rep, data, err = levels(c.leaf.rep, head.RepetitionLevelEncoding, data); err != nil {
		return err
	}
	if c.def, data, err = levels(c.leaf.def, head.DefinitionLevelEncoding, data); err != nil {
		return err
	}
	return c.begin(int(head.NumValues), head.Encoding, data)
}

// levels reads the levels (0 to most) in front of data, and returns the rest of data.
func levels(most int, encoding format.Encoding, data []byte) (*hybrid, []byte, error) {
	if most == 0 {
		return nil, data, nil
	}
	if encoding != format.RLE {
		return nil, nil, fmt.Errorf("the encoding %v of its levels is not supported", encoding)
	}
	if len(data) < 4 || little(data[:4]) > uint64(len(data)-4) {
		return nil, nil, io.ErrUnexpectedEOF
	}
	n := 4 + little(data[:4])
	return &hybrid{data: data[4:n], width: mathbits.Len(uint(most))}, data[n:], nil
}

// second starts a page of the second version, in which levels are never compressed.
func (c *chunk) second(head *dataPageHeader2, size int) (err error) {
	data := c.raw
	rep, def := int(head.RepetitionLevelsByteLength), int(head.DefinitionLevelsByteLength)
	if rep < 0 || def < 0 || rep > len(data) || def > len(data)-rep || size < rep+def {
		return errPage
	}
	c.rep, c.def = nil, nil
	if c.leaf.rep > 0 {
		c.rep = &hybrid{data: data[:rep], width: mathbits.Len(uint(c.leaf.rep))}
	}
	if c.leaf.def > 0 {
		c.def = &hybrid{data: data[rep : rep+def], width: mathbits.Len(uint(c.leaf.def))}
	}
	data = data[rep+def:]
	if packed, said := head.IsCompressed.Get(); (packed || !said) && len(data) > 0 {
		if data, err = c.unpack(data, size-rep-def); err != nil {
			return err
		}
	}
	return c.begin(int(head.NumValues), head.Encoding, data)
}

func (c *chunk) begin(n int, encoding format.Encoding, data []byte) (err error) {
	if n < 0 {
		return errPage
	}
	c.inPage = n
	if int64(n) > c.left {
		c.inPage = int(c.left)
	}
	c.values, err = newDecoder(encoding, c.leaf, data, n, c.dictionary)
	return err
}
