package sandbox

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/gorlm/rlm/internal/testing/ownhost"
	"github.com/gorlm/rlm/sandbox/internal/hostile"
)

// No sequence of a worker's frames makes the host's memory grow without bound.
func TestTheHostStaysSmallUnderAllThatAWorkerMaySend(t *testing.T) {
	ownhost.Each(t, maps.Keys(hostile.Large), func(t *testing.T, act string) {
		res, err := nativeSession(t, act).Run(t.Context(), Cell{Source: "x := 1"})
		require.NoError(t, err)
		require.Nil(t, res.Error)
	})
}

// Odd answers between cells do not make the host's memory grow without bound either, and leave no goroutine.
func TestTheHostStaysSmallUnderOddAnswers(t *testing.T) {
	ownhost.Each(t, maps.Keys(questions), func(t *testing.T, question string) {
		before := goleak.IgnoreCurrent()
		for act := range hostile.Odd {
			t.Run(act, func(t *testing.T) { answersOddly(t, act, question) })
		}
		goleak.VerifyNone(t, before)
	})
}
