package syntax

import "bytes"

// rebuild finds the objects by scanning the whole file. Later objects win, as in a file saved several times.
func (f *File) rebuild() error {
	f.rebuilt = true
	f.entries, f.crypt = nil, nil
	f.forget()
	trailers, streams := f.scan()
	f.Trailer = Dict{}
	for _, at := range trailers {
		if t, err := f.trailer(at); err == nil {
			f.adopt(t)
		}
	}
	var packs []int
	for _, num := range streams { // cross-reference streams are trailers too; object streams contain more objects
		f.check()
		s, _ := f.load(num).(*Stream)
		if s == nil {
			continue
		}
		switch s.Dict["Type"] {
		case Name("XRef"):
			f.adopt(s.Dict)
		case Name("ObjStm"):
			packs = append(packs, num)
		}
	}
	f.forget() // strings may have been read before encryption was known
	if err := f.openCrypt(); err != nil {
		return err
	}
	for _, num := range packs {
		f.check()
		s := f.unpack(num)
		if s == nil {
			continue
		}
		for i, packed := range s.nums {
			e := entry{kind: inStream, stream: int32(num), offset: int64(i)}
			if packed < 0 || packed >= maxObject || packed < len(f.entries) && f.entries[packed].kind == inFile &&
				f.entries[packed].offset > f.entries[num].offset {
				continue
			}
			if packed < len(f.entries) {
				f.entries[packed].kind = unknown
			}
			if err := f.enter(int64(packed), e); err != nil {
				continue
			}
		}
	}
	f.forget()
	if f.Root() == nil {
		f.findRoot()
	}
	if len(f.entries) == 0 {
		return errNoPDF
	}
	return nil
}

func (f *File) forget() {
	clear(f.cache)
	clear(f.unpacked)
	f.cached, f.unpackeds = 0, 0
}

// adopt merges a trailer; later ones win.
func (f *File) adopt(t Dict) {
	for _, key := range []Name{"Root", "Info", "Encrypt", "ID"} {
		if t[key] != nil {
			f.Trailer[key] = t[key]
		}
	}
}

// scan records every "12 0 obj" of the file. It returns the offsets of trailers, and the numbers of object streams
// and cross-reference streams, in file order.
func (f *File) scan() (trailers []int64, streams []int) {
	const chunk, overlap = 1 << 20, 256
	for from := int64(0); from < f.size; from += chunk {
		f.check()
		b := make([]byte, min(chunk+overlap, f.size-from))
		n, _ := f.r.ReadAt(b, from)
		b = b[:n]
		for i := 0; i < min(len(b), chunk); {
			j := bytes.IndexByte(b[i:], 'o')
			if j < 0 {
				break
			}
			i += j + 1
			if !bytes.HasPrefix(b[i:], []byte("bj")) || i < 4 || i > 2 && b[i-2] == 'd' {
				continue
			}
			num, at, ok := headerBefore(b[:i-1])
			if !ok || num >= maxObject {
				continue
			}
			if num < len(f.entries) {
				f.entries[num].kind = unknown
			}
			_ = f.enter(int64(num), entry{kind: inFile, offset: from + int64(at)})
			ahead := b[i:min(i+overlap, len(b))]
			if bytes.Contains(ahead, []byte("/ObjStm")) || bytes.Contains(ahead, []byte("/XRef")) {
				streams = append(streams, num)
			}
		}
		for i := 0; i < min(len(b), chunk); {
			j := bytes.Index(b[i:], []byte("trailer"))
			if j < 0 {
				break
			}
			i += j + len("trailer")
			trailers = append(trailers, from+int64(i))
		}
	}
	return trailers, streams
}

// headerBefore reads "12 0 " backwards from the end of b.
func headerBefore(b []byte) (num, at int, ok bool) {
	i := len(b)
	back := func(is func(byte) bool) int {
		n := 0
		for i > 0 && is(b[i-1]) && n < 12 {
			i--
			n++
		}
		return n
	}
	back(isSpace)
	if back(isDigit) == 0 || back(isSpace) == 0 {
		return 0, 0, false
	}
	end := i
	if n := back(isDigit); n == 0 || n > 8 {
		return 0, 0, false
	}
	for _, c := range b[i:end] {
		num = num*10 + int(c-'0')
	}
	return num, i, true
}

// findRoot searches all objects, last first, for a catalog, or else for a page tree.
func (f *File) findRoot() {
	var pages Ref
	for num := len(f.entries) - 1; num > 0; num-- {
		if f.entries[num].kind != inFile && f.entries[num].kind != inStream {
			continue
		}
		f.check()
		d, _ := f.load(num).(Dict)
		switch {
		case d["Type"] == Name("Catalog"):
			f.Trailer["Root"] = Ref{Num: num}
			return
		case d["Type"] == Name("Pages") && d["Parent"] == nil:
			pages = Ref{Num: num}
		}
	}
	f.Trailer["Root"] = Dict{"Type": Name("Catalog"), "Pages": pages}
}
