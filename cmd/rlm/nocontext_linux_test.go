package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A question without a context prints a note before the model is asked: without a path on a terminal, and with
// empty stdin.
func TestAQuestionOverNothingSaysSo(t *testing.T) {
	t.Parallel()
	for _, terminal := range []bool{true, false} {
		p := newShellEnvironment(t)
		cmd, said := p.command(p.bin, "run", "how many lines?")
		if terminal {
			_, cmd.Stdin = openTerminal(t, 80)
		}
		require.NoError(t, cmd.Start())
		p.asked(1)
		// The model has not answered yet.
		require.Eventually(t, func() bool {
			return strings.Contains(said.String(), "no context: ")
		}, 2*time.Minute, time.Millisecond, said)
		p.open()
		require.NoError(t, cmd.Wait(), said)
	}
}
