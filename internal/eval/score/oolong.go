package score

import (
	"encoding/json"
	"errors"
	"math/big"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gorlm/rlm/internal/kit/startup"
)

// oolongGold is an answer in OOLONG's synthetic data.
type oolongGold struct {
	Answer string // a Python list with one value: "['entity']", "[42]", "[datetime.date(2023, 1, 6)]"
	Type   string `json:"answer_type"` // "ANSWER_TYPE.NUMERIC", "ANSWER_TYPE.DATE", …
}

// oolongRight is the right answer of an OOLONG item, ready to be compared.
type oolongRight struct {
	text   string    // the result of Python's str
	number *big.Int  // the result of Python's int; nil if the answer is not a number
	day    time.Time // the date; zero for other answers
	kind   string    // NUMERIC, DATE, LABEL, …
}

func readOolong(gold json.RawMessage) (oolongRight, error) {
	var g oolongGold
	if err := json.Unmarshal(gold, &g); err != nil || g.Answer == "" {
		return oolongRight{}, errors.New(`the right answer is not {"answer": "['…']", "answer_type": "…"}`)
	}
	right := oolongRight{kind: strings.TrimPrefix(g.Type, "ANSWER_TYPE.")}
	if m := pythonDateValue().FindStringSubmatch(g.Answer); m != nil {
		day, err := time.Parse("2006-1-2", m[1]+"-"+m[2]+"-"+m[3])
		right.day, right.text = day, day.Format(time.DateTime)
		return right, err
	}
	var ok bool
	if right.text, ok = pythonFirst(g.Answer); !ok {
		return right, errors.New(
			`"answer" is not a list as Python prints it, such as ['entity'], [42] or [datetime.date(2023, 1, 6)]`)
	}
	right.number, ok = pythonInt(right.text)
	if f, isNumber := new(big.Float).SetString(right.text); !ok && isNumber && !strings.ContainsAny(g.Answer, `'"`) {
		right.number, _ = f.Int(nil) // int truncates a number, and rejects a text with a point
	}
	return right, nil
}

// near scores a number or a date that differs in wording from the right one.
func (r oolongRight) near(read string) (score float64, ok bool) {
	switch r.kind {
	case "NUMERIC":
		got, gok := pythonInt(read)
		if gok && r.number != nil {
			return near(off(got, r.number)), true
		}
		return 0, true
	case "DATE":
		day, ok := pythonDate(read)
		if ok && day.Equal(r.day) {
			return 1, true
		}
		return 0, true
	}
	return 0, false
}

// oolong scores the synthetic half of OOLONG as its own program does: the answer is the text after the last colon,
// or else the last word. It must equal the right one letter by letter, except that a number scores partially if it
// is close, a date may be written in any form, and a comparison of frequencies may be shortened.
//
// Source: A. Bertsch et al., Oolong: evaluating long context reasoning and aggregation capabilities, 2025, and
// synth_process_response of their program.
func oolong(gold json.RawMessage) (Func, error) {
	right, err := readOolong(gold)
	if err != nil {
		return nil, err
	}
	return func(answer string) Score {
		read := oolongRead(answer)
		switch score, apart := right.near(read); {
		case read == right.text:
			return Score{1, read}
		case slices.Contains(oolongShort, read):
			return yes(strings.Contains(right.text, read), read)
		case apart:
			return Score{score, read}
		}
		return Score{0, read}
	}, nil
}

// oolongShort are the short forms to which the original reduces a sentence that compares frequencies.
var oolongShort = []string{"more common", "less common", "same frequency"}

// oolongRead returns the text that the original takes as the answer.
func oolongRead(answer string) string {
	const short = 20 // characters
	at := strings.LastIndex(answer, ":")
	if at < 0 {
		return lastWordUnless(answer, short)
	}
	read := bare(answer[at+1:])
	if utf8.RuneCountInString(read) < short {
		return read
	}
	for _, s := range oolongShort {
		if strings.Contains(read, s) {
			return s
		}
	}
	return read
}

// bare removes the marks that models put around an answer.
func bare(text string) string {
	return strings.NewReplacer("*", "", "[", "", "]", "").Replace(pythonStrip(text))
}

// lastWordUnless returns the last word of a text, or all of a text shorter than short characters.
func lastWordUnless(text string, short int) string {
	if words := strings.FieldsFunc(text, pythonSpace); utf8.RuneCountInString(text) >= short && len(words) > 0 {
		return words[len(words)-1]
	}
	return text
}

var (
	boxedText = startup.Regexp(`\\boxed\{\\text\{([^}]*)\}\}`)
	boxed     = startup.Regexp(`\\boxed\{+([^}]*)\}+`)
)

// oolongReal scores the other half of OOLONG, real transcripts, as its own program does: the answer is in
// \boxed{}. A number that is close scores partially, and so does a list with a part of the right one.
//
// Source: as for oolong; dnd_process_response of their program.
func oolongReal(gold json.RawMessage) (Func, error) {
	one, err := texts(gold)
	if err != nil || len(one) != 1 {
		return nil, errors.New("the right answer is not text")
	}
	right := realValueOf(one[0])
	return func(answer string) Score {
		got := realValue{text: answer} // without a box, all of it is one text
		m := boxedText().FindStringSubmatch(answer)
		if m == nil {
			m = boxed().FindStringSubmatch(answer)
		}
		if m != nil {
			got = realValueOf(m[1])
		}
		return Score{right.score(got), got.text}
	}, nil
}

// realValue is a number, a list or a text.
type realValue struct {
	text   string
	number bool
	list   []string // nil if it is not a list
}

func realValueOf(text string) realValue {
	v := realValue{text: text}
	if _, v.number = pythonInt(text); v.number || !strings.Contains(text, ",") {
		return v
	}
	v.list = []string{}
	for item := range strings.SplitSeq(text, ",") {
		if item = pythonStrip(item); item != "" {
			v.list = append(v.list, item)
		}
	}
	return v
}

// score compares an answer with the right one. Values of different types are never equal.
func (v realValue) score(got realValue) float64 {
	switch {
	case v.number != got.number || (v.list == nil) != (got.list == nil):
		return 0
	case v.number:
		a, _ := pythonInt(v.text)
		b, _ := pythonInt(got.text)
		return near(off(a, b))
	case v.list == nil:
		if pythonLower(pythonStrip(v.text)) == pythonLower(pythonStrip(got.text)) {
			return 1
		}
		return 0
	case len(v.list) == 0:
		return 0
	}
	both := map[string]bool{}
	for _, item := range v.list {
		if slices.Contains(got.list, item) {
			both[item] = true
		}
	}
	return float64(len(both)) / float64(len(v.list))
}
