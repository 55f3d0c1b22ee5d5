package score

import (
	"encoding/json"
	"errors"
	"regexp"
	"strings"

	"github.com/gorlm/rlm/internal/lazy"
)

var (
	// LongBench-v2 takes these two, the first before the second.
	choiceGiven = []func() *regexp.Regexp{lazy.Regexp(`The correct answer is \(([A-Z])\)`), lazy.Regexp(`The correct answer is ([A-Z])\b`)}
	// What else models write when they are asked for a letter.
	choiceAlone  = lazy.Regexp(`^\s*[*(\["'` + "`" + `]*([A-Z])[*)\]"'` + "`" + `]*(?:[.:,)]|\s|$)`)
	choiceStated = lazy.Regexp(`(?i)\b(?:answer|option|choice)\**(?:\s+is|:|\s)\**:?\s*[*(\["']*([A-Z])\b`)
)

// choice is 1 if the answer names the right letter.
func choice(gold json.RawMessage) (Func, error) {
	one, err := texts(gold)
	if err != nil {
		return nil, err
	}
	right := strings.ToUpper(strings.Trim(one[0], "() ."))
	if len(one) != 1 || len(right) != 1 || right[0] < 'A' || right[0] > 'Z' {
		return nil, errors.New("the right answer is no letter from A to Z")
	}
	return func(answer string) Score {
		letter := choiceOf(answer)
		return yes(letter == right, letter)
	}, nil
}

func choiceOf(answer string) string {
	bare := strings.ReplaceAll(answer, "*", "")
	for _, given := range choiceGiven {
		if m := given().FindStringSubmatch(bare); m != nil {
			return m[1]
		}
	}
	if m := choiceAlone().FindStringSubmatch(bare); m != nil && (len(strings.Fields(bare)) == 1 || !isArticle(bare)) {
		return m[1]
	}
	if all := choiceStated().FindAllStringSubmatch(bare, -1); len(all) > 0 {
		return strings.ToUpper(all[len(all)-1][1])
	}
	return ""
}

// isArticle says whether a text begins with a word of one letter.
func isArticle(text string) bool {
	text = strings.TrimSpace(text)
	return strings.HasPrefix(text, "A ") || strings.HasPrefix(text, "I ")
}
