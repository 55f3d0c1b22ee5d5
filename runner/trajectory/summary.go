package trajectory

type summaryTracker struct{}

func (s *summaryTracker) add(e Event) {}

func (l *Log) writeSummary() error { return nil }
