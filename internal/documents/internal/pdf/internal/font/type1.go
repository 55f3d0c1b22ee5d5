package font

import (
	"bytes"

	"github.com/gorlm/rlm/internal/documents/internal/pdf/internal/syntax"
)

// parseType1 reads the encoding at the start of a Type 1 font, a PostScript program: "dup 65 /A put".
func parseType1(data []byte) *program {
	if i := bytes.Index(data, []byte("eexec")); i >= 0 {
		data = data[:i]
	}
	i := bytes.Index(data, []byte("/Encoding"))
	if i < 0 {
		return nil
	}
	p := &program{}
	l := syntax.NewLexer(data[i+len("/Encoding"):])
	var code int64
	for n := 0; n < 4096; n++ {
		o, ok := l.Next()
		if !ok {
			break
		}
		switch o := o.(type) {
		case int64:
			code = o
		case syntax.Name:
			if code >= 0 && code < 256 {
				p.byName[code] = string(o)
			}
		case syntax.Keyword:
			switch o {
			case "StandardEncoding":
				p.byName = standard().standard
				return p
			case "def", "readonly":
				if n > 8 { // larger than in the loop that clears the encoding
					return p
				}
			}
		}
	}
	return p
}
