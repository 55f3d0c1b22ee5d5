package trajectory

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/zstd"
)

// textsFile holds the long texts of a log: for each a skippable zstd frame with its hash and sizes, then a zstd frame
// with the text. So `zstd -dc texts.zst` prints them all, and a torn end can be found and cut.
const textsFile = "texts.zst"

const (
	longText      = 2 << 10 // longer texts go to the side file
	mostText      = 1 << 30 // no text is longer; a damaged size must not allocate everything
	skippableID   = 0x184D2A50
	textHeaderLen = 8 + sha256.Size + 8 + 8
)

// textHeader is the skippable frame in front of a text.
func textHeader(hash [sha256.Size]byte, size, stored int64) []byte {
	b := make([]byte, 0, textHeaderLen)
	b = binary.LittleEndian.AppendUint32(b, skippableID)
	b = binary.LittleEndian.AppendUint32(b, textHeaderLen-8)
	b = append(b, hash[:]...)
	b = binary.LittleEndian.AppendUint64(b, uint64(size))
	return binary.LittleEndian.AppendUint64(b, uint64(stored))
}

func parseTextHeader(b []byte) (ref textRef, ok bool) {
	if len(b) < textHeaderLen || binary.LittleEndian.Uint32(b) != skippableID || binary.LittleEndian.Uint32(b[4:]) != textHeaderLen-8 {
		return ref, false
	}
	ref.hash = [sha256.Size]byte(b[8:])
	ref.size = int64(binary.LittleEndian.Uint64(b[8+sha256.Size:]))
	ref.stored = int64(binary.LittleEndian.Uint64(b[16+sha256.Size:]))
	return ref, ref.size >= 0 && ref.stored >= 0
}

// indexTexts reads the headers of a side file: which texts it holds, and where the whole ones end.
func indexTexts(f *os.File) (index map[[sha256.Size]byte]*textRef, end int64, err error) {
	index = map[[sha256.Size]byte]*textRef{}
	info, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	header := make([]byte, textHeaderLen)
	for {
		if _, err := f.ReadAt(header, end); err != nil {
			if errors.Is(err, io.EOF) {
				return index, end, nil
			}
			return nil, 0, err
		}
		ref, ok := parseTextHeader(header)
		ref.at = end + textHeaderLen
		if !ok || ref.stored > info.Size()-ref.at {
			return index, end, nil
		}
		ref.file = f.Name()
		index[ref.hash] = &ref
		end = ref.at + ref.stored
	}
}

// textReader reads texts from a side file.
type textReader struct {
	f   *os.File
	dec *zstd.Decoder
	buf []byte
}

func openTexts(file string) (*textReader, error) {
	if file == "" {
		return nil, errors.New("the text is not part of a log that can be read")
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("open the log's texts: %w", err)
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(mostText))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("read the log's texts: %w", err), f.Close())
	}
	return &textReader{f: f, dec: dec}, nil
}

func (r *textReader) close() {
	r.dec.Close()
	_ = r.f.Close() // opened for reading
}

// read returns a text after checking its hash.
func (r *textReader) read(ref *textRef) (string, error) {
	damaged := func(err error) (string, error) {
		return "", fmt.Errorf("text %s at %d of %s is damaged: %w", hex.EncodeToString(ref.hash[:4]), ref.at, filepath.Base(r.f.Name()), err)
	}
	info, err := r.f.Stat()
	if err != nil {
		return damaged(err)
	}
	if ref.stored > info.Size()-ref.at || ref.size > mostText {
		return damaged(io.ErrUnexpectedEOF)
	}
	if int64(cap(r.buf)) < ref.stored {
		r.buf = make([]byte, ref.stored)
	}
	frame := r.buf[:ref.stored]
	if _, err := r.f.ReadAt(frame, ref.at); err != nil {
		return damaged(err)
	}
	text, err := r.dec.DecodeAll(frame, nil)
	if err != nil {
		return damaged(err)
	}
	if int64(len(text)) != ref.size || sha256.Sum256(text) != ref.hash {
		return damaged(errors.New("its hash is another"))
	}
	return string(text), nil
}

// lineReader reads lines of any length, counting bytes.
type lineReader struct {
	r  *bufio.Reader
	at int64 // offset behind the last line that was returned
}

// next returns the next line without its newline; io.EOF when there is no further complete one. The line is valid until
// the next call.
func (l *lineReader) next() ([]byte, error) {
	line, err := l.r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		long := append([]byte(nil), line...)
		for errors.Is(err, bufio.ErrBufferFull) {
			line, err = l.r.ReadSlice('\n')
			long = append(long, line...)
		}
		line = long
	}
	if err != nil {
		return nil, err
	}
	l.at += int64(len(line))
	return line[:len(line)-1], nil
}
