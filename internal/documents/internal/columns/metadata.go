package columns

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	documents "github.com/gorlm/rlm/internal/documents/format"
)

// These structures are the subset of a file's metadata that rows need. The library's own structures include
// statistics, into which some writers put whole values; fields not listed here are skipped without allocating them.
type (
	fileMetadata struct {
		Schema    thrift.Slice[format.SchemaElement] `thrift:"2,required"`
		RowGroups thrift.Slice[rowGroup]             `thrift:"4,required"`
	}
	rowGroup struct {
		Columns thrift.Slice[columnChunk] `thrift:"1,required"`
	}
	columnChunk struct {
		FilePath       string                      `thrift:"1,optional"`
		Metadata       columnMetadata              `thrift:"3,optional"`
		CryptoMetadata format.ColumnCryptoMetaData `thrift:"8,optional"`
	}
	columnMetadata struct {
		Type                 format.Type             `thrift:"1,required"`
		Codec                format.CompressionCodec `thrift:"4,required"`
		NumValues            int64                   `thrift:"5,required"`
		DataPageOffset       int64                   `thrift:"9,required"`
		DictionaryPageOffset int64                   `thrift:"11,optional"`
	}
	pageHeader struct {
		Type        format.PageType              `thrift:"1,required"`
		Size        int32                        `thrift:"2,required"`
		PackedSize  int32                        `thrift:"3,required"`
		DataPage    thrift.Null[dataPageHeader]  `thrift:"5,optional"`
		Dictionary  thrift.Null[dictionaryPage]  `thrift:"7,optional"`
		DataPageTwo thrift.Null[dataPageHeader2] `thrift:"8,optional"`
	}
	dataPageHeader struct {
		NumValues               int32           `thrift:"1,required"`
		Encoding                format.Encoding `thrift:"2,required"`
		DefinitionLevelEncoding format.Encoding `thrift:"3,required"`
		RepetitionLevelEncoding format.Encoding `thrift:"4,required"`
	}
	dictionaryPage struct {
		NumValues int32 `thrift:"1,required"`
	}
	dataPageHeader2 struct {
		NumValues                  int32             `thrift:"1,required"`
		Encoding                   format.Encoding   `thrift:"4,required"`
		DefinitionLevelsByteLength int32             `thrift:"5,required"`
		RepetitionLevelsByteLength int32             `thrift:"6,required"`
		IsCompressed               thrift.Null[bool] `thrift:"7,optional"`
	}
)

// readFooter reads the end of the file: the schema and the locations of the row groups.
func readFooter(src documents.Source, m *metadataReader) (*fileMetadata, error) {
	var end [8]byte
	if _, err := src.Bytes.ReadAt(end[:], src.Size-int64(len(end))); src.Size < 12 || err != nil && err != io.EOF {
		return nil, errors.New("the file is damaged or cut off: it has no footer")
	}
	switch string(end[4:]) {
	case "PAR1":
	case "PARE":
		return nil, errCipher
	default:
		return nil, errors.New("the file is damaged or cut off: it has no footer")
	}
	size := int64(binary.LittleEndian.Uint32(end[:]))
	if size > src.Size-12 {
		return nil, errors.New("the file is damaged: its footer is longer than the file")
	}
	footer := new(fileMetadata)
	if _, err := m.read(src.Size-8-size, src.Size-8, footer); err != nil {
		return nil, fmt.Errorf("the file is damaged or cut off: %w", err)
	}
	return footer, nil
}

type compactReader = thrift.Reader // an alias, because the embedded name would collide with a method

// metadataReader reads structures in Thrift's compact protocol from a stream, and stores only the declared fields.
type metadataReader struct {
	compactReader // reads from buffered
	in            io.ReaderAt
	buffered      *bufio.Reader
	most          int64 // bytes available, which also limits the items of a list
}

var errLength = errors.New("a length is larger than the file")

func newMetadataReader(in io.ReaderAt) *metadataReader {
	buffered := bufio.NewReader(nil)
	return &metadataReader{compactReader: new(thrift.CompactProtocol).NewReader(buffered), in: in, buffered: buffered}
}

// read reads the structure at an offset of the file and returns its length.
func (m *metadataReader) read(at, end int64, to any) (int64, error) {
	m.most = end - at
	section := io.NewSectionReader(m.in, at, m.most)
	m.buffered.Reset(section)
	if err := thrift.NewDecoder(m).Decode(to); err != nil {
		return 0, err
	}
	read, err := section.Seek(0, io.SeekCurrent)
	return read - int64(m.buffered.Buffered()), err
}

// ReadBytes limits the allocation by the bytes available.
func (m *metadataReader) ReadBytes() ([]byte, error) {
	n, err := m.ReadLength()
	if err != nil {
		return nil, err
	}
	if int64(n) > m.most {
		return nil, errLength
	}
	b := make([]byte, n)
	_, err = io.ReadFull(m.buffered, b)
	return b, err
}

// ReadString has the same limit as ReadBytes.
func (m *metadataReader) ReadString() (string, error) {
	b, err := m.ReadBytes()
	return string(b), err
}

// ReadList rejects a list with more items than bytes available.
func (m *metadataReader) ReadList() (thrift.List, error) {
	l, err := m.compactReader.ReadList()
	if err == nil && int64(l.Size) > m.most {
		err = errLength
	}
	return l, err
}
