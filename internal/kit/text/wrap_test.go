package text_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/kit/text"
)

func TestWrap(t *testing.T) {
	require.Equal(t, "one two\n  three\n  a-very-long-word\n  ä", text.Wrap("one two  three a-very-long-word\nä", 9, "  "))
	require.Equal(t, "äöü äöü", text.Wrap("äöü äöü", 7, ""))
	require.Empty(t, text.Wrap(" ", 7, ""))
}
