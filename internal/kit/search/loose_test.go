package search_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/kit/search"
)

func TestLoosely(t *testing.T) {
	const text = "Intro. The supplier\u2019s price \u2013 \u201cfixed\u201d\u00a0\u2013 rises for e\ufb03cient o\ufb00ers; a soft\u00adhyphen and a di-\n  vided word\u2026 and e\ufb03cient again.\n"
	for quote, want := range map[string]string{
		"supplier's price - \"fixed\" - rises": "supplier\u2019s price \u2013 \u201cfixed\u201d\u00a0\u2013 rises",
		"for efficient offers":                 "for e\ufb03cient o\ufb00ers",
		"a softhyphen and a divided word...":   "a soft\u00adhyphen and a di-\n  vided word\u2026",
		"a soft\u00adhyphen":                   "a soft\u00adhyphen",
		"e\ufb03cient":                         "e\ufb03cient",
		"the supplier's price":                 "The supplier\u2019s price",
		"supplier.s price":                     "",
		"divided   word":                       "di-\n  vided word",
		"dividedword":                          "",
		"":                                     "",
	} {
		q := search.Loosely(text, quote)
		require.Equal(t, want, text[q.Offset:q.Offset+q.Length], quote)
		require.Equal(t, want != "", q.Count > 0)
	}
	for in, quote := range map[string]string{
		"the o\ufb00ice and a\ufb03liates":          "the office and affiliates",
		"the of\ufb01ce":                            "the office",
		"and \u201aeinfach\u2018 so":                "and 'einfach' so",
		"a \u2039mot\u203a here":                    "a 'mot' here",
		"the \uff02sign\uff02 here":                 "the \"sign\" here",
		"a full\u200bwidth sign":                    "a fullwidth sign",
		"総額は１２３，４５６円（ＶＡＴ込）":                         "総額は123,456円(VAT込)",
		"total 123^5 [x]":                           "total １２３＾５ ［ｘ］",
		"the \ufeffmark is":                         "the mark is",
		"\u201c10\u202f000 units\u201d \u2015 more": "\"10 000 units\" - more",
	} {
		q := search.Loosely("Start. "+in+" End.", quote)
		require.Equal(t, "Start. ", ("Start. " + in)[:q.Offset], quote)
		require.EqualValues(t, len(in), q.Length, quote)
	}
	require.Equal(t, 2, search.Loosely(text, "efficient").Count)
	large := strings.Repeat("The supplier says nothing. An offer\n", 200_000)
	in := large + text + large + text
	for quote, want := range map[string]string{
		"the supplier's price - \"fixed\" - rises": "The supplier\u2019s price \u2013 \u201cfixed\u201d\u00a0\u2013 rises",
		"and a divided word... and efficient":      "and a di-\n  vided word\u2026 and e\ufb03cient",
		"the supplier's price - falls":             "",
	} {
		q := search.Loosely(in, quote)
		require.Equal(t, want, in[q.Offset:q.Offset+q.Length], quote)
		if want != "" {
			require.Equal(t, 2, q.Count, "of a large text, in which a word stands as it is")
			require.Greater(t, q.Offset, int64(len(large)))
		}
	}
	require.Zero(t, search.Loosely(text, "(?:").Count)
}
