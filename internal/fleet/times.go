package fleet

import "time"

// times are how long the nodes and readers of a queue wait, for each other and between two looks.
type times struct {
	fetch  time.Duration // a request for jobs, where there are none
	idle   time.Duration // between two looks of a node that has jobs of several batches
	record time.Duration // between two looks of a node at a batch's record
	status time.Duration // between two looks at a batch that others run

	// Of jobs whose models a node does not have:

	models              time.Duration // for an answer of a node that has them
	busy                time.Duration // of a node without a free slot, so that others answer first
	putBack, longestPut time.Duration // of a job in the queue, each time longer
	asked               time.Duration // an answer of so long ago is not asked for again where none is expected
}

func defaultTimes() times {
	return times{
		fetch: 500 * time.Millisecond, idle: 300 * time.Millisecond, record: time.Second, status: time.Second,
		models: time.Second, busy: 100 * time.Millisecond, putBack: time.Second, longestPut: 5 * time.Second, asked: 5 * time.Second,
	}
}
