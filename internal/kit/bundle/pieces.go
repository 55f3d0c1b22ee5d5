package bundle

import (
	"slices"
	"strings"
)

// Piece is a part of a cell's output: text, or an item.
type Piece struct {
	Text  string
	Item  *Item
	Value bool // the piece is the value of the last expression
}

// Pieces places the items of a cell where their text is in its printed output, and its value at the end. An item
// whose text is missing, because the output was cut, is placed at the end of the printed output.
func Pieces(output, value string, items []Item) []Piece {
	var out, behind []Piece
	shown := false
	for n := range items {
		i := &items[n]
		text := i.Text()
		if i.Value {
			shown = true
			behind = append(behind, Piece{Text: text, Item: i, Value: true})
			continue
		}
		before, after, found := strings.Cut(output, text)
		if !found || text == "" {
			behind = append(behind, Piece{Text: text, Item: i})
			continue
		}
		if strings.TrimSpace(before) != "" {
			out = append(out, Piece{Text: before})
		}
		out = append(out, Piece{Text: text, Item: i})
		output = strings.TrimPrefix(after, "\n")
	}
	if strings.TrimSpace(output) != "" {
		out = append(out, Piece{Text: output})
	}
	out = append(out, behind...)
	if value != "" && !shown {
		out = append(out, Piece{Text: value, Value: true})
	}
	return out
}

// Shown returns the items that a reader of the output sees, in the order of their texts: those that were printed
// or are the value, and, if the output was cut, those that may have been in the missing part.
func Shown(items []Item, output, value string, truncated bool) []Item {
	type placed struct {
		Item
		at int
	}
	var found []placed
	next := map[string]int{} // where to look for the next occurrence of a text
	for _, i := range items {
		text := i.Text()
		at := -1
		if text != "" && !i.Value {
			at = strings.Index(output[next[text]:], text)
		}
		switch {
		case i.Value:
			found = append(found, placed{i, len(output) + 1})
		case at >= 0:
			at += next[text]
			next[text] = at + len(text)
			found = append(found, placed{i, at})
		case text != "" && text == value:
			i.Value = true
			found = append(found, placed{i, len(output) + 1})
		case truncated:
			found = append(found, placed{i, len(output)})
		}
	}
	slices.SortStableFunc(found, func(a, b placed) int { return a.at - b.at })
	if len(found) == 0 {
		return nil
	}
	out := make([]Item, len(found))
	for n, f := range found {
		out[n] = f.Item
	}
	return out
}
