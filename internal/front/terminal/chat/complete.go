package chat

import (
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/gorlm/rlm/internal/kit/startup"
)

// completionMost is the maximum number of candidates offered.
const completionMost = 50

// vocabulary holds the names that completion knows besides commands and files. They come from the last snapshot of
// the session, so completion never waits for a cell.
type vocabulary struct {
	vars, builtins, docs []string
	sessions             []string // ids of a server's sessions, newest first
}

// completion offers replacements for the word before the cursor.
type completion struct {
	start      int // byte offset of the word in the line
	candidates []string
	spaced     bool // append a blank to a finished word
}

// ending appends a blank to a completed word, except to a folder, whose path may continue.
func (c completion) ending(word string) string {
	if !c.spaced || strings.HasSuffix(word, "/") {
		return word
	}
	return word + " "
}

// spot is where completion was requested: the text up to the cursor, and what it belongs to.
type spot struct {
	line  string // the cursor's line up to the cursor
	first bool   // the line is the input's first, where commands are allowed
	cell  bool   // the line is Go code
}

// completeLine offers candidates for the word that ends at the cursor.
func (b *console) completeLine(at spot) completion {
	known := b.look().known
	start := strings.LastIndexFunc(at.line, isBreak) + 1
	word := at.line[start:]
	switch {
	case at.first && isCommand(at.line):
		return b.completeCommand(at.line, start, known)
	case start > 0 && at.line[start-1] == '@' && !at.cell:
		return completion{start, shorten(paths(word)), true}
	case word == "", at.cell && selector().MatchString(at.line):
		return completion{} // complete asks the notebook for members
	}
	var out []string
	out = append(out, withPrefix(known.vars, word)...)
	out = append(out, withPrefix(known.builtins, word)...)
	out = append(out, withPrefix(known.docs, word)...)
	if looksLikePath(word) {
		out = append(out, paths(word)...)
	}
	return completion{start, shorten(out), true}
}

func (b *console) completeCommand(line string, start int, known vocabulary) completion {
	word := line[start:]
	if start == 0 {
		var names []string
		for _, cmd := range b.commands {
			names = append(names, "/"+cmd.name)
		}
		return completion{0, shorten(withPrefix(names, word)), true}
	}
	name, _, _ := strings.Cut(line[1:], " ")
	i := slices.IndexFunc(b.commands, func(cmd command) bool { return cmd.name == name })
	if i < 0 {
		return completion{}
	}
	cmd := b.commands[i]
	out := withPrefix(cmd.words, word)
	if cmd.takesDocs {
		out = append(out, withPrefix(known.docs, word)...)
	}
	if cmd.takesPath {
		out = append(out, paths(word)...)
	}
	if cmd.takesIDs {
		out = append(out, withPrefix(b.ids(), word)...)
		return completion{start, out[:min(len(out), completionMost)], true} // newest first
	}
	return completion{start, shorten(out), true}
}

// selector matches an operand and the start of a member's name: strings.Con, ts[0].Na, f(x).
var selector = startup.Regexp(`([\pL_][\pL\pN_]*(?:\.[\pL_][\pL\pN_]*|\[[^][]*\]|\([^()]*\))*)\.([\pL_][\pL\pN_]*)?$`)

// member returns the operand whose member is being typed, and the offset of the member's name. The operand is empty
// if the name being typed has none.
func (at spot) member() (operand string, start int, ok bool) {
	if !at.cell {
		return "", 0, false
	}
	m := selector().FindStringSubmatchIndex(at.line)
	if m == nil {
		start = strings.LastIndexFunc(at.line, isBreak) + 1
		return "", start, start < len(at.line) && !strings.Contains(at.line[start:], ".")
	}
	start = m[1]
	if m[4] >= 0 {
		start = m[4]
	}
	return at.line[m[2]:m[3]], start, true
}

// identifiers returns those names that are valid identifiers: the names come from a worker, which is not trusted.
func identifiers(names []string) []string {
	return slices.DeleteFunc(names, func(name string) bool { return !token.IsIdentifier(name) })
}

// isBreak reports whether a rune separates words. Slashes, dots and dashes do not, since they are part of the names
// of documents and files.
func isBreak(r rune) bool {
	return unicode.IsSpace(r) || strings.ContainsRune(`"'`+"`"+`()[]{},;=+*<>!&|:@`, r)
}

func looksLikePath(word string) bool {
	return strings.ContainsAny(word, "/~") || strings.HasPrefix(word, ".")
}

func withPrefix(names []string, prefix string) []string {
	var out []string
	for _, n := range names {
		if strings.HasPrefix(n, prefix) && n != prefix {
			out = append(out, n)
		}
	}
	return out
}

// paths lists the paths that begin with prefix; folders end in a slash. Hidden files are listed only if prefix
// asks for them.
func paths(prefix string) []string {
	shown, dir := prefix, prefix
	if rest, ok := strings.CutPrefix(prefix, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			dir = filepath.Join(home, rest)
			if strings.HasSuffix(rest, "/") || rest == "" {
				dir += "/"
			}
		}
	}
	folder, base := filepath.Split(dir)
	if folder == "" {
		folder = "."
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	head := shown[:len(shown)-len(base)]
	var out []string
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, base) || strings.HasPrefix(name, ".") && !strings.HasPrefix(base, ".") {
			continue
		}
		if info, err := os.Stat(filepath.Join(folder, name)); err == nil && info.IsDir() {
			name += "/"
		}
		out = append(out, head+name)
	}
	return out
}

func shorten(names []string) []string {
	slices.Sort(names)
	names = slices.Compact(names)
	return names[:min(len(names), completionMost)]
}

// commonPrefix returns the common prefix of all candidates: completion can fill it in without a choice.
func commonPrefix(names []string) string {
	if len(names) == 0 {
		return ""
	}
	first, last := slices.Min(names), slices.Max(names)
	i := 0
	for i < len(first) && i < len(last) && first[i] == last[i] {
		i++
	}
	return strings.ToValidUTF8(first[:i], "")
}
