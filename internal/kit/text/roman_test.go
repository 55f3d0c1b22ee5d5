package text_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/kit/text"
)

func TestRoman(t *testing.T) {
	for n, want := range map[int]string{
		1: "I", 4: "IV", 9: "IX", 14: "XIV", 49: "XLIX", 1994: "MCMXCIV", 3999: "MMMCMXCIX", 0: "",
	} {
		require.Equal(t, want, text.Roman(n))
	}
}
