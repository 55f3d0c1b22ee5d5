package syntax

// maxUnpacked limits the bytes of cached object streams.
const maxUnpacked = 16 << 20

// objectStream is a decoded stream of objects.
type objectStream struct {
	nums    []int
	offsets []int
	data    []byte
}

// packed reads the object at an index of an object stream.
func (f *File) packed(stream, index, num int) (any, int) {
	s := f.unpack(stream)
	if s == nil {
		return nil, 0
	}
	if index >= len(s.nums) || index < 0 || s.nums[index] != num { // some indexes are wrong
		for index = range s.nums {
			if s.nums[index] == num {
				break
			}
		}
		if index >= len(s.nums) || s.nums[index] != num {
			return nil, 0
		}
	}
	if s.offsets[index] < 0 || s.offsets[index] > len(s.data) {
		return nil, 0
	}
	l := &Lexer{b: s.data[s.offsets[index]:], refs: true}
	o, _ := l.Next()
	if _, ok := o.(Keyword); ok {
		o = nil
	}
	return o, l.pos
}

func (f *File) unpack(num int) *objectStream {
	if s, ok := f.unpacked[num]; ok {
		return s
	}
	if num <= 0 || num >= len(f.entries) || f.entries[num].kind != inFile { // object streams cannot be nested
		return nil
	}
	s, _ := f.load(num).(*Stream)
	if s == nil {
		return nil
	}
	out := f.unpackStream(s)
	size := 0
	if out != nil {
		size = len(out.data) + 16*len(out.nums)
	}
	if f.unpackeds += size + 64; f.unpackeds > maxUnpacked {
		clear(f.unpacked)
		f.unpackeds = size
	}
	f.unpacked[num] = out
	return out
}

func (f *File) unpackStream(s *Stream) *objectStream {
	data, _ := f.Data(s)
	first, count := f.Int(s.Dict["First"]), f.Int(s.Dict["N"])
	if first <= 0 || first > len(data) {
		return nil
	}
	out := &objectStream{data: data}
	l := NewLexer(data[:first])
	for range count {
		o, _ := l.Next()
		num, ok1 := o.(int64)
		o, _ = l.Next()
		offset, ok2 := o.(int64)
		if !ok1 || !ok2 {
			break
		}
		out.nums = append(out.nums, int(num))
		out.offsets = append(out.offsets, int(min(offset, int64(len(data))))+first)
	}
	return out
}
