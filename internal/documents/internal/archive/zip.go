package archive

import (
	"archive/zip"
	"compress/bzip2"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
	"github.com/ulikunitz/xz/lzma"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"

	"github.com/gorlm/rlm/internal/documents/format"
	"github.com/gorlm/rlm/internal/documents/internal/unzip"
	"github.com/gorlm/rlm/internal/kit/text/guess"
	"github.com/gorlm/rlm/internal/kit/units"
)

// maxDirectory limits the list of members, in bytes of the file, because all of it is in memory: some 500 000
// members.
const maxDirectory = 48 << 20

// Zip is the converter for zip archives that are not a document format.
func Zip(ctx context.Context, src format.Source, out format.Output) error {
	if err := out.Kind("zip"); err != nil {
		return err
	}
	if directorySize(src) > maxDirectory {
		return errors.New("the archive lists more members than can be read")
	}
	z, cut, err := unzip.Open(src)
	if err != nil {
		return err
	}
	var packed uint64
	for _, f := range z.File {
		packed += f.CompressedSize64
		if packed > uint64(src.Size) {
			return errors.New("its members overlap, as in a zip bomb")
		}
	}
	z.RegisterDecompressor(12, func(r io.Reader) io.ReadCloser { return io.NopCloser(bzip2.NewReader(r)) })
	z.RegisterDecompressor(93, unzstd)
	z.RegisterDecompressor(95, unxz)
	decode := nameDecoder(z.File)
	for _, f := range z.File {
		if err := ctx.Err(); err != nil {
			return err
		}
		name, remark := decode(f)
		if remark != "" {
			if err := out.Note("its name: " + remark); err != nil {
				return err
			}
		}
		if err := zipMember(ctx, f, name, out); err != nil {
			return err
		}
	}
	if cut {
		return fmt.Errorf("the archive is damaged or cut off: only %s could be found in it", units.Of(len(z.File), "file"))
	}
	return nil
}

func zipMember(ctx context.Context, f *zip.File, name string, out format.Output) error {
	reason := leftOut(name, f.Mode())
	switch {
	case strings.HasSuffix(name, "/") || f.Mode()&fs.ModeDir != 0:
		return nil
	case reason != "":
		return out.Skip(name, reason)
	case isBomb(int64(min(f.UncompressedSize64, math.MaxInt64)), int64(min(f.CompressedSize64, math.MaxInt64))):
		return out.Skip(name, format.ErrBomb.Error())
	case f.Flags&1 != 0:
		return out.Skip(name, format.ErrPassword.Error())
	}
	var r io.Reader
	var err error
	if f.Method == 14 {
		r, err = unlzma(f)
	} else {
		var rc io.ReadCloser
		if rc, err = f.Open(); err == nil {
			defer func() { _ = rc.Close() }()
			r = rc
		}
	}
	switch {
	case errors.Is(err, zip.ErrAlgorithm):
		return out.Skip(name, fmt.Sprintf("its compression is not supported (method %d)", f.Method))
	case err != nil:
		return out.Skip(name, damaged(err).Error())
	}
	return out.Member(name, f.Modified, damageReader{contextReader{ctx, r}})
}

// directorySize returns the size of the list of members; 0 if it is not found.
func directorySize(src format.Source) uint64 {
	tail := make([]byte, min(src.Size, 66<<10))
	if _, err := src.Bytes.ReadAt(tail, src.Size-int64(len(tail))); err != nil && err != io.EOF {
		return 0
	}
	le := binary.LittleEndian
	if i := strings.LastIndex(string(tail), "PK\x06\x06"); i >= 0 && len(tail) >= i+48 {
		return le.Uint64(tail[i+40:])
	}
	if i := strings.LastIndex(string(tail), "PK\x05\x06"); i >= 0 && len(tail) >= i+16 {
		return uint64(le.Uint32(tail[i+12:]))
	}
	return 0
}

// errorDecompressor is a decompressor that could not be opened.
type errorDecompressor struct{ err error }

func (f errorDecompressor) Read([]byte) (int, error) { return 0, f.err }

func unxz(r io.Reader) io.ReadCloser {
	z, err := xz.NewReader(r)
	if err != nil {
		return io.NopCloser(errorDecompressor{err})
	}
	return io.NopCloser(z)
}

func unzstd(r io.Reader) io.ReadCloser {
	z, err := zstd.NewReader(
		r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return io.NopCloser(errorDecompressor{err})
	}
	return z.IOReadCloser()
}

// unlzma reads method 14 as a .lzma file, by adding the size to the header.
func unlzma(f *zip.File) (io.Reader, error) {
	raw, err := f.OpenRaw()
	if err != nil {
		return nil, err
	}
	head := make([]byte, 9) // version, size of the properties, properties
	if _, err := io.ReadFull(raw, head); err != nil {
		return nil, err
	}
	if binary.LittleEndian.Uint32(head[5:]) > maxWindow {
		return nil, errWindow
	}
	size := f.UncompressedSize64
	if f.Flags&2 != 0 {
		size = 1<<64 - 1 // unknown: the data has an end mark
	}
	head = binary.LittleEndian.AppendUint64(head[4:], size)
	return lzma.NewReader(io.MultiReader(strings.NewReader(string(head)), raw))
}

// nameDecoder returns a function that decodes the names of members; remark describes what it guessed. Names not
// marked as UTF-8 may still be UTF-8, Shift-JIS, GBK, or the DOS code page that the format requires; all names of
// an archive have the same encoding.
func nameDecoder(files []*zip.File) func(*zip.File) (name, remark string) {
	pairs, others, kana := 0, 0, 0
	var unknown []byte
	seen := map[string]int{}
	for _, f := range files {
		if f.NonUTF8 && !utf8.ValidString(f.Name) && unicodeName(f.Extra) == "" {
			p, o := chinese(f.Name)
			pairs, others = pairs+p, others+o
			kana += japaneseSigns(f.Name)
			unknown = append(append(unknown, f.Name...), '\n')
		}
	}
	var old guess.Charset
	switch {
	case len(unknown) == 0:
	case kana > 0:
		old.Encoding = japanese.ShiftJIS
	case pairs > 4*others:
		old.Encoding = simplifiedchinese.GB18030
	default:
		old = guess.DOS(unknown[:min(len(unknown), 64<<10)])
	}
	return func(f *zip.File) (name, remark string) {
		name = f.Name
		switch own := unicodeName(f.Extra); {
		case own != "":
			name = own
		case !f.NonUTF8 || utf8.ValidString(name):
		default:
			if s, err := old.Encoding.NewDecoder().String(name); err == nil {
				name, remark = s, old.Remark()
			}
		}
		name = strings.ReplaceAll(name, `\`, "/")
		if seen[name]++; !strings.HasSuffix(name, "/") {
			name = format.Numbered(name, seen[name])
		}
		return name, remark
	}
}

// japaneseSigns counts the kana in a name; 0 if it is not Shift-JIS.
func japaneseSigns(name string) (n int) {
	text, err := japanese.ShiftJIS.NewDecoder().String(name)
	if err != nil || strings.ContainsRune(text, utf8.RuneError) {
		return 0
	}
	for _, r := range text {
		if unicode.In(r, unicode.Hiragana) || r >= 0x30A1 && r <= 0x30FA { // full-width katakana
			n++
		}
	}
	return n
}

// chinese counts the bytes above ASCII that form GB 2312 pairs, and the others.
func chinese(name string) (pairs, others int) {
	for i := 0; i < len(name); i++ {
		switch {
		case name[i] < 0x80:
		case i+1 < len(name) && name[i] >= 0xB0 && name[i] <= 0xF7 && name[i+1] >= 0xA1:
			pairs++
			i++
		default:
			others++
		}
	}
	return pairs, others
}

// unicodeName returns the name in Info-ZIP's extra field.
func unicodeName(extra []byte) string {
	for len(extra) >= 4 {
		id, size := binary.LittleEndian.Uint16(extra), int(binary.LittleEndian.Uint16(extra[2:]))
		extra = extra[4:]
		if size > len(extra) {
			return ""
		}
		if id == 0x7075 && size > 5 && extra[0] == 1 && utf8.Valid(extra[5:size]) {
			return string(extra[5:size])
		}
		extra = extra[size:]
	}
	return ""
}
