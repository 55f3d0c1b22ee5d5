package search

import (
	"math"
	"math/bits"
)

// IndexBuilder builds an Index in steps, as the caller has time. It reads the text twice: first it cuts the text
// into passages and counts the postings of each bucket, then it writes them.
type IndexBuilder struct {
	index   *Index
	last    []uint32 // passage+1 last counted in a bucket; later the index of the bucket's next posting
	terms   int
	written int // passages whose postings are written
}

// NewIndexBuilder starts the index of text, which it refers to without copying it.
func NewIndexBuilder(text string) *IndexBuilder {
	size := min(max(12, bits.Len(uint(len(text)/16))), 24)
	x := &Index{text: text, starts: []int{0}, shift: 64 - size, buckets: make([]uint32, 1<<size+1)}
	return &IndexBuilder{index: x, last: make([]uint32, len(x.buckets))}
}

// Step continues through some bytes of the text, each of which is read twice. It returns the index once it is
// complete, otherwise nil.
func (i *IndexBuilder) Step(bytes int) *Index {
	x := i.index
	for ; x.counted() < len(x.text); bytes -= i.count() {
		if bytes <= 0 {
			return nil
		}
	}
	if x.postings == nil {
		i.allot()
	}
	for ; i.written < len(x.lengths); bytes -= i.write() {
		if bytes <= 0 {
			return nil
		}
	}
	i.last = nil
	return x
}

// Read returns the progress in bytes of the text: a byte that was read once, of two times, counts half.
func (i *IndexBuilder) Read() int { return (i.index.counted() + i.index.starts[i.written]) / 2 }

// counted returns the end of the passages cut so far.
func (x *Index) counted() int { return x.starts[len(x.starts)-1] }

// count cuts off the next passage and returns its length.
func (i *IndexBuilder) count() int {
	x, start := i.index, i.index.counted()
	x.starts = append(x.starts, passageEnd(x.text, start))
	p, n := len(x.lengths), 0
	eachTerm(x.passage(p), func(h uint64) {
		n++
		if at := h >> x.shift; i.last[at] != uint32(p)+1 {
			i.last[at] = uint32(p) + 1
			x.buckets[at+1]++
		}
	})
	x.lengths = append(x.lengths, uint16(min(n, math.MaxUint16)))
	i.terms += n
	return x.counted() - start
}

// allot allocates the postings of each bucket.
func (i *IndexBuilder) allot() {
	x := i.index
	x.average = max(1, float64(i.terms)/max(1, float64(len(x.lengths))))
	for n := 1; n < len(x.buckets); n++ {
		x.buckets[n] += x.buckets[n-1]
	}
	x.postings = make([]uint32, x.buckets[len(x.buckets)-1])
	copy(i.last, x.buckets)
}

// write writes the postings of the next passage and returns its length.
func (i *IndexBuilder) write() int {
	x, p, next := i.index, i.written, i.last
	eachTerm(x.passage(p), func(h uint64) {
		at := h >> x.shift
		if n := next[at]; n > x.buckets[at] && x.postings[n-1]>>occurrence == uint32(p) {
			if x.postings[n-1]&(1<<occurrence-1) < 1<<occurrence-1 {
				x.postings[n-1]++
			}
			return
		}
		x.postings[next[at]] = uint32(p)<<occurrence | 1
		next[at]++
	})
	i.written++
	return len(x.passage(p))
}
