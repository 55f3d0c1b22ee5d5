package charset

import (
	"cmp"
	"encoding/base64"
	"io"
	"strings"

	"golang.org/x/text/encoding/unicode"

	"github.com/gorlm/rlm/internal/kit/startup"
)

// isUTF7 reports whether a label is that of UTF-7 (RFC 2152), which old mail programs wrote and no library reads.
func isUTF7(label string) bool {
	label = strings.ToLower(strings.Trim(label, " \t\"'"))
	return label == "utf-7" || label == "utf7" || label == "unicode-1-1-utf-7"
}

// shifted matches characters in base64.
var shifted = startup.Regexp(`\+[A-Za-z0-9+/]*-?`)

// utf7 decodes UTF-7. What is not valid stays as it is.
func utf7(s string) string {
	return shifted().ReplaceAllStringFunc(s, func(run string) string {
		if run == "+-" {
			return "+"
		}
		units, err := base64.RawStdEncoding.DecodeString(strings.TrimSuffix(run[1:], "-"))
		if err != nil || len(units) == 0 || len(units)%2 != 0 {
			return run
		}
		text, err := unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewDecoder().Bytes(units)
		if err != nil {
			return run
		}
		return string(text)
	})
}

// mostUTF7 limits a text in UTF-7, in bytes. Such texts are parts of mails.
const mostUTF7 = 32 << 20

func utf7Reader(r io.Reader) io.Reader {
	all, err := io.ReadAll(io.LimitReader(r, mostUTF7))
	return io.MultiReader(strings.NewReader(utf7(string(all))), failed{err})
}

// failed is the end of a text that could be read to this error, if any.
type failed struct{ err error }

func (f failed) Read([]byte) (int, error) { return 0, cmp.Or(f.err, io.EOF) }
