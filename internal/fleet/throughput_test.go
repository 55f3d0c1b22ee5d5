package fleet

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestNodesGoAtAPaceTogether(t *testing.T) {
	t.Parallel()
	var p throughput
	p.add(nodeProgress{For: time.Second, Tokens: 1e6, Results: 1000}) // too short to be meaningful
	require.Equal(t, throughput{}, p)
	require.Zero(t, p.left(5))
	p.add(nodeProgress{For: 10 * time.Second, Tokens: 100, Results: 5})
	p.add(nodeProgress{For: time.Minute, Tokens: 1200, Results: 30})
	require.Equal(t, throughput{tokens: 30, results: 1}, p)
	require.Equal(t, 7*time.Second, p.left(7))
}
