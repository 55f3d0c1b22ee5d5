package typed

import (
	"go/types"
	"strings"
)

// quoteAdvice tells the model what a field tagged cite:"true" takes.
const quoteAdvice = "A verbatim quote from the text above: copied word for word, nothing changed, nothing left out."

// withQuoteAdvice is the description of such a field.
func withQuoteAdvice(about string) string {
	about = strings.TrimSpace(about)
	switch {
	case about == "":
		return quoteAdvice
	case strings.HasSuffix(about, ".") || strings.HasSuffix(about, "!") || strings.HasSuffix(about, "?"):
		return about + " " + quoteAdvice
	}
	return about + ". " + quoteAdvice
}

// Quote is given the text of each field that is tagged cite:"true", with the path of the field, and returns what takes its place.
type Quote func(path, text string) (string, error)

// holdsText reports whether a field can hold quotes: a string, a pointer to one, or a list of them.
func holdsText(t types.Type) bool {
	switch u := types.Unalias(t).Underlying().(type) {
	case *types.Basic:
		return u.Info()&types.IsString != 0 && choices(t) == nil
	case *types.Pointer:
		return holdsText(u.Elem())
	case *types.Slice:
		return holdsText(u.Elem())
	case *types.Array:
		return holdsText(u.Elem())
	}
	return false
}

// replaceQuotes puts what f.quote returns in the place of each text in tree.
func (f filler) replaceQuotes(tree any, path string) (any, error) {
	switch tree := tree.(type) {
	case string:
		text, err := f.quote(path, tree)
		return text, at(path, err)
	case []any:
		list := make([]any, len(tree))
		for i, item := range tree {
			var err error
			if list[i], err = f.replaceQuotes(item, path); err != nil {
				return nil, err
			}
		}
		return list, nil
	}
	return tree, nil
}
