package text_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/kit/text"
)

func TestIDNamesTheSameTheSame(t *testing.T) {
	require.Regexp(t, "^my-answers-[0-9a-f]{8}$", text.ID("My Answers.csv", "a", "b"))
	require.Equal(t, text.ID("x", "a", "b"), text.ID("x", "a", "b"))
	require.NotEqual(t, text.ID("x", "a", "b"), text.ID("x", "ab"))
	require.Regexp(t, "^[0-9a-f]{8}$", text.ID("…", "a"), "a label without a letter leaves nothing in front")
}
