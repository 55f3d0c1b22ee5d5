package reply

import "testing"

// workOf is what reading the blocks of a reply takes: for each block that is open on a line one, and the margin that it reads.
func workOf(reply string) (work int) {
	r := &blockReader{lineReader: newLineReader(flatten([]byte(reply))), to: &layout{str: reply, src: []byte(reply)}}
	for open := 0; ; open = len(r.stack) {
		line := r.peek()
		more := r.step()
		work += (1 + max(open, len(r.stack))) * (1 + margin(line))
		if !more {
			return work
		}
	}
}

// Parse takes linear time, whatever it is given. Work is counted, so that the machine does not matter.
func TestTheWorkIsLinear(t *testing.T) {
	const small, large, mostPerByte = 64 << 10, 256 << 10, 100
	for _, kind := range []func(int) map[string]string{bigReplies, hostileReplies} {
		before := kind(small)
		for name, reply := range kind(large) {
			was, is := workOf(before[name]), workOf(reply)
			if perByte := is / large; perByte > mostPerByte {
				t.Errorf("%s: %d steps for a byte", name, perByte)
			}
			if is > 6*was {
				t.Errorf("%s: %d steps for %d bytes, %d for %d", name, was, small, is, large)
			}
		}
	}
}

// So do the parts of it behind that: each piece that they make is counted.
func TestTheAllocationsAreLinear(t *testing.T) {
	const small, large = 32 << 10, 128 << 10
	for _, kind := range []func(int) map[string]string{bigReplies, hostileReplies} {
		before := kind(small)
		for name, reply := range kind(large) {
			was := testing.AllocsPerRun(1, func() { Parse(before[name], DefaultNames(), true) })
			is := testing.AllocsPerRun(1, func() { Parse(reply, DefaultNames(), true) })
			if is > 6*was+1000 {
				t.Errorf("%s: %.0f allocations for %d bytes, %.0f for %d", name, was, small, is, large)
			}
		}
	}
}
