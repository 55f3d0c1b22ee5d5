package score

import (
	"encoding/json"
	"errors"
	"regexp"
	"strings"

	"github.com/gorlm/rlm/internal/kit/startup"
)

var (
	// LongBench-v2 accepts these two, in this order.
	choiceGiven = []func() *regexp.Regexp{
		startup.Regexp(`The correct answer is \(([A-Z])\)`), startup.Regexp(`The correct answer is ([A-Z])\b`),
	}
	// Other ways in which models write a letter.
	choiceAlone  = startup.Regexp(`^\s*[*(\["'` + "`" + `]*([A-Z])[*)\]"'` + "`" + `]*(?:[.:,)]|\s|$)`)
	choiceStated = startup.Regexp(`(?i)\b(?:answer|option|choice)\**(?:\s+is|:|\s)\**:?\s*[*(\["']*([A-Z])\b`)
)

// choice is 1 if the answer names the right letter.
func choice(gold json.RawMessage) (Func, error) {
	right, err := letter(gold)
	if err != nil {
		return nil, err
	}
	return func(answer string) Score {
		read := choiceOf(answer)
		return yes(read == right, read)
	}, nil
}

// letter reads a right answer that is a letter.
func letter(gold json.RawMessage) (string, error) {
	one, err := texts(gold)
	if err != nil {
		return "", err
	}
	right := strings.ToUpper(strings.Trim(one[0], "() ."))
	if len(one) != 1 || len(right) != 1 || right[0] < 'A' || right[0] > 'Z' {
		return "", errors.New("the right answer is not a letter from A to Z")
	}
	return right, nil
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

// isArticle reports whether a text begins with the word A or I, which is then not a choice.
func isArticle(text string) bool {
	text = strings.TrimSpace(text)
	return strings.HasPrefix(text, "A ") || strings.HasPrefix(text, "I ")
}

var longBenchGiven = []func() *regexp.Regexp{
	startup.Regexp(`The correct answer is \(([A-D])\)`), startup.Regexp(`The correct answer is ([A-D])`),
}

// longBenchV2 is 1 if the answer names the right letter in the words that LongBench-v2's program looks for, and
// that the question demands.
//
// Source: Y. Bai et al., LongBench v2: towards deeper understanding and reasoning on realistic long-context
// multitasks, 2024, and extract_answer of their program.
func longBenchV2(gold json.RawMessage) (Func, error) {
	right, err := letter(gold)
	if err != nil {
		return nil, err
	}
	return func(answer string) Score {
		plain := strings.ReplaceAll(pythonStrip(answer), "*", "")
		for _, given := range longBenchGiven {
			if m := given().FindStringSubmatch(plain); m != nil {
				return yes(m[1] == right, m[1])
			}
		}
		return Score{0, ""}
	}, nil
}
