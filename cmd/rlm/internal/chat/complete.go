package chat

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// completionMost is how many candidates are offered.
const completionMost = 50

// words are the names that completion knows besides commands and files. They are what the session knows
// now; asking for them never waits for a cell.
type words struct {
	vars, builtins, docs []string
}

// completion offers replacements for the word before the cursor.
type completion struct {
	start      int // byte offset of the word in the line
	candidates []string
}

// completeLine offers candidates for the word that ends at the end of line (the text up to the cursor, of the
// cursor's line). first says that the line is the input's first, where commands stand.
func completeLine(line string, first bool, commands []command, known words) completion {
	start := strings.LastIndexFunc(line, isBreak) + 1
	word := line[start:]
	if first && strings.HasPrefix(line, "/") {
		return completeCommand(line, start, commands, known)
	}
	if word == "" {
		return completion{}
	}
	var out []string
	out = append(out, withPrefix(known.vars, word)...)
	out = append(out, withPrefix(known.builtins, word)...)
	out = append(out, withPrefix(known.docs, word)...)
	if looksLikePath(word) {
		out = append(out, files(word)...)
	}
	return completion{start, shorten(out)}
}

func completeCommand(line string, start int, commands []command, known words) completion {
	word := line[start:]
	if start == 0 {
		var names []string
		for _, c := range commands {
			if strings.HasPrefix("/"+c.name, word) {
				names = append(names, "/"+c.name)
			}
		}
		return completion{0, shorten(names)}
	}
	name, _, _ := strings.Cut(line[1:], " ")
	i := slices.IndexFunc(commands, func(c command) bool { return c.name == name })
	if i < 0 {
		return completion{}
	}
	out := withPrefix(commands[i].words, word)
	if commands[i].takesDocs {
		out = append(out, withPrefix(known.docs, word)...)
	}
	if commands[i].takesPath {
		out = append(out, files(word)...)
	}
	return completion{start, shorten(out)}
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

// files lists what prefix could go on to in the file system; folders end in a slash. Hidden ones only when asked for.
func files(prefix string) []string {
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
	if len(names) > completionMost {
		names = names[:completionMost]
	}
	return names
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
