package evidence_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/internal/builtins"
	"github.com/gorlm/rlm/runner/internal/corpus"
	"github.com/gorlm/rlm/runner/internal/evidence"
	"github.com/gorlm/rlm/runner/trajectory"
)

// TestAMarkMustHoldWhatItsCellSaw: a worker's claim about a passage is compared with the host's own text.
func TestAMarkMustHoldWhatItsCellSaw(t *testing.T) {
	text, err := corpus.Build(context.Background(), []corpus.Source{{Name: "a", String: "the pump failed at three"}})
	require.NoError(t, err)
	defer text.Close()
	good := trajectory.Mark{Number: 1, Offset: 4, Length: 4, Digest: builtins.Digest("pump"), Text: text.Facts().SHA256}
	for name, change := range map[string]func(m *trajectory.Mark){
		"other words":    func(m *trajectory.Mark) { m.Offset = 5 },
		"longer":         func(m *trajectory.Mark) { m.Length = 5 },
		"beyond the end": func(m *trajectory.Mark) { m.Offset = 1 << 40 },
		"before":         func(m *trajectory.Mark) { m.Offset = -1 },
		"another text":   func(m *trajectory.Mark) { m.Text = "none" },
		"no length":      func(m *trajectory.Mark) { m.Length = 0 },
	} {
		t.Run(name, func(t *testing.T) {
			bad := good
			bad.Number = 2
			change(&bad)
			book := evidence.NewMarkRegistry("bcd")
			book.Add("", []trajectory.Mark{good, bad})
			list, unknown, err := book.Check(context.Background(), "It did [^1BCD][^2bcd].", text, []*corpus.Text{text})
			require.NoError(t, err)
			require.Len(t, list, 1)
			require.Equal(t, "pump", list[0].Quote)
			require.Equal(t, []string{"[^2bcd]"}, unknown)
		})
	}
}

// BenchmarkCheck checks an answer with ten thousand marks over 100 MB.
func BenchmarkCheck(b *testing.B) {
	line := "all quiet on the eastern dam and on the western dam too, said the keeper\n"
	all := strings.Repeat(line, 100_000_000/len(line))
	text, err := corpus.Build(context.Background(), []corpus.Source{{Name: "a", String: all}})
	require.NoError(b, err)
	defer text.Close()
	var marks []trajectory.Mark
	var said strings.Builder
	for i := range 10_000 {
		at := i * (len(all) / 10_000)
		marks = append(marks, trajectory.Mark{
			Number: i + 1, Offset: int64(at), Length: 60,
			Digest: builtins.Digest(all[at : at+60]), Text: text.Facts().SHA256,
		})
		fmt.Fprintf(&said, "Quiet %s. ", answer.Mark("bcd", i+1))
	}
	book := evidence.NewMarkRegistry("bcd")
	book.Add("", marks)
	for b.Loop() {
		list, _, err := book.Check(context.Background(), said.String(), text, []*corpus.Text{text})
		require.NoError(b, err)
		require.Len(b, list, 10_000)
	}
}
