package screen

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// In some terminals a joined emoji is as wide as all its parts: fitted text fits there, too.
func TestJoinedEmojiFit(t *testing.T) {
	const family = "👨‍👩‍👧‍👦"
	for _, columns := range []int{40, 60, 80, 120} {
		row := fmt.Sprintf("| %s %s | %s |", family, strings.Repeat("wide ", 40), family)
		drawn := Markdown("| a | b |\n|---|---|\n"+row+"\n", columns, false)
		require.False(t, tooWide(drawn, columns), drawn)
		require.Equal(t, 2, strings.Count(drawn, family), "no emoji is taken apart")
		require.Contains(t, drawn, "┐")
		code := Markdown("```go\n"+strings.Repeat(family+" ", columns)+"\n```\n", columns, false)
		require.False(t, tooWide(code, columns-2), code)
		cut := Truncate(strings.Repeat(family+" ", columns), columns)
		require.LessOrEqual(t, width(cut), columns)
		require.True(t, strings.HasSuffix(cut, "…"))
	}
}
