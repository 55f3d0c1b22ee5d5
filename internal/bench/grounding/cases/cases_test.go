package cases_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/bench/grounding/cases"
)

// measure measures the tracer on a file of cases.
func measure(t *testing.T, path ...string) cases.Score {
	t.Helper()
	f, err := os.Open(filepath.Join(path...))
	require.NoError(t, err)
	defer f.Close()
	all, err := cases.Read(f)
	require.NoError(t, err)
	require.NotEmpty(t, all)
	return cases.Measure(all)
}

func TestTheTracerAgreesWithTheLabels(t *testing.T) {
	for _, name := range []string{
		"cases.jsonl", "more.jsonl", "unseen.jsonl", "written.jsonl", "varied.jsonl", "kinds.jsonl",
	} {
		t.Run(name, func(t *testing.T) {
			s := measure(t, "..", "..", "..", "grounding", "testdata", name)
			assert.GreaterOrEqual(t, s.Precision, 0.95, "of what is reported as not grounded: %v", s.Wrong)
			assert.GreaterOrEqual(t, s.Recall, 0.95, "of what is not grounded: %v", s.Wrong)
			assert.GreaterOrEqual(t, s.Verdicts, 0.95, "right verdicts: %v", s.Wrong)
			assert.Zero(t, s.NotAsGrounded, "an invented answer passes as grounded: %v", s.Wrong)
		})
	}
}

// TestTheTracerOnCasesThatOthersWrote guards the results on sets written by people who had not seen the tracer.
func TestTheTracerOnCasesThatOthersWrote(t *testing.T) {
	for _, name := range []string{
		"heldout.jsonl", "fresh.jsonl", "unread.jsonl", "ordinary.jsonl", "mixed.jsonl", "sibling.jsonl", "weak.jsonl",
	} {
		t.Run(name, func(t *testing.T) {
			s := measure(t, "..", "testdata", name)
			assert.GreaterOrEqual(t, s.Precision, 0.88, "of what is reported as not grounded: %v", s.Wrong)
			assert.GreaterOrEqual(t, s.Recall, 0.92, "of what is not grounded: %v", s.Wrong)
			assert.GreaterOrEqual(t, s.Verdicts, 0.91, "right verdicts: %v", s.Wrong)
			assert.Zero(t, s.NotAsGrounded, "an invented answer passes as grounded: %v", s.Wrong)
		})
	}
}

// TestLongAnswersThatAreSound guards how many long answers carry no false mark. Five in six are sound as a whole, with
// ten values each. The tracer was measured on each of these sets before anything was mended by it.
func TestLongAnswersThatAreSound(t *testing.T) {
	for name, verdicts := range map[string]float64{"answers.jsonl": 0.86, "sound.jsonl": 0.82, "subjects.jsonl": 0.66} {
		t.Run(name, func(t *testing.T) {
			s := measure(t, "..", "testdata", name)
			assert.GreaterOrEqual(t, s.Verdicts, verdicts, "right verdicts: %v", s.Wrong)
			assert.GreaterOrEqual(t, s.Recall, 0.75, "of what is not grounded: %v", s.Wrong)
			assert.Zero(t, s.NotAsGrounded, "an invented answer passes as grounded: %v", s.Wrong)
		})
	}
}
