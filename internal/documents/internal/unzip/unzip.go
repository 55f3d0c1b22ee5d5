// Package unzip opens zip archives, even damaged ones: if the central directory is lost, it uses the headers in
// front of the members.
package unzip

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"io"

	"github.com/klauspost/compress/flate"

	"github.com/gorlm/rlm/internal/documents/format"
)

// Signatures of headers, which may be anywhere in a damaged archive.
const (
	localHeader = "PK\x03\x04"
	directory   = "PK\x01\x02"
	descriptor  = "PK\x07\x08"
	localSize   = 30 // bytes of a member's header without the name

	mostMembers = 100_000
	window      = 1 << 20 // bytes searched at a time
)

// Open opens an archive. cut reports whether the central directory was lost and rebuilt from the members; the last
// member may then be truncated.
func Open(src format.Source) (z *zip.Reader, cut bool, err error) {
	z, err = zip.NewReader(src.Bytes, src.Size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		if z = salvage(src); z == nil {
			return nil, false, errors.New("the archive is damaged or cut off")
		}
		cut = true
	}
	z.RegisterDecompressor(zip.Deflate, flate.NewReader)
	return z, cut, nil
}

// salvage builds a directory of the members that have their own header; nil if there are none.
func salvage(src format.Source) *zip.Reader {
	var list bytes.Buffer
	found, at := 0, int64(0)
	for found < mostMembers {
		start := find(src, at, localHeader)
		if start < 0 {
			break
		}
		m, ok := readMember(src, start)
		if !ok {
			at = start + int64(len(localHeader))
			continue
		}
		m.write(&list)
		found++
		at = m.end
	}
	if found == 0 {
		return nil
	}
	end := make([]byte, 22)
	copy(end, "PK\x05\x06")
	n := uint16(min(found, 1<<16-1))
	binary.LittleEndian.PutUint16(end[8:], n)
	binary.LittleEndian.PutUint16(end[10:], n)
	binary.LittleEndian.PutUint32(end[12:], uint32(list.Len()))
	binary.LittleEndian.PutUint32(end[16:], uint32(src.Size))
	list.Write(end)
	z, err := zip.NewReader(&paddedSource{src, list.Bytes()}, src.Size+int64(list.Len()))
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return nil
	}
	return z
}

// member is a member with its own header.
type member struct {
	header             [localSize]byte
	name               []byte
	start, end         int64 // start of the header and end of the data
	crc, packed, plain uint32
}

// readMember reads the header of a member and finds its end. If only the lost directory had the sizes, they follow
// from the next header.
func readMember(src format.Source, start int64) (m member, ok bool) {
	le := binary.LittleEndian
	m.start = start
	if _, err := src.Bytes.ReadAt(m.header[:], start); err != nil || start > 1<<32-1 {
		return m, false
	}
	m.name = make([]byte, le.Uint16(m.header[26:]))
	if _, err := src.Bytes.ReadAt(m.name, start+localSize); err != nil || len(m.name) == 0 || len(m.name) > 4096 {
		return m, false
	}
	data := start + localSize + int64(len(m.name)) + int64(le.Uint16(m.header[28:]))
	m.crc, m.packed, m.plain = le.Uint32(m.header[14:]), le.Uint32(m.header[18:]), le.Uint32(m.header[22:])
	const streamed = 8
	if flags := le.Uint16(m.header[6:]); flags&streamed == 0 {
		m.end = min(data+int64(m.packed), src.Size)
		m.packed = uint32(m.end - data)
		return m, data <= src.Size
	}
	m.findEnd(src, data)
	return m, m.end-data < 1<<32-1
}

// findEnd finds the end of a member whose sizes follow its data: after a signature, or before the next header. A
// nested archive has such signatures too, but with different sizes.
func (m *member) findEnd(src format.Source, data int64) {
	const most = 10_000
	at := data
	for range most {
		if at = find(src, at, descriptor); at < 0 {
			break
		}
		if m.describe(src, at+4, at-data) {
			m.end = at + 16
			return
		}
		at += 4
	}
	m.end = src.Size
	for _, next := range []string{localHeader, directory} {
		if at := find(src, data, next); at >= 0 {
			m.end = min(m.end, at)
		}
	}
	if !m.describe(src, m.end-12, m.end-12-data) {
		m.packed, m.plain = uint32(m.end-data), 1<<32-2 // reading stops at the end of the data
	}
}

// describe reads a checksum and sizes at an offset, and reports whether the size matches packed.
func (m *member) describe(src format.Source, at, packed int64) bool {
	var b [12]byte
	le := binary.LittleEndian
	if _, err := src.Bytes.ReadAt(b[:], at); err != nil || packed < 0 || int64(le.Uint32(b[4:])) != packed {
		return false
	}
	m.crc, m.packed, m.plain = le.Uint32(b[:]), uint32(packed), le.Uint32(b[8:])
	return true
}

// write adds the member to a directory.
func (m member) write(to *bytes.Buffer) {
	le := binary.LittleEndian
	entry := make([]byte, 46)
	copy(entry, directory)
	copy(entry[6:], m.header[4:14]) // version, flags, method, time, date
	le.PutUint16(entry[8:], le.Uint16(entry[8:])&^8)
	le.PutUint32(entry[16:], m.crc)
	le.PutUint32(entry[20:], m.packed)
	le.PutUint32(entry[24:], m.plain)
	le.PutUint16(entry[28:], uint16(len(m.name)))
	le.PutUint32(entry[42:], uint32(m.start))
	to.Write(entry)
	to.Write(m.name)
}

// find returns the offset of text at or after from; -1 if there is none.
func find(src format.Source, from int64, text string) int64 {
	buf := make([]byte, max(min(window, src.Size-from), 0))
	for from < src.Size {
		n, err := src.Bytes.ReadAt(buf, from)
		if i := bytes.Index(buf[:n], []byte(text)); i >= 0 {
			return from + int64(i)
		}
		if err != nil || n < window {
			return -1
		}
		from += int64(n - len(text) + 1)
	}
	return -1
}

// paddedSource is a source with additional bytes at its end.
type paddedSource struct {
	src  format.Source
	more []byte
}

func (e *paddedSource) ReadAt(p []byte, off int64) (int, error) {
	n := 0
	if off < e.src.Size {
		var err error
		if n, err = e.src.Bytes.ReadAt(p[:min(int64(len(p)), e.src.Size-off)], off); err != nil && err != io.EOF {
			return n, err
		}
		if n < int(min(int64(len(p)), e.src.Size-off)) {
			return n, io.ErrUnexpectedEOF
		}
	}
	if n < len(p) {
		n += copy(p[n:], e.more[min(max(off-e.src.Size, 0), int64(len(e.more))):])
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}
