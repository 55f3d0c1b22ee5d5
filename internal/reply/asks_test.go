package reply_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/reply"
)

// A question counts if at most 120 characters follow it; a request in words counts within the last 240 characters.
func TestAsks(t *testing.T) {
	const please = "please specify"
	after := strings.Repeat("é", 120)
	for prose, want := range map[string]bool{
		"": false, "?": true, "**Which year?**": true, "哪一年？": true, "It is 7.": false,
		"Which?" + after: true, "Which?" + after + "x": false, "哪？" + after: true,
		please: true, strings.Repeat("a ", 200) + please: true,
		please + " " + strings.Repeat("é", 240-len(please)-1): true,
		please + " " + strings.Repeat("é", 240-len(please)):   false,
		"x" + please: false, "x " + please: true,
	} {
		require.Equal(t, want, reply.Asks(prose), "%q", prose)
	}
}
