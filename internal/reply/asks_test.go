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
		"It is cart. Do you need anything else?": false, "Which log? Let me know if you need anything else.": true,
		"Bitte teilen Sie mir mit, welches Jahr gemeint ist.": true, "Merci de préciser l'année.": true,
		"Por favor, indique el año.": true, "Por favor, espere. Son 7.": false, "Bitte sehr: 7.": false,
		"": false, "?": true, "**Which year?**": true, "哪一年？": true, "It is 7.": false,
		"请提供文件的路径。": true, "どの年か教えてください。": true, "错误共有 7 个。": false,
		"Which?" + after: true, "Which?" + after + "x": false, "哪？" + after: true,
		please: true, strings.Repeat("a ", 200) + please: true,
		please + " " + strings.Repeat("é", 240-len(please)-1): true,
		please + " " + strings.Repeat("é", 240-len(please)):   false,
		"x" + please: false, "x " + please: true,
	} {
		require.Equal(t, want, reply.Asks(prose), "%q", prose)
	}
}

// TestClaims: what a text states is what is left without its questions.
func TestClaims(t *testing.T) {
	for prose, want := range map[string]string{
		"Do you mean v1.2 or v1.3?": "", "It is 7.5 km. Shall I go on?": "It is 7.5 km.", "Yes!": "Yes!",
		"¿Cuál? Son 7.": "Son 7.", "Which?\nOr 2024?": "", "Which log? Please specify the log.": "",
	} {
		require.Equal(t, want, reply.Claims(prose), "%q", prose)
	}
}
