package text_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/repl/builtins/text"
)

// TestCountTokensIsNearARealVocabulary compares with what o200k_base gives. Texts this short are the hard case; over whole files the
// estimate is nearer.
func TestCountTokensIsNearARealVocabulary(t *testing.T) {
	cases := []struct {
		name, in string
		tokens   int
	}{
		{"prose", "The committee met on Tuesday to discuss the unexpected resignation of its treasurer, and agreed that an independent review of the accounts should be completed before the end of the month.", 34},
		{"code", "func (s *Server) trackListener(ln *net.Listener, add bool) bool {\n\ts.mu.Lock()\n\tdefer s.mu.Unlock()\n\tif s.listeners == nil {\n\t\ts.listeners = make(map[*net.Listener]struct{})\n\t}\n\treturn true\n}\n", 52},
		{"log", "2026-03-05T04:05:06.123Z INFO checkout: retrying upstream call id=9f86d081 took=412ms\n2026-03-05T04:05:07.004Z ERROR ledger: connection reset by peer id=00ab41c7 took=9ms\n", 68},
		{"JSON", `{"id": 17, "name": "user17", "active": true, "score": 0.8471, "tags": ["alpha", "beta"], "address": {"city": "Lisbon", "zip": "1100-148"}}`, 55},
		{"Russian", "Поставщик обязан доставить товар в течение тридцати дней после получения письменного заказа от покупателя.", 23},
		{"Chinese", "这个系统的设计目标是让语言模型能够处理非常长的文本，并且只为它实际阅读的部分付费。", 27},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			require.InEpsilon(t, c.tokens, text.CountTokens(c.in), 0.3)
		})
	}
	require.Zero(t, text.CountTokens(""))
	require.Equal(t, 1, text.CountTokens("a"))
}
