package score

import (
	"encoding/json"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/gorlm/rlm/internal/kit/startup"
)

// plain normalises a text for comparison: one Unicode form, lower case, single spaces, and no Markdown marks,
// quotes or full stop around it.
func plain(text string) string {
	text = strings.Join(strings.Fields(norm.NFKC.String(strings.ToLower(text))), " ")
	return strings.TrimSpace(strings.Trim(text, "*_`\"'“”‘’«».,;:! "))
}

var answerLabel = startup.Regexp(`(?is).*\banswer\**(?:\s+is\b\**:?|\**\s*:)\**\s*(.+)`)

// stated returns the answer that a text states: the text after the last "Answer:" or "the answer is", or else all
// of it.
func stated(answer string) string {
	if m := answerLabel().FindStringSubmatch(answer); m != nil {
		return m[1]
	}
	return answer
}

// exact is 1 if the answer, or the part it states as its answer, is one of the right ones, ignoring case, spaces
// and quotes.
func exact(gold json.RawMessage) (Func, error) {
	right, err := texts(gold)
	if err != nil {
		return nil, err
	}
	return func(answer string) Score {
		for _, read := range []string{answer, stated(answer)} {
			for _, r := range right {
				if plain(read) == plain(r) {
					return Score{1, plain(read)}
				}
			}
		}
		return Score{0, plain(stated(answer))}
	}, nil
}

// containsAll is the share of the right texts that occur in the answer, ignoring case.
func containsAll(gold json.RawMessage) (Func, error) {
	return containing(gold, strings.ToLower, shareFound)
}

// containsAny is 1 if one of the right texts occurs in the answer, ignoring case.
func containsAny(gold json.RawMessage) (Func, error) {
	return containing(gold, strings.ToLower, oneFound)
}

func shareFound(found, right int) float64 { return float64(found) / float64(right) }

func oneFound(found, _ int) float64 { return float64(min(found, 1)) }

// containing scores by how many of the right texts occur in the answer, after both have been normalised.
func containing(gold json.RawMessage, normal func(string) string, value func(found, right int) float64) (Func, error) {
	right, err := texts(gold)
	if err != nil {
		return nil, err
	}
	return func(answer string) Score {
		answer = normal(answer)
		var found []string
		for _, r := range right {
			if strings.Contains(answer, normal(r)) {
				found = append(found, r)
			}
		}
		return Score{value(len(found), len(right)), strings.Join(found, ", ")}
	}, nil
}
