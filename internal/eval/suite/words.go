package suite

import (
	"embed"
	"strings"
	"sync"
)

//go:embed words
var vocabulary embed.FS

// wordsOf returns a file of words.
func wordsOf(name string) string {
	b, _ := vocabulary.ReadFile("words/" + name + ".txt") // the file is embedded
	return string(b)
}

// list returns the words of a file, which is read at first use: most processes need none.
func list(name string) func() []string {
	return sync.OnceValue(func() []string { return strings.Fields(wordsOf(name)) })
}

// phrases returns the lines of a file, which is read at first use.
func phrases(name string) func() []string {
	return sync.OnceValue(func() []string {
		return strings.FieldsFunc(wordsOf(name), func(r rune) bool { return r == '\n' || r == '\r' })
	})
}

// The words are chosen so that none of them reveals what a sentence is about.
var (
	adjectives = list("adjectives")
	nouns      = list("nouns")
	firstNames = list("first-names")
	lastNames  = list("last-names")
	townStarts = list("town-starts")
	townEnds   = list("town-ends")
)
