package trajectory

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/klauspost/compress/zstd"
)

// textsFile contains the long texts of a log: for each a skippable zstd frame with its hash and sizes, then a zstd
// frame with the text. So `zstd -dc texts.zst` prints them all, and a torn end can be found and cut.
const textsFile = "texts.zst"

const (
	longText      = 2 << 10   // longer texts go to the side file
	mostText      = 256 << 20 // no text is longer
	mostRatio     = 250       // bytes of text per stored byte, beyond freeText: see padded
	freeText      = 64 << 10
	skippableID   = 0x184D2A50
	textHeaderLen = 8 + sha256.Size + 8 + 8
)

// textHeader is the skippable frame before a text.
func textHeader(hash [sha256.Size]byte, size, stored int64) []byte {
	b := make([]byte, 0, textHeaderLen)
	b = binary.LittleEndian.AppendUint32(b, skippableID)
	b = binary.LittleEndian.AppendUint32(b, textHeaderLen-8)
	b = append(b, hash[:]...)
	b = binary.LittleEndian.AppendUint64(b, uint64(size))
	return binary.LittleEndian.AppendUint64(b, uint64(stored))
}

func parseTextHeader(b []byte) (ref textRef, ok bool) {
	if len(b) < textHeaderLen || binary.LittleEndian.Uint32(b) != skippableID ||
		binary.LittleEndian.Uint32(b[4:]) != textHeaderLen-8 {
		return ref, false
	}
	ref.hash = [sha256.Size]byte(b[8:])
	ref.size = int64(binary.LittleEndian.Uint64(b[8+sha256.Size:]))
	ref.stored = int64(binary.LittleEndian.Uint64(b[16+sha256.Size:]))
	return ref, ref.size >= 0 && ref.stored >= 0
}

// indexTexts adds texts after those that lines refer to, and returns the end of the usable part of the side file,
// which is never before the end of a text that a line refers to. If headers before that are damaged, the texts
// between are skipped, but not touched.
func indexTexts(f *os.File, refs textReferences) (end int64, err error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	if end, err = walkTexts(f, 0, info.Size(), refs.index); err != nil {
		return 0, err
	}
	if needed := min(refs.end, info.Size()); end < needed {
		return walkTexts(f, needed, info.Size(), refs.index)
	}
	return end, nil
}

// walkTexts follows the headers and adds the texts to index. It returns the end of the last complete text.
func walkTexts(f *os.File, from, size int64, index map[[sha256.Size]byte]*textRef) (end int64, err error) {
	header := make([]byte, textHeaderLen)
	for end = from; ; {
		if _, err := f.ReadAt(header, end); err != nil {
			if errors.Is(err, io.EOF) {
				return end, nil
			}
			return 0, err
		}
		ref, ok := parseTextHeader(header)
		ref.at = end + textHeaderLen
		if !ok || ref.stored > size-ref.at {
			return end, nil
		}
		if ref.file = f.Name(); index[ref.hash] == nil {
			index[ref.hash] = &ref
		}
		end = ref.at + ref.stored
	}
}

// padded adds a skippable frame of zeros to a frame that exceeds mostRatio. Readers refuse a text with a larger
// ratio, so that a small log from somebody else cannot fill the memory.
func padded(frame []byte, size int) []byte {
	short := (size-freeText+mostRatio-1)/mostRatio - len(frame)
	if short <= 0 {
		return frame
	}
	short = max(short-8, 0)
	frame = binary.LittleEndian.AppendUint32(frame, skippableID)
	frame = binary.LittleEndian.AppendUint32(frame, uint32(short))
	return append(frame, make([]byte, short)...)
}

// textReader reads texts from a side file.
type textReader struct {
	f     *os.File
	dec   *zstd.Decoder
	buf   []byte
	cache map[[sha256.Size]byte]string // texts read so far; equal texts share memory
	held  int64                        // bytes in cache
}

// mostHeld bounds the texts that a reader caches, in bytes.
const mostHeld = 16 << 20

func openTexts(file string) (*textReader, error) {
	if file == "" {
		return nil, errors.New("the text is not part of a log that can be read")
	}
	f, err := openFile(file, os.O_RDONLY)
	if err != nil {
		return nil, fmt.Errorf("open the log's texts: %w", err)
	}
	dec, err := zstd.NewReader(
		nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(mostText), zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("read the log's texts: %w", err), f.Close())
	}
	return &textReader{f: f, dec: dec, cache: map[[sha256.Size]byte]string{}}, nil
}

func (r *textReader) close() {
	r.dec.Close()
	_ = r.f.Close() // an error after reading does not matter
}

// read returns a text after checking its hash.
func (r *textReader) read(ref *textRef) (string, error) {
	if s, ok := r.cache[ref.hash]; ok && int64(len(s)) == ref.size {
		return s, nil
	}
	text, err := r.decode(ref)
	if err == nil && (int64(len(text)) != ref.size || sha256.Sum256(text) != ref.hash) {
		err = errors.New("its checksum is wrong")
	}
	if err != nil {
		return "", fmt.Errorf("text %s at %d of %s is damaged: %w", hex.EncodeToString(ref.hash[:4]), ref.at,
			filepath.Base(r.f.Name()), err)
	}
	s := string(text)
	r.keep(ref, s)
	return s, nil
}

// keep caches a text.
func (r *textReader) keep(ref *textRef, s string) {
	if ref.size > mostHeld {
		return
	}
	if r.held += ref.size; r.held > mostHeld {
		clear(r.cache)
		r.held = ref.size
	}
	r.cache[ref.hash] = s
}

// decode decompresses a text, into at most the size that the reference states.
func (r *textReader) decode(ref *textRef) ([]byte, error) {
	info, err := r.f.Stat()
	if err != nil {
		return nil, err
	}
	if ref.stored > info.Size()-ref.at {
		return nil, io.ErrUnexpectedEOF
	}
	if ref.size > mostText || ref.size-freeText > mostRatio*ref.stored {
		return nil, fmt.Errorf("it claims to contain %d bytes in %d", ref.size, ref.stored)
	}
	if ref.stored > 2*mostText {
		return nil, fmt.Errorf("it claims to take %d bytes", ref.stored)
	}
	r.buf = slices.Grow(r.buf[:0], int(ref.stored))
	frame := r.buf[:ref.stored]
	if _, err := r.f.ReadAt(frame, ref.at); err != nil {
		return nil, err
	}
	return r.dec.DecodeAll(frame, make([]byte, 0, ref.size))
}
