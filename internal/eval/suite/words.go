package suite

import (
	"embed"
	"strings"
	"sync"
)

//go:embed words
var vocabulary embed.FS

// wordsOf is a file of words.
func wordsOf(name string) string {
	b, _ := vocabulary.ReadFile("words/" + name + ".txt") // it is part of the program
	return string(b)
}

// list are the words of a file, read at their first use: most processes need none.
func list(name string) func() []string {
	return sync.OnceValue(func() []string { return strings.Fields(wordsOf(name)) })
}

// phrases are the lines of a file, read at their first use.
func phrases(name string) func() []string {
	return sync.OnceValue(func() []string {
		return strings.FieldsFunc(wordsOf(name), func(r rune) bool { return r == '\n' || r == '\r' })
	})
}

// The words are chosen so that none of them says by itself what a sentence is about.
var (
	adjectives = list("adjectives")
	nouns      = list("nouns")
	firstNames = list("first-names")
	lastNames  = list("last-names")
	townStarts = list("town-starts")
	townEnds   = list("town-ends")
)
