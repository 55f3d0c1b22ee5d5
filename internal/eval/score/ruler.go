package score

import (
	"encoding/json"
	"strings"
)

// ruler is RULER's score for all tasks but its questions: the share of the right texts that occur in the answer,
// ignoring case.
//
// Source: C. Hsieh et al., RULER: what's the real context size of your long-context language models?, 2024, and
// string_match_all of their program.
func ruler(gold json.RawMessage) (Func, error) { return rulerScore(gold, shareFound) }

// rulerQA is RULER's score for questions over documents, string_match_part: 1 if one of the right texts occurs.
func rulerQA(gold json.RawMessage) (Func, error) { return rulerScore(gold, oneFound) }

func rulerScore(gold json.RawMessage, value func(found, right int) float64) (Func, error) {
	score, err := containing(gold, pythonLower, value)
	if err != nil {
		return nil, err
	}
	return func(answer string) Score { return score(strings.Map(printable, pythonStrip(answer))) }, nil
}

// printable replaces a control character by a line end.
func printable(r rune) rune {
	if r < ' ' {
		return '\n'
	}
	return r
}
