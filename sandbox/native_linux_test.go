package sandbox

import (
	"context"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/cellerror"
	"github.com/gorlm/rlm/internal/testing/ownhost"
	"github.com/gorlm/rlm/sandbox/internal/hostile"
)

// Each host meets some of the workers, one after the other.
func TestTheHostStaysSmallUnderANativeWorker(t *testing.T) {
	hosts := []string{"1", "2", "3", "4", "5", "6"}
	ownhost.Each(t, slices.Values(hosts), func(t *testing.T, host string) {
		for i, name := range slices.Sorted(maps.Keys(hostile.Native)) {
			if hosts[i%len(hosts)] == host {
				t.Run(name, func(t *testing.T) { survive(t, name) })
			}
		}
	})
}

// survive attacks a host, which must notice, and continue with another worker.
func survive(t *testing.T, name string) {
	s := nativeSession(t, name)
	res, err := s.Run(t.Context(), Cell{Source: "x := 1"})
	require.NoError(t, err)
	require.Nil(t, res.Final, "a forged answer")
	switch {
	case res.Error == nil: // the attack begins after the result, and goes on in later cells
		for cells := 0; res.Restore == nil; cells++ {
			require.Less(t, cells, 100, "nobody noticed")
			res, err = s.Run(t.Context(), Cell{Source: "y := 1"})
			require.NoError(t, err)
		}
	case name == "announces a call and waits", name == "reads no reply":
		require.Equal(t, cellerror.Timeout, res.Error.Kind, res.Error.Message)
	case name == "reads memory that is not there":
		require.Equal(t, cellerror.FatalRuntime, res.Error.Kind, res.Error.Message)
		require.Contains(t, res.Error.Message, "memory that it does not have")
	case name == "calls whose replies are not read": // the worker gets stuck, or has too many calls without a reply
		require.Contains(t, []cellerror.Kind{cellerror.Timeout, cellerror.ProtocolViolation}, res.Error.Kind,
			res.Error.Message)
	default:
		require.Equal(t, cellerror.ProtocolViolation, res.Error.Kind, res.Error.Message)
		require.NotContains(t, res.Error.Message, "\x1b")
	}
	res, err = s.Run(t.Context(), Cell{Source: "2 + 3"})
	require.NoError(t, err)
	require.Nil(t, res.Error)
	require.Equal(t, "5", res.Value)
}

// nativeSession returns a session whose first worker is hostile.
func nativeSession(t *testing.T, name string) *Session {
	t.Helper()
	s := &Session{
		cfg: Config{Level: Best, Call: func(ctx context.Context, c Call) Reply {
			switch c.Impl {
			case "long":
				return Reply{Body: make([]byte, 8<<10)}
			case "slow":
				time.Sleep(10 * time.Millisecond)
			}
			return Reply{}
		}},
		limits: Limits{CellTime: time.Hour}.WithDefaults(), // a busy machine takes minutes to receive 500 MB
	}
	switch name {
	case "calls whose replies are not read", "announces a call and waits", "reads no reply":
		s.limits.CellTime = 2 * time.Second // nothing but this limit ends the cell
	}
	beginWith(t, s, plain, name)
	s.patience.Read = 100 * time.Millisecond
	return s
}
