package documents

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
)

// zipOf builds an archive from names and contents in turn.
func zipOf(files ...string) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		f, err := w.CreateHeader(&zip.FileHeader{Name: files[i], Method: zip.Deflate})
		if err == nil && !strings.HasSuffix(files[i], "/") {
			_, err = f.Write([]byte(files[i+1]))
		}
		if err != nil {
			panic(err) // cannot fail: the input is the test's own
		}
	}
	_ = w.Close()
	return b.Bytes()
}

func gzipOf(data []byte) []byte {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
	_, _ = w.Write(data)
	_ = w.Close()
	return b.Bytes()
}

func tarOf(headers ...tar.Header) []byte {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range headers {
		body := "rlm-escaped was here"
		if h.Typeflag != 0 && h.Typeflag != tar.TypeReg {
			body = ""
		}
		h.Size, h.Mode = int64(len(body)), 0o644
		if err := w.WriteHeader(&h); err != nil {
			continue
		}
		_, _ = w.Write([]byte(body))
	}
	_ = w.Close()
	return b.Bytes()
}

// A megabyte of zeros, compressed with bzip2 and with xz, for which Go has no writers.
const (
	megabyteBzip2 = "QlpoOTFBWSZTWThXHOUACAhAAMAEAAggADDMBSmmCAbEIB4u5IpwoSBwrjnK"
	megabyteXZ    = "/Td6WFoAAATm1rRGAgAhARwAAAAQz1jM7///ANldAABv/f//o7f/Rz5IFXI5YVG4kijmo4YH+e7kHoLTL8U6PAFLsX7JiopNL6MN2X+m44wjEVPgWRjFdYrid/i2" +
		"lH8MasDedElk4ulcU7IE2PdEDKtfDW1G6eXDdoi3llestk3haR1v+0uIEGxCy4g/XACP0E6vJiiUcR89jyThcJ6nI1/sKMuF0ZWYin4qkfIndfcZwAaYTZj92K/V" +
		"kA/EJVP49ZE2MQWlsO5vwXBNRwzRkRGqrWAdus6xJxhcWYbpZlJYvul2rFnk5VsFCPnH2q38+1Iq9+SVJQAAAAAAwva6PqJwa2AAAfUBgIBAAHmXf0exxGf7AgAA" +
		"AAAEWVo="
)

func decoded(s string) []byte {
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}

// zstdZeros returns a frame of four-byte blocks, each of which encodes 128 KiB of zeros.
func zstdZeros(blocks int) []byte {
	b := []byte{0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x58}
	for i := range blocks {
		header := uint32(128<<10)<<3 | 1<<1
		if i == blocks-1 {
			header |= 1
		}
		b = append(b, byte(header), byte(header>>8), byte(header>>16), 0)
	}
	return b
}

// overlapping returns a zip with many entries for the same bytes.
func overlapping(entries int) []byte {
	z := zipOf("kernel", strings.Repeat("\x00", 1<<20))
	end := bytes.LastIndex(z, []byte("PK\x05\x06"))
	directory := int(binary.LittleEndian.Uint32(z[end+16:]))
	entry := z[directory:end]
	out := bytes.Clone(z[:directory])
	for i := range entries {
		e := bytes.Clone(entry)
		copy(e[46:], fmt.Sprintf("%06d", i%1000000))
		out = append(out, e...)
	}
	tail := bytes.Clone(z[end:])
	binary.LittleEndian.PutUint16(tail[8:], uint16(entries))
	binary.LittleEndian.PutUint16(tail[10:], uint16(entries))
	binary.LittleEndian.PutUint32(tail[12:], uint32(entries*len(entry)))
	return append(out, tail...)
}

// patched changes bytes of a file at an offset from a mark.
func patched(data []byte, mark string, offset int, with ...byte) []byte {
	data = bytes.Clone(data)
	if i := bytes.Index(data, []byte(mark)); i >= 0 && i+offset >= 0 && i+offset+len(with) <= len(data) {
		copy(data[i+offset:], with)
	}
	return data
}

// oddNames are names of members that would be dangerous if they were trusted.
var oddNames = []string{
	"../rlm-escaped", "../../../../../../../../rlm-escaped", "/rlm-escaped", "//rlm-escaped", "C:\\rlm-escaped",
	"..\\..\\rlm-escaped", "a/../../rlm-escaped",
	"\x1b[2J\x1b]0;owned\x07.txt", "line\nbreak\r.txt", "\u202Efdp.exe", "nul\x00byte", strings.Repeat("long", 10000),
	".", "..", "", "/", "CON", "a//b", "\xff\xfe.txt", "~/.ssh/authorized_keys",
}

func hostileArchives(t testing.TB) []hostile {
	layers := strings.Repeat("0", 4<<20)
	for level := range 3 {
		var files []string
		for i := range 4 {
			files = append(files, fmt.Sprintf("layer%d-%d.zip", level, i), layers)
		}
		layers = string(zipOf(files...))
	}
	inside := []byte("innermost")
	for range 60 {
		inside = gzipOf(inside)
	}
	matryoshka := "innermost"
	for range 40 {
		matryoshka = string(zipOf("inner.zip", matryoshka))
	}
	var names []string
	var headers []tar.Header
	for i, n := range oddNames {
		names = append(names, n, "rlm-escaped was here")
		headers = append(headers, tar.Header{Name: n, Format: tar.FormatPAX},
			tar.Header{Name: fmt.Sprintf("link%d", i), Linkname: n, Typeflag: tar.TypeSymlink})
	}
	many := make([]string, 0, 10000)
	for i := range 5000 {
		many = append(many, fmt.Sprintf("%d", i), "")
	}
	huge := tarOf(tar.Header{Name: "huge"})
	copy(huge[124:136], "\x80\x00\x00\x00\x7f\xff\xff\xff\xff\xff\xff\xff")
	plain := zipOf("a.txt", "some text that is long enough to be compressed, compressed, compressed", "b.txt",
		"other text")
	return []hostile{
		{"bomb.gz", bytes.Repeat(gzipOf(make([]byte, 1<<20)), 150), "bomb|larger|memory|takes longer"},
		{"bomb.gz.gz", gzipOf(bytes.Repeat(gzipOf(make([]byte, 1<<20)), 1000)), "bomb|larger|memory|takes longer"},
		{"bomb.tar.gz", gzipOf(append(patchedTar(10<<30), make([]byte, 64<<20)...)), ""},
		{"bomb.bz2", bytes.Repeat(decoded(megabyteBzip2), 2000), "bomb|larger|memory|takes longer"},
		{"bomb.xz", bytes.Repeat(decoded(megabyteXZ), 250), "bomb|larger|memory|takes longer"},
		{"bomb.zst", zstdZeros(20000), "bomb|larger|memory|takes longer"},
		{"bomb-window.zst", append([]byte{0x28, 0xB5, 0x2F, 0xFD, 0x00, 0xF8}, zstdZeros(10)[6:]...), ""},
		{"bomb-layers.zip", []byte(layers), "bomb|larger|memory|takes longer"},
		{"bomb-overlapping.zip", overlapping(5000), ""},
		{"matryoshka.zip", []byte(matryoshka), "containers|bomb"},
		{"matryoshka.gz", inside, "containers|bomb"},
		{"names.zip", zipOf(names...), ""},
		{"names.tar", tarOf(headers...), ""},
		{"many.zip", zipOf(many...), ""},
		{"kinds.tar", tarOf(tar.Header{Name: "rlm-escaped", Linkname: "/etc/passwd", Typeflag: tar.TypeSymlink},
			tar.Header{Name: "rlm-escaped/x"},
			tar.Header{Name: "hard", Linkname: "../../etc/shadow", Typeflag: tar.TypeLink},
			tar.Header{Name: "null", Typeflag: tar.TypeChar, Devmajor: 1, Devminor: 3},
			tar.Header{Name: "disk", Typeflag: tar.TypeBlock, Devmajor: 8},
			tar.Header{Name: "pipe", Typeflag: tar.TypeFifo}, tar.Header{Name: "good.txt"}), ""},
		{"huge-header.tar", huge, "."},
		{"sparse.tar", sparseTar(), ""},
		{"crc.zip", patched(plain, "PK\x01\x02", 16, 1, 2, 3, 4), ""},
		{"size.zip", patched(plain, "PK\x01\x02", 24, 0xFF, 0xFF, 0xFF, 0x7F), ""},
		{"method.zip", patched(patched(plain, "PK\x01\x02", 10, 99, 0), "PK\x03\x04", 8, 99, 0), "."},
		{"encrypted-flag.zip", patched(patched(plain, "PK\x01\x02", 8, 1), "PK\x03\x04", 6, 1), "password|encrypted"},
		{"offset.zip", patched(plain, "PK\x05\x06", 16, 0xF0, 0xFF, 0xFF, 0x7F), "."},
		{"count.zip", patched(plain, "PK\x05\x06", 8, 0xFF, 0xFF, 0xFF, 0xFF), ""},
		{"no-end.zip", plain[:len(plain)-22], "."},
		{"only-magic.zip", []byte("PK\x03\x04"), "."},
		{"only-magic.gz", []byte("\x1f\x8b\x08"), "."},
		{"only-magic.xz", []byte("\xFD7zXZ\x00"), "."},
		{"only-magic.zst", []byte("\x28\xB5\x2F\xFD"), "."},
		{"junk.bz2", []byte("BZh91AY&SY" + strings.Repeat("\xAA", 5000)), "."},
	}
}

// patchedTar returns the header of a file with a given size, without content.
func patchedTar(size int64) []byte {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	_ = w.WriteHeader(&tar.Header{Name: "large.txt", Size: size, Mode: 0o644, Format: tar.FormatGNU})
	return b.Bytes()
}

// sparseTar declares in PAX headers a file of a terabyte that consists of holes.
func sparseTar() []byte {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	records := pax("GNU.sparse.major", "1") + pax("GNU.sparse.minor", "0") +
		pax("GNU.sparse.realsize", "1099511627776") + pax("GNU.sparse.name", "sparse.txt")
	_ = w.WriteHeader(&tar.Header{Name: "x", Size: int64(len(records)), Mode: 0o644})
	_, _ = w.Write([]byte(records))
	_ = w.Flush()
	data := b.Bytes()
	data[156] = 'x' // the type of a PAX header
	copy(data[148:156], tarSum(data[:512]))
	var file bytes.Buffer
	f := tar.NewWriter(&file)
	_ = f.WriteHeader(&tar.Header{Name: "GNUSparseFile.0/sparse.txt", Size: 512, Mode: 0o644})
	body := make([]byte, 512)
	copy(body, "1\n1099511627776\n0\n")
	_, _ = f.Write(body)
	_ = f.Close()
	return append(data, file.Bytes()...)
}

func pax(key, value string) string {
	n := len(key) + len(value) + 3
	for len(fmt.Sprint(n))+len(key)+len(value)+3 != n {
		n = len(fmt.Sprint(n)) + len(key) + len(value) + 3
	}
	return fmt.Sprintf("%d %s=%s\n", n, key, value)
}

func tarSum(header []byte) string {
	sum := 8 * int(' ')
	for i, b := range header {
		if i < 148 || i >= 156 {
			sum += int(b)
		}
	}
	return fmt.Sprintf("%06o\x00 ", sum)
}
