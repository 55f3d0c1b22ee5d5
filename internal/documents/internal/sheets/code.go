package sheets

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gorlm/rlm/internal/documents/internal/grid"
)

// maxFormat is the longest format code that Excel accepts.
const maxFormat = 255

// parseFormat parses the code of a number format: up to three sections for numbers, and one for texts.
func parseFormat(code string) display {
	var d display
	for rest := code; rest != "" && len(code) <= maxFormat; {
		f := &formatReader{}
		rest = f.read(rest)
		if f.forTexts {
			d.texts = f.textFormat()
			break
		}
		if len(d.sections) == 3 {
			break
		}
		d.sections = append(d.sections, f.finish())
	}
	if len(d.sections) == 0 {
		d.sections = []section{{general: true}}
	}
	return d
}

// formatReader builds a section from the characters of its code.
type formatReader struct {
	section
	grouped                        bool
	placeholders                   int // digits so far
	point                          bool
	trailing                       string // literals after the last digit
	plain                          bool
	forTexts                       bool
	year, month, day, hour, minute bool
}

// read reads the section at the start of a code, and returns the rest of the code.
func (f *formatReader) read(code string) (rest string) {
	for code != "" {
		if code[0] == ';' {
			return code[1:]
		}
		code = code[f.token(code):]
	}
	return ""
}

// words are tokens of several letters. The names of General, which some programs write in their own language or for
// truth values, show a number as it is.
var words = [...]struct {
	name string
	is   func(f *formatReader)
}{
	{"general", func(f *formatReader) { f.plain = true }},
	{"standard", func(f *formatReader) { f.plain = true }},
	{"boolean", func(f *formatReader) { f.plain = true }},
	{"e+", func(f *formatReader) { f.plain = true }},
	{"e-", func(f *formatReader) { f.plain = true }},
	{"am/pm", func(f *formatReader) { f.hour = true }},
	{"a/p", func(f *formatReader) { f.hour = true }},
}

// token reads a token at the start of a code and returns its length.
func (f *formatReader) token(code string) int {
	for _, w := range words {
		if n := len(w.name); len(code) >= n && strings.EqualFold(code[:n], w.name) {
			w.is(f)
			return n
		}
	}
	switch c := code[0]; c {
	case '"':
		text, _, _ := strings.Cut(code[1:], `"`)
		f.literal(text)
		return min(len(text)+2, len(code))
	case '\\', '!':
		_, n := utf8.DecodeRuneInString(code[1:])
		f.literal(code[1 : 1+n])
		return 1 + n
	case '_', '*': // a blank as wide as the next character, or that character up to the width of the cell
		_, n := utf8.DecodeRuneInString(code[1:])
		return 1 + n
	case '[':
		inside, _, _ := strings.Cut(code[1:], "]")
		f.brackets(inside)
		return min(len(inside)+2, len(code))
	case '@':
		f.forTexts = true
		f.prefix, f.trailing = f.prefix+f.trailing+textHere, ""
		return 1
	case '%':
		f.percent = true
		return 1
	case '.':
		f.point = true
		f.fraction = f.fraction || f.hour || f.elapsed
		return 1
	case '/':
		if f.placeholders == 0 {
			f.literal("/")
			return 1
		}
		f.plain = true
		return run(code, "/0123456789#? ")
	case ',':
		f.grouped = true
		f.trailing += ","
		return 1
	case '0', '#', '?':
		n := run(code, "0#?")
		f.placeholder(code[:n])
		return n
	case 'y', 'Y', 'e', 'E', 'g', 'G', 'b', 'B', 'd', 'D', 'm', 'M', 'h', 'H', 's', 'S', 'a', 'A':
		n := run(code, string([]rune{unicode.ToLower(rune(c)), unicode.ToUpper(rune(c))}))
		f.dateTime(strings.ToLower(code[:n]))
		return n
	}
	_, n := utf8.DecodeRuneInString(code)
	f.literal(code[:n])
	return n
}

// run returns how many bytes at the start of s are among those in set.
func run(s, set string) int { return len(s) - len(strings.TrimLeft(s, set)) }

// brackets reads what stands in brackets: a currency, a condition or an elapsed time. Colours, languages and kinds
// of digits are ignored.
func (f *formatReader) brackets(s string) {
	operator := s[:run(s, "<>=")]
	switch currency, isCurrency := strings.CutPrefix(s, "$"); {
	case isCurrency:
		if at := strings.LastIndex(currency, "-"); at >= 0 {
			currency = currency[:at]
		}
		f.unit = strings.TrimSpace(currency)
	case operator != "":
		if v, err := strconv.ParseFloat(strings.TrimSpace(s[len(operator):]), 64); err == nil {
			f.operator, f.operand = operator, v
		}
	case s != "" && strings.Trim(s, "hHmMsS") == "":
		f.elapsed = true
	}
}

func (f *formatReader) placeholder(digits string) {
	zeros := strings.Count(digits, "0")
	if f.point {
		f.decimals += zeros
	} else {
		f.digits += zeros
		if between := strings.Trim(f.trailing, ","); between != "" && f.placeholders > 0 {
			f.pattern = append(f.pattern, between)
		}
		f.pattern = append(f.pattern, digits)
	}
	f.placeholders += len(digits)
	f.trailing = ""
}

func (f *formatReader) literal(s string) {
	if f.placeholders == 0 && !f.plain {
		f.prefix += s
		return
	}
	f.trailing += s
}

func (f *formatReader) dateTime(token string) {
	switch token[0] {
	case 'y', 'e', 'g', 'b':
		f.year = true
	case 'd':
		f.day = true
	case 'm':
		f.month = f.month || len(token) > 2
		f.minute = true
	case 'h', 's', 'a':
		f.hour = true
	}
}

// textHere stands for a text in its format.
const textHere = "\x00"

// textFormat returns the format of texts, "" if it adds no words or would repeat a text more than twice.
func (f *formatReader) textFormat() string {
	if s := strings.TrimSpace(f.prefix + f.trailing); grid.Says(s) && strings.Count(s, textHere) <= 2 {
		return s
	}
	return ""
}

func (f *formatReader) finish() section {
	s := f.section
	s.date = f.year || f.day || f.month || f.minute && !f.hour && !f.elapsed
	s.clock = f.hour
	if s.date || s.clock || s.elapsed {
		return section{
			date: s.date, clock: s.clock, elapsed: s.elapsed, fraction: s.fraction, operator: s.operator,
			operand: s.operand,
		}
	}
	rest := strings.TrimLeft(f.trailing, ",")
	s.scale = len(f.trailing) - len(rest)
	s.prefix, s.suffix = strings.TrimLeft(s.prefix, " "), strings.TrimRight(rest, " ")
	embedded := false
	for _, part := range s.pattern {
		embedded = embedded || !strings.ContainsAny(part, "0#?")
	}
	if !embedded || f.point || f.grouped {
		s.pattern = nil
	}
	s.words = strings.ContainsFunc(s.prefix+s.suffix, unicode.IsLetter)
	s.mark = grid.Mark(s.suffix)
	if s.percent {
		s.mark = "%"
	}
	if sign := strings.Trim(s.prefix+s.suffix, " ()-+"); s.unit == "" && sign != "" &&
		strings.TrimFunc(sign, isCurrency) == "" {
		s.unit = sign
	}
	s.alone = !f.plain && f.placeholders == 0
	// Exponents and fractions are ignored, because they would hide digits; the literals around them are kept.
	s.general = f.plain || f.placeholders == 0
	return s
}

func isCurrency(r rune) bool { return unicode.Is(unicode.Sc, r) }
