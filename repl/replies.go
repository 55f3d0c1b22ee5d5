package repl

// Asked records that the running cell has sent a call to the host. In a cell that runs again, Reply or Later must
// follow.
func (n *Notebook) Asked() { n.arrivals.Asked() }

// Later notes that the reply to a call is not in the record, and so may arrive at any time.
func (n *Notebook) Later() { n.arrivals.Later() }

// Reply calls hand when the cell may receive the reply to a call. The cell receives one reply at a time, each once
// all its goroutines are waiting again. place is the reply's position in the record, from 1; 0 if it is not
// recorded.
func (n *Notebook) Reply(place int, hand func()) { n.arrivals.Reply(place, hand) }

// Pending counts the armed timers, and the other events that goroutines of cells may still expect.
func (n *Notebook) Pending() (timers, others int) { return n.arrivals.Pending() }

// Given returns the clock readings of the running cell so far, and the timers that have fired.
func (n *Notebook) Given() (clock []int64, fired []Fire) {
	return n.cell.Load().given(), n.arrivals.Fired()
}
