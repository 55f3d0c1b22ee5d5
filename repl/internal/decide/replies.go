package decide

// reply is a recorded reply, with its position in the record.
type reply struct {
	place int
	hand  func()
}

// replies is a heap, ordered by position in the record.
type replies []reply

// Len, Less, Swap, Push and Pop implement heap.Interface.
func (r replies) Len() int           { return len(r) }
func (r replies) Less(i, j int) bool { return r[i].place < r[j].place }
func (r replies) Swap(i, j int)      { r[i], r[j] = r[j], r[i] }
func (r *replies) Push(x any)        { *r = append(*r, x.(reply)) }

// Pop removes the last element of the slice.
func (r *replies) Pop() any {
	last := (*r)[len(*r)-1]
	*r = (*r)[:len(*r)-1]
	return last
}
