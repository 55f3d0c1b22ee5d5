package typed

import (
	"go/types"
	"strings"
)

// quoteAdvice explains to the model what belongs in a field tagged cite:"true".
const quoteAdvice = "A verbatim quote from the text above: copied word for word, nothing changed, nothing left out."

// withQuoteAdvice adds the advice to the description of a field.
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

// Quote receives the text of each field tagged cite:"true", with the field's path, and returns its replacement.
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

// replaceQuotes replaces each text in tree by the result of f.quote.
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
