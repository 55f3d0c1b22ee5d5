package search

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Chunks cuts a text into pieces of at most size bytes. It cuts at the last paragraph border of a piece, or at its
// last line border, or between words, if that uses at least half of the size; otherwise between characters.
// Without overlap the joined pieces are the text; with it each piece begins at most overlap bytes before the end
// of the preceding one.
func Chunks(text string, size, overlap int) ([]string, error) {
	switch {
	case size < utf8.UTFMax:
		return nil, fmt.Errorf("a size of %d bytes is too small for a chunk", size)
	case overlap < 0 || overlap > size/2:
		return nil, fmt.Errorf("the overlap has to lie between 0 and half of the size (%d), and is %d", size/2, overlap)
	}
	var out []string
	for start, done := 0, 0; done < len(text); {
		end := len(text)
		if end-start > size {
			end = start + cut(text[start:start+size])
		}
		if end <= done {
			start = done // the overlap left no room for anything new
			continue
		}
		out = append(out, text[start:end])
		start, done = back(text, start, end, overlap), end
	}
	return out, nil
}

// cut returns the end of a piece that fills window and is followed by more.
func cut(window string) int {
	half := len(window) / 2
	if at := strings.LastIndex(window[half:], "\n\n"); at >= 0 {
		return half + at + 2
	}
	if at := strings.LastIndexByte(window, '\n'); at+1 > half {
		return at + 1
	}
	if at := strings.LastIndexByte(window, ' '); at+1 > half {
		return at + 1
	}
	return charBorder(window, len(window))
}

// back returns the start of the piece after one that ended at end: overlap bytes earlier, moved to the next border
// of a line, a word or a character, but always after the start of the preceding piece.
func back(text string, start, end, overlap int) int {
	if overlap == 0 {
		return end
	}
	from := max(end-overlap, start+1)
	for _, border := range []byte{'\n', ' '} {
		if at := strings.IndexByte(text[from:end], border); at >= 0 && from+at+1 < end {
			return from + at + 1
		}
	}
	for from < end && !utf8.RuneStart(text[from]) {
		from++
	}
	return from
}

// charBorder returns the last border between characters at or before at; at itself if the bytes around it are not
// UTF-8.
func charBorder(text string, at int) int {
	for i := at; i > at-utf8.UTFMax && i > 0; i-- {
		if r, n := utf8.DecodeLastRuneInString(text[:i]); r != utf8.RuneError || n > 1 {
			if i < at && !startsTruncated(text[i:at]) {
				return at
			}
			return i
		}
	}
	return at
}

// startsTruncated reports whether the bytes are an incomplete character.
func startsTruncated(s string) bool { return !utf8.FullRuneInString(s) }
