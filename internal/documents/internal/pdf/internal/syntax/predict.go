package syntax

import (
	"errors"
	"io"
)

// predict undoes a predictor, which stores each byte as the difference from its neighbours for better compression.
func (f *File) predict(param Dict, r io.Reader) (io.Reader, error) {
	predictor := f.Int(param["Predictor"])
	if predictor < 2 {
		return r, nil
	}
	or := func(key Name, otherwise int) int {
		if n := f.Int(param[key]); n > 0 {
			return n
		}
		return otherwise
	}
	colors, bits, columns := or("Colors", 1), or("BitsPerComponent", 8), or("Columns", 1)
	if colors > 64 || bits > 16 || columns > 1<<20 {
		return nil, errors.New("a stream has a row that is too long")
	}
	row := (colors*bits*columns + 7) / 8
	return &rows{
		r: r, step: max(colors*bits/8, 1), png: predictor >= 10, tiff8: predictor == 2 && bits == 8,
		in: make([]byte, row+1), before: make([]byte, row),
	}, nil
}

type rows struct {
	r          io.Reader
	step       int
	png, tiff8 bool
	in, before []byte // the current row with its filter byte, the previous row
	out        []byte // decoded bytes not yet read
	err        error
}

func (r *rows) Read(p []byte) (int, error) {
	for len(r.out) == 0 {
		if r.err != nil {
			return 0, r.err
		}
		r.next()
	}
	n := copy(p, r.out)
	r.out = r.out[n:]
	return n, nil
}

func (r *rows) next() {
	in := r.in
	if !r.png {
		in = in[1:]
	}
	n, err := io.ReadFull(r.r, in)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	r.err = err
	if n == 0 {
		return
	}
	clear(in[n:])
	row := r.in[1:]
	if r.png {
		unfilter(r.in[0], row, r.before, r.step)
		n--
	} else if r.tiff8 {
		for i := r.step; i < len(row); i++ {
			row[i] += row[i-r.step]
		}
	}
	copy(r.before, row)
	r.out = r.before[:n]
}

// unfilter undoes the PNG filter of one row.
func unfilter(kind byte, row, up []byte, step int) {
	for i := range row {
		var left, corner byte
		if i >= step {
			left, corner = row[i-step], up[i-step]
		}
		switch kind {
		case 1:
			row[i] += left
		case 2:
			row[i] += up[i]
		case 3:
			row[i] += byte((int(left) + int(up[i])) / 2)
		case 4:
			row[i] += paeth(left, up[i], corner)
		}
	}
}

func paeth(a, b, c byte) byte {
	p := int(a) + int(b) - int(c)
	pa, pb, pc := abs(p-int(a)), abs(p-int(b)), abs(p-int(c))
	switch {
	case pa <= pb && pa <= pc:
		return a
	case pb <= pc:
		return b
	}
	return c
}

func abs(n int) int { return max(n, -n) }
