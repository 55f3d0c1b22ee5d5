package sandbox

import "time"

// cellClock measures the time charged to a cell: wall time, but only the worker's CPU time while host calls are in
// flight. So a cell that only waits for sub-calls is charged nothing, unless a goroutine computes meanwhile.
type cellClock struct {
	usage *usage
	spent time.Duration
	wall  time.Time     // at the last reading
	cpu   time.Duration // at the last reading
	begin time.Duration // CPU time when the cell began
}

func newCellClock(u *usage) cellClock {
	cpu, _ := u.cpu()
	return cellClock{usage: u, wall: time.Now(), cpu: cpu, begin: cpu}
}

// read adds the time since the last reading; waiting means that calls were in flight during all of it.
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

// used is the CPU time from the beginning of the cell to the last reading.
func (c *cellClock) used() time.Duration { return c.cpu - c.begin }
