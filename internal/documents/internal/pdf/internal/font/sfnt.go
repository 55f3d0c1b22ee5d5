package font

import "encoding/binary"

// program is the information of an embedded font about its glyphs.
type program struct {
	names   []string       // names by glyph number; nil if the font has none
	texts   map[int]string // texts by glyph number
	codes   map[int]int    // glyph numbers by code, if the font has its own encoding
	byName  [256]string    // glyph names by code, for a Type 1 font
	cidKeys bool           // glyphs are numbered by CID and have no names
}

// text returns the text of a glyph according to the font's own tables.
func (p *program) text(glyph int) string {
	if p == nil {
		return ""
	}
	if t := p.texts[glyph]; t != "" {
		return t
	}
	if glyph >= 0 && glyph < len(p.names) {
		return glyphText(p.names[glyph])
	}
	return ""
}

// table reads big-endian numbers; out of range they are 0.
type table []byte

func (t table) u16(i int) int {
	if i < 0 || i+2 > len(t) {
		return 0
	}
	return int(binary.BigEndian.Uint16(t[i:]))
}

func (t table) u32(i int) int {
	if i < 0 || i+4 > len(t) {
		return 0
	}
	return int(binary.BigEndian.Uint32(t[i:]))
}

func (t table) from(i int) table {
	if i < 0 || i > len(t) {
		return nil
	}
	return t[i:]
}

func (t table) slice(i, n int) table {
	if i < 0 || n < 0 || i > len(t) || n > len(t)-i {
		return nil
	}
	return t[i : i+n]
}

// parseSFNT reads the tables of a TrueType or OpenType font that give glyphs a meaning. Libraries for whole fonts
// cannot be used, because embedded subsets often lack the other tables.
func parseSFNT(data []byte) *program {
	t := table(data)
	if string(t.slice(0, 4)) == "OTTO" || t.u32(0) == 0x10000 || string(t.slice(0, 4)) == "true" {
		return sfntTables(t, 0)
	}
	if string(t.slice(0, 4)) == "ttcf" {
		return sfntTables(t, t.u32(12))
	}
	return nil
}

func sfntTables(t table, at int) *program {
	p := &program{texts: map[int]string{}, codes: map[int]int{}}
	for i := range min(t.u16(at+4), 64) {
		entry := at + 12 + 16*i
		body := t.from(t.u32(entry + 8))
		if n := t.u32(entry + 12); n < len(body) {
			body = body[:n]
		}
		switch string(t.slice(entry, 4)) {
		case "cmap":
			p.readCmap(body)
		case "post":
			p.readPost(body)
		case "CFF ":
			if c := parseCFF(body); c != nil {
				p.names, p.cidKeys = c.names, c.cidKeys
			}
		}
	}
	return p
}

func (p *program) readCmap(t table) {
	mapped := 0
	for i := range min(t.u16(2), 32) {
		platform, encoding, sub := t.u16(4+8*i), t.u16(6+8*i), t.from(t.u32(8+8*i))
		unicode := platform == 0 || platform == 3 && (encoding == 1 || encoding == 10)
		symbol := platform == 3 && encoding == 0
		eachMapping(sub, func(code, glyph int) bool {
			if mapped++; mapped > 4*maxMappings {
				return false
			}
			switch {
			case glyph == 0:
			case unicode:
				if old, ok := p.texts[glyph]; !ok || better(rune(code), old) {
					p.texts[glyph] = string(rune(code))
				}
			case symbol:
				p.codes[code&0xff] = glyph
			case platform == 1:
				if _, ok := p.codes[code]; !ok {
					p.codes[code] = glyph
				}
			}
			return true
		})
	}
}

// better reports whether r is the better of two characters with the same glyph: letters win over presentation
// forms, private characters and radicals.
func better(r rune, old string) bool {
	rank := func(r rune) int {
		switch {
		case r == ' ' || r >= '!' && r <= '~':
			return 0
		case r >= 0xE000 && r <= 0xF8FF, r >= 0xF0000:
			return 4
		case r >= 0xFB00 && r <= 0xFEFF, r >= 0x2E80 && r <= 0x2FDF, r == 0xA0, r == 0xAD, r >= 0xF900 && r <= 0xFAFF:
			return 3
		}
		return 1
	}
	o := []rune(old)[0]
	return rank(r) < rank(o)
}

// eachMapping yields the codes and glyphs of a table in format 0, 4, 6 or 12, which are those that programs write.
func eachMapping(t table, yield func(code, glyph int) bool) {
	switch t.u16(0) {
	case 0:
		for c := range min(256, max(len(t)-6, 0)) {
			if !yield(c, int(t[6+c])) {
				return
			}
		}
	case 4:
		mapSegments(t, yield)
	case 6:
		first := t.u16(6)
		for i := range t.u16(8) {
			if !yield(first+i, t.u16(10+2*i)) {
				return
			}
		}
	case 12:
		for i := range min(t.u32(12), len(t)/12) {
			low, high, glyph := t.u32(16+12*i), t.u32(20+12*i), t.u32(24+12*i)
			for c := low; c <= high && c <= 0x10FFFF; c++ {
				if !yield(c, glyph+c-low) {
					return
				}
			}
		}
	}
}

func mapSegments(t table, yield func(code, glyph int) bool) {
	n := t.u16(6) / 2
	ends, starts := 14, 16+2*n
	deltas, offsets := starts+2*n, starts+4*n
	for i := range n {
		low, high := t.u16(starts+2*i), t.u16(ends+2*i)
		delta, offset := t.u16(deltas+2*i), t.u16(offsets+2*i)
		for c := low; c <= high && c < 0xFFFF; c++ {
			glyph := c + delta
			if offset != 0 {
				if glyph = t.u16(offsets + 2*i + offset + 2*(c-low)); glyph != 0 {
					glyph += delta
				}
			}
			if !yield(c, glyph&0xFFFF) {
				return
			}
		}
	}
}

// readPost reads the glyph names of the "post" table.
func (p *program) readPost(t table) {
	if t.u32(0) != 0x20000 {
		return
	}
	macintosh := standard().macintosh
	n := t.u16(32)
	strs := t.from(34 + 2*n)
	var own []string
	for len(strs) > 0 && len(own) < 1<<16 {
		size := int(strs[0])
		own = append(own, string(strs.slice(1, min(size, len(strs)-1))))
		strs = strs.from(1 + size)
	}
	names := make([]string, n)
	for i := range names {
		switch k := t.u16(34 + 2*i); {
		case k < len(macintosh):
			names[i] = macintosh[k]
		case k-len(macintosh) < len(own):
			names[i] = own[k-len(macintosh)]
		}
	}
	p.names = names
}
