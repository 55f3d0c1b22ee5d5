package fleet

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// TestAnAnnouncementThatWasOvertakenDoesNotCount: else a model would be missing for minutes that a node has.
func TestAnAnnouncementThatWasOvertakenDoesNotCount(t *testing.T) {
	var s modelRequests
	now := time.Now()
	lacks := func() int { return len(s.lacks(now, time.Minute)) }
	s.missed([]string{"m"}, now)
	assert.Equal(t, 1, lacks())
	s.found([]string{"m"}, now)
	assert.Equal(t, 0, lacks())
	s.missed([]string{"m"}, now.Add(time.Millisecond))
	assert.Equal(t, 0, lacks())
	now = now.Add(foundLately)
	s.missed([]string{"m"}, now)
	assert.Equal(t, 1, lacks(), "the node is gone")
}
