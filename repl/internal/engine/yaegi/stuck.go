package yaegi

import (
	"runtime"
	"strings"
	"time"
)

// A cell goes on after a panic in one of its goroutines, as others may still come to their end. When all that is left waits for
// each other for patience looks in a row, it never will.
const (
	lookAround = 50 * time.Millisecond
	patience   = 10
)

// waiting are the states of goroutines that only another goroutine can end.
var waiting = []string{"chan receive", "chan send", "select", "semacquire", "sync."}

// stuck reports whether every goroutine that runs interpreted code waits for another one. A goroutine that waits inside of
// the host, for a model's answer say, is not stuck.
func stuck() bool {
	buf := make([]byte, 1<<20)
	for trace := range strings.SplitSeq(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
		native, _, interpreted := strings.Cut(trace, interpreter)
		if interpreted && !waits(native) {
			return false
		}
	}
	return true
}

// waits judges a goroutine by its state and its frames of compiled code.
func waits(native string) bool {
	_, state, _ := strings.Cut(native, "[")
	blocked := false
	for _, w := range waiting {
		blocked = blocked || strings.HasPrefix(state, w)
	}
	for line := range strings.SplitSeq(native, "\n") {
		if strings.HasPrefix(line, module) && !strings.HasPrefix(line, engineRoom) && !strings.HasPrefix(line, runtimeRoom) {
			return false
		}
	}
	return blocked
}
