package text_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/kit/text"
)

// TestCountIsNearARealVocabulary compares with the counts of o200k_base. Texts this short are the hard case; over
// whole files the estimate is closer.
func TestCountIsNearARealVocabulary(t *testing.T) {
	cases := []struct {
		name, in string
		tokens   int
	}{
		{"prose", "The committee met on Tuesday to discuss the unexpected resignation of its treasurer, and agreed that an independent review of the accounts should be completed before the end of the month.", 34},
		{"code", "func (s *Server) trackListener(ln *net.Listener, add bool) bool {\n\ts.mu.Lock()\n\tdefer s.mu.Unlock()\n\tif s.listeners == nil {\n\t\ts.listeners = make(map[*net.Listener]struct{})\n\t}\n\treturn true\n}\n", 52},
		{"log", "2026-03-05T04:05:06.123Z INFO checkout: retrying upstream call id=9f86d081 took=412ms\n2026-03-05T04:05:07.004Z ERROR ledger: connection reset by peer id=00ab41c7 took=9ms\n", 68},
		{"JSON", `{"id": 17, "name": "user17", "active": true, "score": 0.8471, "tags": ["alpha", "beta"], "address": {"city": "Lisbon", "zip": "1100-148"}}`, 55},
		{"Russian", "Поставщик обязан доставить товар в течение тридцати дней после получения письменного заказа от покупателя.", 23},
		{"Korean", "안녕하세요, 제 이름은 GPT-4o입니다. 저는 새로운 유형의 언어 모델입니다, 만나서 반갑습니다!", 27},
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

func TestEstimateOfALongTextIsNearItsCount(t *testing.T) {
	half := strings.Repeat("the quick brown fox jumps over the lazy dog\n", 60_000)
	whole := half + strings.Repeat("id=9f86d081 took=412ms 2026-03-05T04:05:06.123Z\n", 60_000)
	require.InEpsilon(t, text.CountTokens(whole), text.EstimateTokens(whole), 0.03)
	require.Equal(t, text.CountTokens(half[:1000]), text.EstimateTokens(half[:1000]))
}

func BenchmarkCount(b *testing.B) {
	whole := strings.Repeat("the quick brown fox jumps over the lazy dog; id=9f86d081 took=412ms\n", 15_000)
	b.SetBytes(int64(len(whole)))
	for b.Loop() {
		text.CountTokens(whole)
	}
}

func BenchmarkEstimate100MB(b *testing.B) {
	whole := strings.Repeat("the quick brown fox jumps over the lazy dog; id=9f86d081 took=412ms\n", 1_500_000)
	b.SetBytes(int64(len(whole)))
	for b.Loop() {
		text.EstimateTokens(whole)
	}
}
