package answer

import "fmt"

// Sentinel is the value with which FINAL, FINAL_VAR, llm_query and every other builtin that ends a cell panic,
// once the host has recorded why the cell ends. Each cell has its own, identified by its address. Only the
// boundary of that cell, or of a goroutine that the cell started, catches it and treats the cell as ended;
// recover() in a cell returns nil for it. Go code between two functions of a cell may see it in its own recover,
// and must panic with it again.
type Sentinel struct {
	// Cell is the number of the cell that ends.
	Cell int
}

// Error is the text that a later cell sees if compiled code (sync.OnceFunc) has kept a sentinel and panics with it
// again: there it is an ordinary panic.
func (s *Sentinel) Error() string {
	return fmt.Sprintf("this call ended cell %d and cannot be repeated: write what it computes again, without FINAL",
		s.Cell)
}
