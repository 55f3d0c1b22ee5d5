package suite

import (
	"embed"
	"strings"
)

//go:embed words
var vocabulary embed.FS

// wordsOf returns a file of words.
func wordsOf(name string) string {
	b, _ := vocabulary.ReadFile("words/" + name + ".txt") // it is embedded
	return string(b)
}

// list returns the words of a file.
func list(name string) []string { return strings.Fields(wordsOf(name)) }

// phrases returns the lines of a file.
func phrases(name string) []string {
	return strings.FieldsFunc(wordsOf(name), func(r rune) bool { return r == '\n' || r == '\r' })
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
