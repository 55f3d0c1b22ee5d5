package trajectory

// Seq is the number of the last durable event.
func (l *Log) Seq() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.durable.seq
}
