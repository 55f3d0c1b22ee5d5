package search_test

import (
	"fmt"
	"math/rand"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/kit/search"
)

const size = 100 << 20

// large is 100 MB of a log: lines of a few kinds, with varying numbers and identifiers.
var large = sync.OnceValue(func() string {
	r := rand.New(rand.NewSource(1))
	services := []string{"checkout", "inventory", "gateway", "ledger", "notifier"}
	messages := []string{
		"request completed", "cache miss for key", "retrying upstream call",
		"connection reset by peer", "slow query on table orders",
	}
	var b strings.Builder
	b.Grow(size + 200)
	for i := 0; b.Len() < size; i++ {
		level := "INFO"
		if i%1000 == 999 {
			level = "ERROR"
		}
		fmt.Fprintf(&b, "2026-03-%02dT%02d:%02d:%02d.%03dZ %s %s: %s id=%08x took=%dms\n", i/40_000%28+1, i/1800%24,
			i/30%60, i*2%60, r.Intn(1000),
			level, services[r.Intn(len(services))], messages[r.Intn(len(messages))], r.Uint32(), r.Intn(900))
	}
	return b.String()
})

func BenchmarkGrep100MB(b *testing.B) {
	for _, expr := range []string{
		"ERROR ledger", `(?i)error ledger`, `ERROR \w+: connection.*took=8\d\dms`,
		`error|panic|fatal`, `took=\d{4,}ms`, `[a-z]+=[0-9a-f]{8} `,
	} {
		b.Run(expr, func(b *testing.B) {
			in := large()
			b.SetBytes(size)
			b.ReportAllocs()
			for b.Loop() {
				_, err := grep(in, expr, 0)
				require.NoError(b, err)
			}
		})
	}
}

func BenchmarkChunks100MB(b *testing.B) {
	in := large()
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		_, err := search.Chunks(in, 100_000, 0)
		require.NoError(b, err)
	}
}

func BenchmarkLines100MB(b *testing.B) {
	in := large()
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		search.Lines(in, 900_000, 900_100)
	}
}

func BenchmarkIndex100MB(b *testing.B) {
	in := large()
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		search.NewIndex(in)
	}
}

func BenchmarkSearch100MB(b *testing.B) {
	index := search.NewIndex(large())
	b.ReportAllocs()
	for b.Loop() {
		index.Search("connection reset in the ledger with an error", 10)
	}
}

func BenchmarkSimilar100MB(b *testing.B) {
	in := large()
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		_, err := search.Similar(in, "slow qurey on tabel order", 10)
		require.NoError(b, err)
	}
}
