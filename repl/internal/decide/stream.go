package decide

// Stream is the source from which a goroutine of a cell draws whatever Go leaves to chance. It depends on the
// cell's seed, on the goroutine that started this one, and on how many goroutines that one had started before. A
// Stream belongs to one goroutine.
type Stream struct {
	id       uint64
	drawn    uint64
	children uint64
	timers   uint64
}

// NewStream returns the stream of the goroutine that runs the cell.
func NewStream(seed int64) *Stream { return &Stream{id: mix(uint64(seed) ^ 0x5851f42d4c957f2d)} }

// Fork returns the stream of the next goroutine that this one starts.
func (s *Stream) Fork() *Stream {
	s.children++
	return &Stream{id: mix(fold(s.id, s.children))}
}

// Timer returns an id for the next timer that the goroutine makes.
func (s *Stream) Timer() uint64 {
	s.timers++
	return mix(fold(s.id^0x2545f4914f6cdd1d, s.timers))
}

// Uint64 draws 64 bits.
func (s *Stream) Uint64() uint64 {
	s.drawn++
	return mix(s.id + s.drawn*0x9e3779b97f4a7c15)
}

// Int63 draws 63 bits. With Int63 and Seed, a Stream is a source for math/rand.
func (s *Stream) Int63() int64 { return int64(s.Uint64() >> 1) }

// Seed does nothing: the cell's seed is fixed.
func (s *Stream) Seed(int64) {}

// Cases returns the order in which a select statement with n cases checks them.
func (s *Stream) Cases(n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	for i := n - 1; i > 0; i-- {
		j := int(s.Uint64() % uint64(i+1))
		order[i], order[j] = order[j], order[i]
	}
	return order
}
