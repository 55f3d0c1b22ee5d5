package tool

import (
	"errors"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/gorlm/rlm/repl"
)

// mostName bounds the name of a tool, in characters.
const mostName = 64

// Reserve marks identifiers of a notebook that servers' tools and their types must not use.
func Reserve(taken map[string]bool, names ...string) {
	for _, name := range names {
		taken[fold(name)] = true
		taken[name] = true
	}
}

// nameOf is an unused Go name for a tool: the tool's own if possible, else with its server's name before it, else
// with a number after it.
func nameOf(f ForeignTool, taken map[string]bool) string {
	own, server := identifier(f.Tool), identifier(f.Server)
	if isFree(own, taken) {
		return own
	}
	base := strings.Trim(server+"_"+own, "_")
	if base == "" || !unicode.IsLetter([]rune(base)[0]) {
		base = strings.Trim("tool_"+base, "_")
	}
	if isFree(base, taken) {
		return base
	}
	for i := 2; ; i++ {
		if name := base + "_" + strconv.Itoa(i); isFree(name, taken) {
			return name
		}
	}
}

// checkName reports why a function of a notebook cannot have a name.
func checkName(name string) error {
	switch {
	case !token.IsIdentifier(name) || name == "_":
		return errors.New("the name is not a Go identifier")
	case types.Universe.Lookup(name) != nil || name == "init" || name == "main":
		return errors.New("the name means something in Go")
	case slices.Contains(Owned(), name) ||
		slices.ContainsFunc(repl.Packages(), func(p string) bool { return packageName(p) == name }):
		return errors.New("the name means something in the notebook")
	}
	return nil
}

// Owned lists the variables and types that every notebook has.
func Owned() []string {
	return []string{
		"context", "docs", "history", "Doc", "Part", "Hit", "Passage", "Match", "recorded_calls", "RecordedCall",
	}
}

// packageName is the name under which cells use a package, which they need not import.
func packageName(importPath string) string { return path.Base(strings.TrimSuffix(importPath, "/v2")) }

func isFree(name string, taken map[string]bool) bool {
	return token.IsIdentifier(name) && types.Universe.Lookup(name) == nil && !taken[fold(name)]
}

// identifier keeps the characters of a name that are valid in a Go identifier; each gap becomes one underscore.
func identifier(name string) string {
	var b strings.Builder
	gap, n := false, 0
	for _, c := range name {
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			gap = n > 0
			continue
		}
		if n >= mostName {
			break
		}
		if gap {
			b.WriteByte('_')
			gap = false
		}
		b.WriteRune(c)
		n++
	}
	return b.String()
}

// typesIn returns the names of the types that Go source declares.
func typesIn(source string) []string {
	var names []string
	for line := range strings.Lines(source) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == "type" {
			names = append(names, words[1])
		}
	}
	return names
}

// fold makes names equal if a reader could not distinguish them, or the types named after them.
func fold(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }

// typePrefix is the prefix of the names of a tool's types.
func typePrefix(name string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(name, "_") {
		runes := []rune(part)
		if len(runes) > 0 {
			runes[0] = unicode.ToUpper(runes[0])
		}
		b.WriteString(string(runes))
	}
	if out := b.String(); unicode.IsUpper([]rune(out)[0]) {
		return out
	}
	return "T" + b.String()
}
