package grounding

import "strings"

// hundredWords are the words of each language for a hundred and, where they have words of their own, two hundred to
// nine hundred; thousandWords are those for a thousand. English has them in scales, behind a number or an article.
var (
	hundredWords = map[string]string{
		"de": "hundert", "fr": "cent", "it": "cento ducento", "nl": "honderd",
		"es": "ciento doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos",
		"pt": "cento duzentos trezentos quatrocentos quinhentos seiscentos setecentos oitocentos novecentos",
		"ru": "сто двести триста четыреста пятьсот шестьсот семьсот восемьсот девятьсот",
	}
	thousandWords = map[string]string{
		"de": "tausend", "fr": "mille", "it": "mille mila", "nl": "duizend", "es": "mil", "pt": "mil",
		"ru": "тысяча тысячи тысяч",
	}
	// otherForms are forms of numbers before a noun, or of a gender.
	otherForms = map[string]map[string]int{
		"fr": {"cents": 100}, "pt": {"cem": 100, "duas": 2}, "ru": {"две": 2},
		"it": {"ventun": 21, "trentun": 31, "dumila": 2000},
		"es": {"cien": 100, "veintiun": 21, "doscientas": 200, "trescientas": 300, "quinientas": 500},
	}
)

// large adds the words of a language for hundreds and thousands.
func large(lang string, m map[string]numberWord) {
	for i, w := range strings.Fields(hundredWords[lang]) {
		m[fold(w)] = numberWord{value: 100 * (i + 1)}
	}
	for w := range strings.FieldsSeq(thousandWords[lang]) {
		m[fold(w)] = numberWord{value: 1000}
	}
	for w, v := range otherForms[lang] {
		m[w] = numberWord{value: v}
	}
}

// powers are the words that join to others, as in "zweihundertvierzig", the larger first.
var powers = []string{"tausend", "duizend", "mila", "mille", "hundert", "honderd", "cento"}

// compound reads a word that is composed of those of a language.
func compound(l map[string]numberWord, w string) (int, bool) {
	if n, ok := l[w]; ok {
		return n.value, !n.ordinal
	}
	for _, p := range powers {
		power, known := l[p]
		before, behind, ok := strings.Cut(w, p)
		if !known || !ok || before+behind == "" {
			continue
		}
		n, rest := 1, 0
		if before != "" && before != "ein" && before != "een" {
			n, ok = compound(l, before)
		}
		if behind = strings.TrimPrefix(behind, "und"); ok && behind != "" {
			rest, ok = compound(l, behind)
		}
		return n*power.value + rest, ok && n > 0 && n < 1000 && rest < power.value
	}
	return 0, false
}

// numberOf returns the number that a word of some languages means, alone or composed of others.
func numberOf(langs []map[string]numberWord, w string) (numberWord, bool) {
	if n, ok := numeralIn(langs, w); ok || len(w) < 7 || len(w) > 64 {
		return n, ok
	}
	for _, l := range langs {
		if v, ok := compound(l, w); ok {
			return numberWord{value: v}, true
		}
	}
	return numberWord{}, false
}

// ones are articles that count at the end of a number, as in "vingt et un".
var ones = words("un une uno una um uma een")

// firsts appends the words with which a number from a hundred may begin: "two hundred", "zweihundert", "doscientos".
func (t *tracer) firsts(out []string, n int) []string {
	if n >= 1000 {
		out = t.spelled(out, float64(n/1000))
	}
	for _, l := range t.q.langs {
		for w, word := range l {
			if v := word.value; v == 100 || v == 1000 || v == n/100 || v == n/100*100 || v == n/1000*1000 {
				out = append(out, w)
			}
		}
	}
	return append(out, "einhundert", "eintausend", "eenhonderd", "eenduizend")
}
