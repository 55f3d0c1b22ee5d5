package repl

// Asked says that a call of the running cell is on its way to the host. In a cell that runs again, Reply or Later must follow.
func (n *Notebook) Asked() { n.arrivals.Asked() }

// Later says that the reply to such a call is not recorded: it may arrive at any time.
func (n *Notebook) Later() { n.arrivals.Later() }

// Reply has hand called when the cell may have the reply to a call: one after the other, each when everything in the cell waits again.
// The place is that of the reply in the record, from 1; 0 for a reply that is not recorded.
func (n *Notebook) Reply(place int, hand func()) { n.arrivals.Reply(place, hand) }

// Pending counts the timers that are armed, and what else the goroutines of cells can still expect.
func (n *Notebook) Pending() (timers, others int) { return n.arrivals.Pending() }

// Given is what the running cell has read from the clock so far, and the timers that have fired.
func (n *Notebook) Given() (clock []int64, fired []Fire) {
	return n.cell.Load().given(), n.arrivals.Fired()
}
