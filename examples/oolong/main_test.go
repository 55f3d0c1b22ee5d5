package main

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/examples/oolong/corpus"
	"github.com/gorlm/rlm/internal/demo"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/termination"
)

// TestTheRecordingGivesTheRightAnswer replays the recorded replies, with everything else live, and compares the answer with one that
// is computed without any model.
func TestTheRecordingGivesTheRightAnswer(t *testing.T) {
	recording, err := demo.Load(strings.NewReader(corpus.Replies))
	require.NoError(t, err)
	if recording.Empty() {
		t.Skip("SKIP TestTheRecordingGivesTheRightAnswer: corpus/replies.jsonl is empty")
	}
	r, err := runner.New(recording.Answers(), runner.WithDataDir(t.TempDir()))
	require.NoError(t, err)
	result, err := r.Answer(context.Background(), corpus.Question, inputs()...)
	require.NoError(t, err)
	require.Equal(t, termination.Completed, result.Status, result.Reason)
	require.Positive(t, result.SubCalls)
	require.Empty(t, corpus.Check(result.Answer))
}
