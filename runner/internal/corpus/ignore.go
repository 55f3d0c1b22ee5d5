package corpus

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// ignoreRule is one line of a .gitignore file (gitignore(5)).
type ignoreRule struct {
	negated  bool
	dirOnly  bool
	anchored bool // matches the path from the file's folder; otherwise the name at any depth
	re       *regexp.Regexp
}

// ignoreFile holds the rules of one .gitignore file. Patterns apply below the folder of the file.
type ignoreFile struct {
	name string // for messages
	base string // the file's folder, relative to the top of the walk or repository, slash-separated; "" for the top
	// inside is the top of the walk relative to the repository that the file belongs to; "" if they are the same.
	inside string
	rules  []ignoreRule
}

// parseIgnore parses rules. An invalid pattern matches nothing, as in git.
func parseIgnore(r io.Reader, name, base string) (ignoreFile, error) {
	file := ignoreFile{name: name, base: base}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for first := true; lines.Scan(); first = false {
		line := lines.Text()
		if first {
			line = strings.TrimPrefix(line, "\uFEFF")
		}
		if rule, ok := parseRule(line); ok {
			file.rules = append(file.rules, rule)
		}
	}
	return file, lines.Err()
}

func parseRule(line string) (rule ignoreRule, ok bool) {
	line = trimTrailingSpace(strings.TrimSuffix(line, "\r"))
	if line == "" || line[0] == '#' {
		return rule, false
	}
	if line[0] == '!' {
		rule.negated, line = true, line[1:]
	}
	if strings.HasSuffix(line, "/") {
		rule.dirOnly, line = true, line[:len(line)-1]
	}
	rule.anchored = strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	expr, ok := globExpr(line)
	if line == "" || !ok {
		return rule, false
	}
	re, err := regexp.Compile(expr)
	rule.re = re
	return rule, err == nil
}

// trimTrailingSpace removes trailing blanks that are not escaped by a backslash.
func trimTrailingSpace(s string) string {
	for strings.HasSuffix(s, " ") || strings.HasSuffix(s, "\t") {
		head := s[:len(s)-1]
		if quotes := len(head) - len(strings.TrimRight(head, `\`)); quotes%2 == 1 {
			break
		}
		s = head
	}
	return s
}

// globExpr translates a git glob to a regular expression over byteRunes: * and ? stay within a path element, **
// crosses them.
func globExpr(glob string) (expr string, ok bool) {
	var b strings.Builder
	b.WriteString(`(?s)^`)
	for i := 0; i < len(glob); i++ {
		switch c := glob[i]; c {
		case '*':
			n, part := starExpr(glob, i)
			b.WriteString(part)
			i += n - 1
		case '?':
			b.WriteString(`[^/]`)
		case '[':
			n, class := classExpr(glob[i:])
			if n == 0 {
				return "", false
			}
			b.WriteString(class)
			i += n - 1
		case '\\':
			if i++; i == len(glob) {
				return "", false
			}
			b.WriteString(quoteByte(glob[i]))
		default:
			b.WriteString(quoteByte(c))
		}
	}
	b.WriteString(`$`)
	return b.String(), true
}

// starExpr translates the run of stars at i and returns how many bytes it consumed.
func starExpr(glob string, i int) (n int, expr string) {
	for i+n < len(glob) && glob[i+n] == '*' {
		n++
	}
	atStart := i == 0 || glob[i-1] == '/'
	after := glob[i+n:]
	switch {
	case n >= 2 && atStart && strings.HasPrefix(after, "/"):
		return n + 1, `(?:.*/)?`
	case n >= 2 && atStart && after == "":
		return n, `.*`
	}
	return n, `[^/]*`
}

// classExpr translates a bracket expression at the start of glob; n is 0 when it is not closed.
func classExpr(glob string) (n int, expr string) {
	var b strings.Builder
	i := 1
	if i < len(glob) && (glob[i] == '!' || glob[i] == '^') {
		b.WriteString(`[^/`)
		i++
	} else {
		b.WriteString(`[`)
	}
	for start := i; i < len(glob); i++ {
		switch c := glob[i]; {
		case c == ']' && i > start:
			b.WriteByte(']')
			return i + 1, b.String()
		case c == '[' && strings.HasPrefix(glob[i:], "[:") && strings.Contains(glob[i:], ":]"):
			end := i + strings.Index(glob[i:], ":]") + 2
			b.WriteString(glob[i:end])
			i = end - 1
		case c == '\\':
			if i++; i < len(glob) {
				b.WriteString(quoteInClass(glob[i]))
			}
		case c == '-':
			b.WriteByte('-')
		default:
			b.WriteString(quoteInClass(c))
		}
	}
	return 0, ""
}

func quoteByte(c byte) string { return regexp.QuoteMeta(string(rune(c))) }

func quoteInClass(c byte) string {
	if strings.IndexByte(`\]^[&~-`, c) >= 0 {
		return `\` + string(rune(c))
	}
	return string(rune(c))
}

// byteRunes turns each byte into a character. Git matches bytes: ? and brackets match one byte, not one character.
func byteRunes(s string) string {
	if ascii([]byte(s)) {
		return s
	}
	var b strings.Builder
	for _, c := range []byte(s) {
		b.WriteRune(rune(c))
	}
	return b.String()
}

// ignoredBy returns the file whose rules exclude the entry, "" if none do. Files are ordered from the top folder
// down; the last matching rule decides. All files must apply to the entry's folder. Excluded folders must not be
// walked.
func ignoredBy(files []ignoreFile, rel string, isDir bool) string {
	for f := len(files) - 1; f >= 0; f-- {
		below := byteRunes(strings.TrimPrefix(strings.TrimPrefix(path.Join(files[f].inside, rel), files[f].base), "/"))
		name := below[strings.LastIndexByte(below, '/')+1:]
		for i := len(files[f].rules) - 1; i >= 0; i-- {
			rule := &files[f].rules[i]
			subject := name
			if rule.anchored {
				subject = below
			}
			if (!rule.dirOnly || isDir) && rule.re.MatchString(subject) {
				if rule.negated {
					return ""
				}
				return files[f].name
			}
		}
	}
	return ""
}

// enclosingIgnores returns the rules that the git repository around a folder has for the folder's content. If they
// exclude the folder itself, none apply, because the user named the folder on purpose.
func enclosingIgnores(given string) []ignoreFile {
	abs, err := filepath.Abs(given)
	if err != nil {
		return nil
	}
	top := abs
	for {
		if _, err := os.Lstat(filepath.Join(top, ".git")); err == nil {
			break
		}
		up := filepath.Dir(top)
		if up == top {
			return nil
		}
		top = up
	}
	inside, err := filepath.Rel(top, abs)
	if err != nil {
		return nil
	}
	return repositoryIgnores(top, filepath.ToSlash(inside))
}

// repositoryIgnores reads the rules from the top of a repository down to, but not in, the folder inside, and
// adapts them to paths relative to that folder.
func repositoryIgnores(top, inside string) []ignoreFile {
	files := excludes(top, "")
	if inside == "." {
		return files
	}
	base := ""
	for element := range strings.SplitSeq(inside, "/") {
		file := path.Join(base, ".gitignore")
		if data, ok := readRules(filepath.Join(top, filepath.FromSlash(file))); ok {
			if rules, err := parseIgnore(bytes.NewReader(data), file, base); err == nil {
				files = append(files, rules)
			}
		}
		base = path.Join(base, element)
		if ignoredBy(files, base, true) != "" {
			return nil
		}
	}
	for i := range files {
		files[i].inside = inside
	}
	return files
}
