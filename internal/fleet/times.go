package fleet

import (
	"time"

	"github.com/gorlm/rlm/internal/fleet/internal/jet"
)

// times are how long the nodes and readers of a queue wait: for each other, or between checks.
type times struct {
	fetch  time.Duration // wait of a request for jobs, if there are none
	idle   time.Duration // wait between two requests of a node with several batches
	record time.Duration // wait between two checks of a batch's record by a node
	status time.Duration // wait between two checks of a batch that others run

	late   time.Duration // wait for an existing message, before its reader is replaced
	giveUp time.Duration // wait for a message that no reader of this machine's server delivers

	// For jobs whose models a node does not have:

	models              time.Duration // wait for an answer from a node that has the models
	busy                time.Duration // wait before a node without a free slot answers, so that others answer first
	putBack, longestPut time.Duration // wait before a returned job is delivered again, longer each time
	asked               time.Duration // how long a missing answer is remembered before asking again
}

func defaultTimes() times {
	return times{
		fetch: 500 * time.Millisecond, idle: 300 * time.Millisecond, record: time.Second, status: time.Second,
		late: 5 * time.Second, giveUp: jet.AnswerPatience,
		models: time.Second, busy: 100 * time.Millisecond, putBack: time.Second, longestPut: 5 * time.Second,
		asked: 5 * time.Second,
	}
}
