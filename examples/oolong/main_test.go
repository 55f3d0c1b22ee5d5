package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/examples/oolong/corpus"
	"github.com/gorlm/rlm/internal/demo/demotest"
)

// TestTheRecordingGivesTheRightAnswer replays the recorded replies, with everything else live, and compares the
// answer with one computed without a model.
func TestTheRecordingGivesTheRightAnswer(t *testing.T) {
	result := demotest.Answer(t, corpus.Replies, corpus.Question, inputs())
	require.Positive(t, result.SubCalls)
	require.Empty(t, corpus.Check(result.Answer))
}
