package font

// parseCFF reads the names and the encoding of a font in the Compact Font Format.
func parseCFF(data []byte) *program {
	t := table(data)
	if len(t) < 4 || t[0] != 1 {
		return nil
	}
	_, at := cffIndex(t, int(t[2])) // skips the font's name
	tops, at := cffIndex(t, at)
	strs, _ := cffIndex(t, at)
	if len(tops) == 0 {
		return nil
	}
	top := cffDict(tops[0])
	glyphs, _ := cffCount(t, top[17])
	p := &program{codes: map[int]int{}}
	if _, ok := top[12<<8|30]; ok {
		p.cidKeys = true
		return p
	}
	sids := cffCharset(t, top[15], glyphs)
	p.names = make([]string, len(sids))
	for i, sid := range sids {
		p.names[i] = cffString(sid, strs)
	}
	p.readEncoding(t, top[16], strs)
	return p
}

// cffCount returns the number of entries in an index and the size of their offsets.
func cffCount(t table, at int) (n, size int) {
	if n = t.u16(at); n == 0 || at+2 >= len(t) {
		return 0, 0
	}
	return n, int(t[at+2])
}

// cffIndex reads a list of byte strings, and returns the offset of its end.
func cffIndex(t table, at int) ([]table, int) {
	n, size := cffCount(t, at)
	if n == 0 || size < 1 || size > 4 || at+3+(n+1)*size > len(t) {
		return nil, at + 2
	}
	offset := func(i int) int {
		v := 0
		for _, c := range t.slice(at+3+i*size, size) {
			v = v<<8 | int(c)
		}
		return v
	}
	base := at + 2 + (n+1)*size
	items := make([]table, n)
	for i := range items {
		items[i] = t.slice(base+offset(i), offset(i+1)-offset(i))
	}
	return items, base + offset(n)
}

// cffDict reads the integers of a dictionary by operator; two-byte operators are 12<<8|second.
func cffDict(t table) map[int]int {
	d, last := map[int]int{}, 0
	for i := 0; i < len(t); i++ {
		switch b := int(t[i]); {
		case b == 12:
			i++
			if i < len(t) {
				d[12<<8|int(t[i])] = last
			}
		case b <= 21:
			d[b] = last
		case b == 28:
			last = int(int16(t.u16(i + 1)))
			i += 2
		case b == 29:
			last = int(int32(t.u32(i + 1)))
			i += 4
		case b == 30: // a real number: nibbles until one is 15
			for i++; i < len(t) && t[i]&15 != 15 && t[i]>>4 != 15; i++ {
			}
		case b >= 32 && b <= 246:
			last = b - 139
		case b >= 247 && b <= 250 && i+1 < len(t):
			last = (b-247)*256 + int(t[i+1]) + 108
			i++
		case b >= 251 && b <= 254 && i+1 < len(t):
			last = -(b-251)*256 - int(t[i+1]) - 108
			i++
		}
	}
	return d
}

// cffCharset returns the string number of each glyph's name.
func cffCharset(t table, at, glyphs int) []int {
	sids := make([]int, 1, glyphs+1)
	if at <= 2 { // predefined: the standard names in order
		for len(sids) < glyphs && len(sids) < 229 {
			sids = append(sids, len(sids))
		}
		return sids
	}
	if at >= len(t) {
		return sids
	}
	format := t[at]
	for at++; len(sids) < glyphs && at < len(t); {
		first, more := t.u16(at), 0
		at += 2
		if format == 1 && at < len(t) {
			more = int(t[at])
			at++
		} else if format == 2 {
			more = t.u16(at)
			at += 2
		}
		for i := 0; i <= more && len(sids) < glyphs; i++ {
			sids = append(sids, first+i)
		}
	}
	return sids
}

func cffString(sid int, own []table) string {
	names := standard().strings
	if sid < len(names) {
		return names[sid]
	}
	if sid -= len(names); sid < len(own) {
		return string(own[sid])
	}
	return ""
}

// readEncoding maps codes to glyph names.
func (p *program) readEncoding(t table, at int, strs []table) {
	name := func(glyph int) string {
		if glyph < len(p.names) {
			return p.names[glyph]
		}
		return ""
	}
	if at <= 1 || at >= len(t) {
		p.byName = standard().standard
		return
	}
	format, count := t[at], 0
	if at+1 < len(t) {
		count = int(t[at+1])
	}
	pos, glyph := at+2, 1
	for range count {
		if pos >= len(t) {
			return
		}
		first, more := int(t[pos]), 0
		pos++
		if format&0x7f == 1 && pos < len(t) {
			more = int(t[pos])
			pos++
		}
		for c := first; c <= first+more && c < 256; c++ {
			p.byName[c] = name(glyph)
			glyph++
		}
	}
	if format&0x80 != 0 && pos < len(t) {
		for i := range int(t[pos]) {
			if code := pos + 1 + 3*i; code < len(t) {
				p.byName[t[code]] = cffString(t.u16(code+1), strs)
			}
		}
	}
}
