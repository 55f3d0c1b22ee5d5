package llm

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/gorlm/rlm/internal/kit/startup"
	"github.com/gorlm/rlm/internal/kit/text"
)

// hidden replaces parts of a URL that look like keys.
const hidden = "[hidden]"

// redactor removes secrets from texts of an endpoint or the network: known secrets in any spelling, and whatever
// looks like a key. All such text that leaves this package passes through it.
type redactor struct {
	plain  []string // short secrets, matched literally
	folded []string // letters and digits of longer secrets in all encodings, see fold
}

// shortest and shortestFolded are the least lengths of secrets that are matched literally and folded. Shorter ones
// would match ordinary words.
const (
	shortest       = 4
	shortestFolded = 8
)

func newRedactor(secrets ...string) *redactor {
	r := &redactor{}
	for _, s := range secrets {
		if len(s) >= shortest {
			r.plain = append(r.plain, s)
		}
		for _, spelling := range append(base64Cores(s), s, hex.EncodeToString([]byte(s))) {
			if f, _ := fold(spelling); len(f) >= shortestFolded {
				r.folded = append(r.folded, f)
			}
		}
	}
	return r
}

// base64Cores returns the base64 characters that a secret always produces, whatever precedes and follows it.
func base64Cores(secret string) (cores []string) {
	for before := range 3 {
		whole := base64.RawStdEncoding.EncodeToString(append(make([]byte, before), secret...))
		from, to := (before*8+5)/6, (before+len(secret))*8/6
		cores = append(cores, whole[min(from, to):to])
	}
	return cores
}

// fold returns the letters and digits of a text, in lower case, and the position of each. It finds a key that was
// echoed in capitals, in groups, with quotes or with blanks in between.
func fold(text string) (folded string, at []int) {
	b := make([]byte, 0, len(text))
	for i := range len(text) {
		c := text[i] | 0x20 // lowers a letter and keeps a digit
		if 'a' <= c && c <= 'z' || '0' <= text[i] && text[i] <= '9' {
			b = append(b, c)
			at = append(at, i)
		}
	}
	return string(b), at
}

var (
	bearer   = startup.Regexp(`(?i)\b(bearer\s+)\S+`)
	keyLike  = startup.Regexp(`\b(sk|pk|gsk|xai|key|AIza)[-_][A-Za-z0-9_*.-]{6,}`)
	userInfo = startup.Regexp(`(://)[^/\s@]+@`)
)

// text removes secrets from a text.
func (r *redactor) text(text string) string {
	for _, secret := range r.plain {
		text = strings.ReplaceAll(text, secret, "[key]")
	}
	text = r.unfold(text)
	text = bearer().ReplaceAllString(text, "${1}[key]")
	text = keyLike().ReplaceAllString(text, "[key]")
	return userInfo().ReplaceAllString(text, "${1}")
}

// unfold removes secrets in other spellings, even if the text is escaped.
func (r *redactor) unfold(text string) string {
	plain, from := unescape(text)
	folded, at := fold(text)
	inner, innerAt := fold(plain)
	found := append(r.spans(folded, func(i int) (int, int) { return at[i], at[i] + 1 }),
		r.spans(inner, func(i int) (int, int) { return from[innerAt[i]], from[innerAt[i]+1] })...)
	// from the end, so that earlier positions stay valid
	slices.SortFunc(found, func(a, b byteRange) int { return cmp.Or(b.from-a.from, b.to-a.to) })
	end := len(text)
	for _, s := range found {
		if s.from >= end {
			continue
		}
		text = text[:s.from] + "[key]" + text[max(s.from, min(s.to, end)):]
		end = s.from
	}
	return text
}

// byteRange is a range of a text.
type byteRange struct{ from, to int }

// spans returns the ranges that contain a secret. where maps a character of folded to its range in the text.
func (r *redactor) spans(folded string, where func(i int) (from, to int)) (found []byteRange) {
	for _, secret := range r.folded {
		for from := 0; ; {
			i := strings.Index(folded[from:], secret)
			if i < 0 {
				break
			}
			from += i
			start, _ := where(from)
			_, end := where(from + len(secret) - 1)
			found = append(found, byteRange{start, end})
			from += len(secret)
		}
	}
	return found
}

var escape = startup.Regexp(
	`\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\\[abfnrtv]|%[0-9a-fA-F]{2}|&#[0-9]{1,3};|&#[xX][0-9a-fA-F]{1,2};`)

// unescape decodes the escapes of JSON, URLs and HTML in a text, and returns the position of each byte; the last
// position is the end of the text.
func unescape(text string) (plain string, from []int) {
	var b []byte
	done := 0
	copyTo := func(end int) {
		for ; done < end; done++ {
			b, from = append(b, text[done]), append(from, done)
		}
	}
	for _, at := range escape().FindAllStringIndex(text, -1) {
		copyTo(at[0])
		b, from, done = append(b, escaped(text[at[0]:at[1]])), append(from, at[0]), at[1]
	}
	copyTo(len(text))
	return string(b), append(from, len(text))
}

// escaped decodes an escape. It returns a blank for a character beyond z or an invalid escape.
func escaped(text string) byte {
	digits, base := strings.TrimLeft(text, `\ux%&#X;`), 16
	if strings.HasPrefix(text, "&#") && !strings.ContainsAny(text, "xX") {
		base = 10
	}
	n, err := strconv.ParseUint(strings.TrimSuffix(digits, ";"), base, 16)
	if err != nil || n > 'z' {
		return ' '
	}
	return byte(n)
}

// line removes secrets from a text and reduces it to one line that a terminal can show.
func (r *redactor) line(s string) string {
	const most = 400
	return text.Line(r.text(s), most)
}

// PublicURL returns a URL that may be printed and recorded: without user and password, and with a mark in place of
// parts of its host and path that look like keys. If raw is not a URL, it is returned without anything that looks
// like a key.
func PublicURL(raw string) string {
	shown, _ := splitSecrets(raw)
	return shown
}

// splitSecrets returns a URL that is safe in messages, and the secrets removed from it.
func splitSecrets(raw string) (shown string, secrets []string) {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		return newRedactor().text(raw), nil
	}
	if u.User != nil {
		if password, ok := u.User.Password(); ok {
			secrets = append(secrets, password)
		} else if name := u.User.Username(); len(name) >= shortestFolded {
			secrets = append(secrets, name)
		}
	}
	hide := func(part string) string {
		if !looksLikeKey(part) {
			return part
		}
		secrets = append(secrets, part)
		return hidden
	}
	shown = u.Scheme + "://" + mapParts(u.Host, ".", hide) + mapParts(u.Path, "/", hide)
	if u.RawQuery != "" {
		shown += "?" + hidden
		secrets = append(secrets, u.RawQuery)
	}
	return shown, secrets
}

func mapParts(s, sep string, f func(string) string) string {
	parts := strings.Split(s, sep)
	for i := range parts {
		parts[i] = f(parts[i])
	}
	return strings.Join(parts, sep)
}

var uuid = startup.Regexp(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

// looksLikeKey reports whether a part of a URL is probably a key and not a name: names consist of words and
// versions.
func looksLikeKey(part string) bool {
	const long = 20 // letters and digits in a row
	if keyLike().MatchString(part) || uuid().MatchString(part) {
		return true
	}
	runs := strings.FieldsFunc(part, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) })
	return slices.ContainsFunc(runs, func(run string) bool {
		return len(run) >= long && strings.ContainsAny(run, "0123456789") && strings.ContainsFunc(run, unicode.IsLetter)
	})
}
