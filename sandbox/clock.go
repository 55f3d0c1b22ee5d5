package sandbox

import "time"

// cellClock measures what counts as a cell's time: wall time, except that while host calls are in flight only the
// CPU time that the worker uses counts. So the clock stands while everything waits for sub-calls, and runs while a
// goroutine computes beside them.
type cellClock struct {
	usage *usage
	spent time.Duration
	wall  time.Time     // of the last reading
	cpu   time.Duration // of the last reading
	begin time.Duration // CPU time when the cell began
}

func newCellClock(u *usage) cellClock {
	cpu, _ := u.cpu()
	return cellClock{usage: u, wall: time.Now(), cpu: cpu, begin: cpu}
}

// read counts the time since the last reading; waiting says whether calls were in flight all the while.
func (c *cellClock) read(waiting bool) {
	now := time.Now()
	cpu, _ := c.usage.cpu()
	d := now.Sub(c.wall)
	if waiting {
		d = min(d, max(cpu-c.cpu, 0))
	}
	c.spent += d
	c.wall, c.cpu = now, cpu
}

// used is the CPU time since the cell began, at the last reading.
func (c *cellClock) used() time.Duration { return c.cpu - c.begin }
