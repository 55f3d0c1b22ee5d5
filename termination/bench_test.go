package termination

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkNext shows that a turn costs the same after 10 turns and after 10 000.
func BenchmarkNext(b *testing.B) {
	for _, n := range []int{10, 10_000} {
		b.Run(fmt.Sprint("after ", n), func(b *testing.B) {
			p := DefaultPolicy(Response)
			p.MaxTurns = 0
			p.Sequences = []Sequence{mustSequence("T, A, T, A"), mustSequence("L, C[complete|done]")}
			s, err := p.Begin("q")
			require.NoError(b, err)
			for i := range n {
				s, _ = p.Next(s, turn(cell(fmt.Sprint("f(", i, ")")), "ok"))
			}
			next := turn(cell("g()"), "ok")
			b.ReportAllocs()
			for b.Loop() {
				p.Next(s, next)
			}
		})
	}
}
