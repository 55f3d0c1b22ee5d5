package columns

import (
	"errors"
	"fmt"
	"io"
	mathbits "math/bits"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	documents "github.com/gorlm/rlm/internal/documents/format"
)

// chunk reads the values of a column in a group of rows, page by page.
type chunk struct {
	leaf       *node
	in         io.ReaderAt
	at, end    int64
	unpacker   *unpacker
	codec      format.CompressionCodec
	dictionary []value

	left     int64 // values of the chunk that are to come
	inPage   int   // values of the page that are to come
	rep, def *hybrid
	values   decoder

	ahead value // the next one
	has   bool
}

// maxRow is how many values a column has in a row.
const maxRow = 16 << 20

var (
	errRow    = fmt.Errorf("a row has more than %d values", maxRow)
	errPage   = errors.New("a page is damaged")
	errCipher = errors.New("it is encrypted")
)

func newChunk(leaf *node, src documents.Source, u *unpacker, of *format.ColumnChunk) (*chunk, error) {
	meta := &of.MetaData
	if of.FilePath != "" {
		return nil, errors.New("its values are in another file")
	}
	if of.CryptoMetadata.Value != nil {
		return nil, errCipher
	}
	c := &chunk{leaf: leaf, in: src.Bytes, at: meta.DataPageOffset, end: src.Size, unpacker: u, codec: meta.Codec, left: meta.NumValues}
	if d := meta.DictionaryPageOffset; d > 0 && d < c.at {
		c.at = d
	}
	if meta.Type != leaf.physical || c.at < 4 || c.at > src.Size || leaf.physical == format.FixedLenByteArray && leaf.length <= 0 {
		return nil, errPage
	}
	return c, nil
}

// peek looks at the next value; ok is false at the end.
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

// row appends the values of the next row; there is none at the end.
func (c *chunk) row(to []value) ([]value, error) {
	ok, err := c.peek()
	if !ok || err != nil {
		return to, err
	}
	for {
		to = append(to, c.ahead)
		c.has = false
		if c.leaf.rep == 0 {
			return to, nil // what follows is looked at with its row
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
	var head format.PageHeader
	n, err := c.header(&head)
	if err != nil {
		return err
	}
	c.at += int64(n)
	packed, size := int64(head.CompressedPageSize), int(head.UncompressedPageSize)
	if packed < 0 || size < 0 || packed > c.end-c.at {
		return errPage
	}
	data := make([]byte, packed)
	if n, err := c.in.ReadAt(data, c.at); n < len(data) {
		return fmt.Errorf("a page is cut off: %w", err)
	}
	c.at += packed
	switch head.Type {
	case format.DictionaryPage:
		if !head.DictionaryPageHeader.Valid || c.dictionary != nil {
			return errPage
		}
		if data, err = c.unpacker.unpack(c.codec, data, size); err != nil {
			return err
		}
		return c.readDictionary(int(head.DictionaryPageHeader.V.NumValues), data)
	case format.DataPage:
		if !head.DataPageHeader.Valid {
			return errPage
		}
		if data, err = c.unpacker.unpack(c.codec, data, size); err != nil {
			return err
		}
		return c.first(&head.DataPageHeader.V, data)
	case format.DataPageV2:
		if !head.DataPageHeaderV2.Valid {
			return errPage
		}
		return c.second(&head.DataPageHeaderV2.V, data, size)
	}
	return nil
}

// header reads the header of a page: how long it is. Most are short; one with long statistics is not.
func (c *chunk) header(head *format.PageHeader) (int, error) {
	for room := int64(4 << 10); ; room *= 16 {
		data := make([]byte, min(room, c.end-c.at))
		n, err := c.in.ReadAt(data, c.at)
		if n == 0 {
			return 0, fmt.Errorf("a page is missing: %w", err)
		}
		r := new(thrift.CompactProtocol).NewReaderFromBytes(data[:n])
		if err = thrift.NewDecoder(r).Decode(head); err == nil {
			return r.BytesRead(), nil
		}
		if room > 16<<20 || int64(len(data)) < room {
			return 0, fmt.Errorf("the header of a page is damaged: %w", err)
		}
		*head = format.PageHeader{}
	}
}

func (c *chunk) readDictionary(n int, data []byte) error {
	c.dictionary = []value{}
	read := newPlain(c.leaf, data)
	for range n {
		v, err := read.next()
		if err != nil {
			return err
		}
		c.dictionary = append(c.dictionary, v)
	}
	return nil
}

// first begins a page of the first version, where levels are packed with the values.
func (c *chunk) first(head *format.DataPageHeader, data []byte) (err error) {
	if c.rep, data, err = levels(c.leaf.rep, head.RepetitionLevelEncoding, data); err != nil {
		return err
	}
	if c.def, data, err = levels(c.leaf.def, head.DefinitionLevelEncoding, data); err != nil {
		return err
	}
	return c.begin(int(head.NumValues), head.Encoding, data)
}

// levels reads those up to most, which stand before data.
func levels(most int, encoding format.Encoding, data []byte) (*hybrid, []byte, error) {
	if most == 0 {
		return nil, data, nil
	}
	if encoding != format.RLE {
		return nil, nil, fmt.Errorf("its levels are written in a way that is not read: %v", encoding)
	}
	if len(data) < 4 || little(data[:4]) > uint64(len(data)-4) {
		return nil, nil, io.ErrUnexpectedEOF
	}
	n := 4 + little(data[:4])
	return &hybrid{data: data[4:n], width: mathbits.Len(uint(most))}, data[n:], nil
}

// second begins a page of the second version, where levels are never packed.
func (c *chunk) second(head *format.DataPageHeaderV2, data []byte, size int) (err error) {
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
		if data, err = c.unpacker.unpack(c.codec, data, size-rep-def); err != nil {
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
