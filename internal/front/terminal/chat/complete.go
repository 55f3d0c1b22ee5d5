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

// completionMost is how many candidates are offered.
const completionMost = 50

// vocabulary are the names that completion knows besides commands and files. They are what the session knows
// now; asking for them never waits for a cell.
type vocabulary struct {
	vars, builtins, docs []string
	sessions             []string // of a server, the latest first
}

// completion offers replacements for the word before the cursor.
type completion struct {
	start      int // byte offset of the word in the line
	candidates []string
	spaced     bool // a finished word is followed by a blank
}

// ending puts a blank behind a finished word where one belongs; a folder goes on.
func (c completion) ending(word string) string {
	if !c.spaced || strings.HasSuffix(word, "/") {
		return word
	}
	return word + " "
}

// spot is where completion is wanted.
type spot struct {
	line  string // the cursor's line, up to the cursor
	first bool   // it is the input's first, where commands stand
	cell  bool   // it is Go
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
		return completion{} // the notebook knows members
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
		return completion{start, out[:min(len(out), completionMost)], true} // the latest first
	}
	return completion{start, shorten(out), true}
}

// selector is an operand and the beginning of a member's name behind it: strings.Con, ts[0].Na, f(x).
var selector = startup.Regexp(`([\pL_][\pL\pN_]*(?:\.[\pL_][\pL\pN_]*|\[[^][]*\]|\([^()]*\))*)\.([\pL_][\pL\pN_]*)?$`)

// member finds the operand whose member is typed, and where the member's name begins. For a name that belongs to
// nothing the operand is empty.
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

// identifiers are the names that can be: a worker says so.
func identifiers(names []string) []string {
	return slices.DeleteFunc(names, func(name string) bool { return !token.IsIdentifier(name) })
}

// isBreak ends a word. Slashes, dots and dashes are part of names of documents and files.
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

// paths lists what prefix could go on to in the file system; folders end in a slash. Hidden ones only when asked for.
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

// commonPrefix is what all candidates begin with: the part that completion can fill in without a choice.
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
