package reply

import (
	"bytes"
	"os"
	"runtime"
	"testing"

	"github.com/yuin/goldmark/text"

	"github.com/stretchr/testify/assert"
)

// long reports whether RLM_LONG requests the slow tests.
func long(t *testing.T) bool {
	t.Helper()
	return os.Getenv("RLM_LONG") != ""
}

// countingReader counts goldmark's work: one for each look at a line, plus the length of the line's margin.
type countingReader struct {
	text.Reader
	work int
}

func (r *countingReader) PeekLine() ([]byte, text.Segment) {
	line, seg := r.Reader.PeekLine()
	r.work += 1 + len(line) - len(bytes.TrimLeft(line, " \t>"))
	return line, seg
}

// workOf returns the work of parsing the blocks of a reply.
func workOf(reply string) int {
	read, _ := within([]byte(reply))
	r := &countingReader{Reader: text.NewReader(read)}
	parseBlocks(r)
	return r.work
}

// Parse takes linear time for any input. Work is counted instead of time, so that the machine does not matter.
func TestTheWorkIsLinear(t *testing.T) {
	const small, large, mostPerByte = 32 << 10, 128 << 10, 100
	for _, kind := range []func(int) map[string]string{bigReplies, hostileReplies} {
		before := kind(small)
		for name, reply := range kind(large) {
			is := workOf(reply)
			assert.LessOrEqual(t, is/large, mostPerByte, "%s: steps for a byte", name)
			if !long(t) {
				continue
			}
			assert.LessOrEqual(t, is, 6*workOf(before[name]), "%s: steps for %d bytes, and for a quarter of them", name,
				large)
		}
	}
}

// The stages after the block parser are linear too: their allocations are counted.
func TestTheAllocationsAreLinear(t *testing.T) {
	large := 16 << 10
	if long(t) {
		large = 128 << 10
	}
	small := large / 4
	for _, kind := range []func(int) map[string]string{bigReplies, hostileReplies} {
		before := kind(small)
		for name, reply := range kind(large) {
			was := testing.AllocsPerRun(1, func() { Parse(before[name], DefaultNames(), true) })
			is := testing.AllocsPerRun(1, func() { Parse(reply, DefaultNames(), true) })
			assert.LessOrEqual(t, is, 6*was+1000, "%s: allocations for %d bytes, and for a quarter of them", name,
				large)
		}
	}
}

// goldmark records each open block for each line, and with many open blocks the records are large.
func TestTheMemoryIsBounded(t *testing.T) {
	if !long(t) {
		t.Skip("RLM_LONG=1 reads long replies of all kinds once more")
	}
	const size, mostPerByte = 128 << 10, 700
	for _, kind := range []func(int) map[string]string{bigReplies, hostileReplies} {
		for name, reply := range kind(size) {
			perByte := allocated(func() { Parse(reply, DefaultNames(), true) }) / size
			assert.LessOrEqual(t, int(perByte), mostPerByte, "%s: bytes for a byte", name)
		}
	}
}

func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
