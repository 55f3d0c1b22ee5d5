package search

import "strings"

// The sizes of a passage in bytes: shorter paragraphs are joined with the next one, longer ones are cut.
const (
	shortPassage = 300
	longPassage  = 1500
)

// passageEnd returns the end of the passage that begins at start: at the first blank line after which it is long
// enough, else at the last line end before it gets too long, else between two words.
func passageEnd(text string, start int) int {
	window := text[start:min(start+longPassage, len(text))]
	after := min(shortPassage, len(window))
	if gap := strings.Index(window[after:], "\n\n"); gap >= 0 {
		end := after + gap + 2
		for end < len(window) && window[end] == '\n' {
			end++
		}
		return start + end
	}
	if start+len(window) == len(text) {
		return len(text)
	}
	if at := strings.LastIndexByte(window, '\n'); at > shortPassage {
		return start + at + 1
	}
	if at := strings.LastIndexByte(window, ' '); at > shortPassage {
		return start + at + 1
	}
	return start + charBorder(window, len(window))
}
