package format

import (
	"bytes"
	"encoding/binary"
	"io"
	"net/http"
	"strings"

	"github.com/gorlm/rlm/internal/kit/startup"
	"github.com/gorlm/rlm/internal/kit/text/decoding"
)

// Form is the format of a file as far as its first bytes show. A zip may be a DOCX, an EPUB or an archive; only the
// worker that converts it can distinguish them.
type Form string

// The forms that have converters, and Text, which needs none.
const (
	Text     Form = "text" // prose, source code, CSV, TSV, JSON, JSONL, YAML, XML, logs
	PDF      Form = "pdf"
	Zip      Form = "zip"
	OLE      Form = "ole" // Office files before 2007, Outlook messages, and encrypted modern Office files
	HTML     Form = "html"
	Mail     Form = "mail" // a single message, or a web page saved as MHTML
	Mbox     Form = "mbox"
	TNEF     Form = "tnef" // winmail.dat, Outlook's container of attachments
	Notebook Form = "ipynb"
	RTF      Form = "rtf"
	Parquet  Form = "parquet"
	SQLite   Form = "sqlite"
	Gzip     Form = "gzip"
	Bzip2    Form = "bzip2"
	XZ       Form = "xz"
	Zstd     Form = "zstd"
	Tar      Form = "tar"
	// Binary is everything that is left out: images, sound, programs, unsupported archives.
	Binary Form = "binary"
)

// HeadLen is how many bytes at the start of a file Recognise uses.
const HeadLen = 8 << 10

// Recognise determines a file's form from its first HeadLen bytes (all bytes of a smaller file). The name only
// settles ambiguous content, and marks source code, including templates of web pages, as text. For Binary, reason
// describes the file. Recognise parses nothing and scans the bytes at most twice, so it is cheap and safe for
// untrusted files outside a sandbox.
func Recognise(head []byte, size int64, name string) (form Form, reason string) {
	head = head[:min(len(head), HeadLen)]
	for _, m := range magics {
		if m.matches(head) {
			if m.form == Binary {
				return Binary, m.reason
			}
			return m.form, ""
		}
	}
	switch {
	case isTar(head):
		return Tar, ""
	case bytes.HasPrefix(head, []byte("#!")) && bytes.Contains(head, []byte("PK\x03\x04")), endsInZip(head):
		return Zip, "" // a zip after the script or program that unpacks or runs it
	}
	text, wide := narrow(head)
	if !wide && !LooksLikeText(head) {
		switch {
		case isPDF(head):
			return PDF, ""
		case bytes.Contains(head[:min(len(head), 1024)], []byte("PK\x03\x04")): // as in browsers' extensions
			return Zip, ""
		}
		return Binary, binaryReason(head)
	}
	text = bytes.TrimLeft(bytes.TrimPrefix(text, []byte("\xEF\xBB\xBF")), " \t\r\n\f")
	complete := int64(len(head)) >= size
	switch ext := extension(name); {
	case bytes.HasPrefix(text, []byte("%PDF-")), (ext == "" || ext == ".pdf") && isPDF(head) && pdfObject().Match(head):
		return PDF, ""
	case bytes.HasPrefix(text, []byte(`{\rtf`)):
		return RTF, ""
	case ext != "" && strings.Contains(sourceExtensions, " "+ext+" "):
		return Text, ""
	case isHTML(text, ext):
		return HTML, ""
	case isMbox(text):
		return Mbox, ""
	case isMail(text, ext, complete):
		return Mail, ""
	case isNotebook(text, ext):
		return Notebook, ""
	}
	return Text, ""
}

// WithTail returns the first bytes of a file for Recognise. If the file is a script or program with a zip after it,
// the record that ends the zip replaces the end of the head. A comment, or the signature of a program, may follow
// that record.
func WithTail(head []byte, file io.ReaderAt, size int64) []byte {
	const record, most = 22, 64 << 10
	if len(head) < HeadLen || size < HeadLen || !isProgram(head) {
		return head
	}
	tail := make([]byte, min(size, most+record))
	if n, _ := file.ReadAt(tail, size-int64(len(tail))); n < len(tail) {
		return head
	}
	at := bytes.LastIndex(tail, []byte(zipEnd))
	if at < 0 || at+record > len(tail) || !isDirectory(file, size-int64(len(tail)-at), tail[at:]) {
		return head
	}
	return append(bytes.Clone(head[:HeadLen-record]), tail[at:at+record]...)
}

// zipEnd begins the record that ends a zip.
const zipEnd = "PK\x05\x06"

// isDirectory reports whether a zip's list of members precedes the record at an offset. Programs that read zips
// also contain the bytes that begin such a record.
func isDirectory(file io.ReaderAt, at int64, end []byte) bool {
	size := binary.LittleEndian.Uint32(end[12:])
	sign, want := make([]byte, 4), "PK\x01\x02"
	if size == 1<<32-1 { // a large zip: its sizes precede the record
		size, want = 20, "PK\x06\x07"
	}
	_, err := file.ReadAt(sign, at-int64(size))
	return err == nil && string(sign) == want
}

func isProgram(head []byte) bool {
	return bytes.HasPrefix(head, []byte("#!")) || bytes.HasPrefix(head, []byte("MZ"))
}

// endsInZip reports whether the head is a script or program and contains the end of a zip (see WithTail).
func endsInZip(head []byte) bool {
	return isProgram(head) && bytes.Contains(head, []byte(zipEnd))
}

// isPDF reports whether a PDF header is within the first kilobyte or, if the header is lost, the file begins with a
// PDF object.
func isPDF(head []byte) bool {
	start := head[:min(len(head), 1024)]
	return bytes.Contains(start, []byte("%PDF-")) || pdfObject().Match(start)
}

// pdfObject matches the start of a PDF object.
var pdfObject = startup.Regexp(`(?:^|[\r\n])[0-9]{1,7} [0-9]{1,5} obj\b`)

// magic identifies a form by a fixed prefix at an offset.
type magic struct {
	offset int
	prefix string
	form   Form
	reason string // the reason returned for Binary
}

func (m magic) matches(head []byte) bool {
	if len(head) < m.offset+len(m.prefix) || string(head[m.offset:m.offset+len(m.prefix)]) != m.prefix {
		return false
	}
	switch {
	case m.form == Bzip2:
		return string(head[:3]) == "BZh"
	case strings.Trim(m.prefix, letters) == "": // the prefix is only letters, which text may begin with too
		return !LooksLikeText(head)
	}
	return true
}

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!&"

// unread returns the reason for an archive in an unsupported format, with advice.
func unread(what string) string {
	return "it is " + what + ", which is not supported: unpack it, or repack it as .zip or .tar.gz"
}

// magics are the prefixes of binary formats. Those that http.DetectContentType recognises are omitted.
var magics = []magic{
	{0, "PK\x03\x04", Zip, ""},
	{0, "PK\x05\x06", Zip, ""}, // an empty zip
	{0, "PK\x07\x08", Zip, ""},
	{0, "PK00PK\x03\x04", Zip, ""},
	{0, "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", OLE, ""},
	{0, "SQLite format 3\x00", SQLite, ""},
	{0, "\x1F\x8B\x08", Gzip, ""},
	{4, "\x31\x41\x59\x26\x53\x59", Bzip2, ""},
	{4, "\x17\x72\x45\x38\x50\x90", Bzip2, ""}, // an empty file
	{0, "\xFD7zXZ\x00", XZ, ""},
	{0, "\x28\xB5\x2F\xFD", Zstd, ""},
	{0, "\x50\x2A\x4D\x18", Zstd, ""}, // a frame to skip, as pzstd writes it
	{0, "PAR1\x15", Parquet, ""},
	{0, "PARE", Binary, "it is an encrypted Parquet file"},
	{0, "7z\xBC\xAF\x27\x1C", Binary, unread("a 7z archive")},
	{0, "Rar!\x1A\x07", Binary, unread("a RAR archive")},
	{0, "LZIP\x01", Binary, unread("a file compressed with lzip")},
	{0, "\x04\x22\x4D\x18", Binary, unread("a file compressed with LZ4")},
	{0, "\x1F\x9D", Binary, unread("a file compressed with compress")},
	{0, "\x5D\x00\x00\x80\x00", Binary, unread("a file compressed with LZMA")},
	{0, "\x5D\x00\x00\x00\x04", Binary, unread("a file compressed with LZMA")},
	{0, "MSCF\x00\x00\x00\x00", Binary, unread("a cabinet archive")},
	{0, "!<arch>\n", Binary, unread("an ar archive")},
	{0, "\xED\xAB\xEE\xDB", Binary, "binary (RPM package)"},
	{0, "!BDN", Binary, "it is an Outlook data file, which is not supported: export its messages as .eml or .mbox"},
	{0, "\x78\x9F\x3E\x22", TNEF, ""},
	{0, "AT&TFORM", Binary, "binary (DjVu)"},
	{60, "BOOKMOBI", Binary, "binary (Mobipocket book)"},
	{0, "\x7FELF", Binary, "binary (ELF program)"},
	{0, "\xCF\xFA\xED\xFE", Binary, "binary (Mach-O program)"},
	{0, "\xFE\xED\xFA\xCF", Binary, "binary (Mach-O program)"},
	{0, "\xCA\xFE\xBA\xBE", Binary, "binary (Java class or Mach-O program)"},
	{0, "bplist00", Binary, "binary (property list)"},
	{0, "\x89HDF\r\n\x1A\n", Binary, "binary (HDF5)"},
	{0, "\x93NUMPY", Binary, "binary (NumPy array)"},
	{0, "ARROW1\x00\x00", Binary, "binary (Arrow file)"},
	{0, "Obj\x01", Binary, "binary (Avro)"},
	{0, "ORC\x08", Binary, "binary (ORC)"},
	{0, "II*\x00", Binary, "binary (image/tiff)"},
	{0, "MM\x00*", Binary, "binary (image/tiff)"},
	{0, "8BPS\x00", Binary, "binary (Photoshop image)"},
	{4, "ftypheic", Binary, "binary (image/heic)"},
	{4, "ftypavif", Binary, "binary (image/avif)"},
	{4, "ftypM4A ", Binary, "binary (audio/mp4)"},
	{4, "ftypqt  ", Binary, "binary (video/quicktime)"},
	{0, "fLaC\x00", Binary, "binary (audio/flac)"},
}

func binaryReason(head []byte) string {
	if len(head) > 2 && string(head[:2]) == "MZ" {
		return "binary (Windows program)"
	}
	kind := http.DetectContentType(head)
	if strings.HasPrefix(kind, "text/") {
		return "binary (it begins like text, but contains bytes that no text has)"
	}
	return "binary (" + kind + ")"
}

// isTar verifies the checksum of the first header, which also recognises archives older than the "ustar" magic.
func isTar(head []byte) bool {
	const block, at, length = 512, 148, 8
	if len(head) < block || head[0] == 0 {
		return false
	}
	sum, want, digits := 0, 0, 0
	for i, b := range head[:block] {
		if i >= at && i < at+length {
			if b >= '0' && b <= '7' {
				want = want*8 + int(b-'0')
				digits++
			}
			b = ' '
		}
		sum += int(b)
	}
	return digits >= 3 && sum == want
}

// narrow removes the zero bytes from UTF-16 or UTF-32 text and reports whether head is such text. The result has
// only the ASCII that recognition needs.
func narrow(head []byte) (text []byte, wide bool) {
	if enc, _ := decoding.Wide(head); enc == nil {
		return head, false
	}
	return bytes.Trim(bytes.ReplaceAll(head, []byte{0}, nil), "\xFE\xFF"), true
}

// LooksLikeText reports whether head may be text in UTF-8 or a single-byte encoding. It tolerates stray zeros and a
// run of them, as in logs that were truncated while being written; real binaries have many, and other control
// characters.
func LooksLikeText(head []byte) bool {
	zeros, holes, controls := 0, 0, 0
	for i, b := range head {
		switch {
		case b == 0:
			if zeros++; i == 0 || head[i-1] != 0 {
				holes++
			}
		case b < ' ' && (b < '\b' || b > '\r') && b != 0x1B:
			controls++
		}
	}
	const fewHoles, least = 3, 8
	if text := len(head) - zeros; holes <= fewHoles && text >= least {
		return controls*20 <= text && (zeros*100 <= len(head) || controls == 0)
	}
	return zeros*100 <= len(head) && (zeros+controls)*20 <= len(head)
}

// extension returns the last extension of a name in lower case: ".html".
func extension(name string) string {
	name = strings.ToLower(name[strings.LastIndexAny(name, `/\`)+1:])
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		return name[i:]
	}
	return ""
}

// sourceExtensions belong to files that people write and read as text, whatever their first lines look like: page
// templates, code that contains pages, and prose that may begin with a tag. A file with no extension or an unknown
// one is recognised by its content alone.
const sourceExtensions = " .go .c .h .cc .cpp .hpp .cs .java .kt .scala .swift .rs .py .rb .pl .pm .lua .r .jl .php .js .mjs .cjs .ts .jsx .tsx " +
	".vue .svelte .astro .md .markdown .mdx .rst .adoc .org .tex .tmpl .gotmpl .gohtml .tpl .j2 .jinja .jinja2 .ejs .erb .haml .hbs .handlebars " +
	".mustache .liquid .njk .twig .jsp .jspx .asp .aspx .cshtml .razor .cfm .ftl .vm .templ .sh .bash .zsh .fish .bat .ps1 .sql .css .scss .less " +
	".yaml .yml .toml .ini .csv .tsv .jsonl .ndjson .xml .xsl .xslt .xsd .svg .rss .atom .plist .wsdl .patch .diff .feature .proto .graphql "

// IsText reports whether the bytes of a document of this form are readable text.
func (f Form) IsText() bool {
	switch f {
	case HTML, Mail, Mbox, Notebook, RTF:
		return true
	}
	return false
}
