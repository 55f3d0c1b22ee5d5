package value

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"go/types"
	"hash"
	"math"
	"reflect"
	"slices"
	"unsafe"

	"github.com/gorlm/rlm/internal/kit/celltype"
)

// Limits on a value with a digest; larger values have none.
const (
	digestNodes = 250_000
	digestBytes = 16 << 20
	longText    = 4 << 10
)

// Digest returns a hash of a value and everything that it refers to; empty for functions, channels, values that are
// too large, and values that contain themselves. Equal digests mean equal values.
func (r Reader) Digest(v any, typ types.Type) string {
	d := newDigester(r, digestNodes, digestBytes)
	if !d.add(reflect.ValueOf(v), 0) || !d.text(celltype.TypeName(typ)) {
		return ""
	}
	sum := d.finish()
	return hex.EncodeToString(sum[:16])
}

// offset returns the offset of a text in the context, if it shares the context's memory.
func (r Reader) offset(s string) (offset int, ok bool) {
	if r.Context == nil {
		return 0, false
	}
	return r.Context(s)
}

type digester struct {
	in    Reader
	hash  hash.Hash
	sum   *bufio.Writer // buffered, because many small writes to a hash are slow
	nodes int
	bytes int
}

func newDigester(in Reader, nodes, bytes int) *digester {
	h := sha256.New()
	return &digester{in: in, hash: h, sum: bufio.NewWriterSize(h, 512), nodes: nodes, bytes: bytes}
}

// finish returns the hash of what was added, and resets the digester.
func (d *digester) finish() (sum [sha256.Size]byte) {
	_ = d.sum.Flush() // a hash never fails to write
	d.hash.Sum(sum[:0])
	d.hash.Reset()
	return sum
}

func (d *digester) number(n uint64) bool {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], n)
	_, _ = d.sum.Write(b[:])
	return true
}

// text adds a string. A long part of the context is represented by its offset, so that a gigabyte need not be read.
func (d *digester) text(s string) bool {
	d.number(uint64(len(s)))
	if len(s) > longText {
		if offset, ok := d.in.offset(s); ok {
			_ = d.sum.WriteByte(1)
			return d.number(uint64(offset))
		}
	}
	if d.bytes -= len(s); d.bytes < 0 {
		return false
	}
	_, _ = d.sum.WriteString(s)
	return true
}

func (d *digester) add(v reflect.Value, depth int) bool {
	if d.nodes--; d.nodes < 0 || depth > maxDepth {
		return false
	}
	if !v.IsValid() {
		_ = d.sum.WriteByte(0)
		return true
	}
	if inner, t, ok := d.in.unbox(v); ok {
		return d.text(celltype.TypeName(t)) && d.add(inner, depth+1)
	}
	_ = d.sum.WriteByte(byte(v.Kind()))
	switch v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			return d.number(1)
		}
		return d.number(0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return d.number(uint64(v.Int()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return d.number(v.Uint())
	case reflect.Float32, reflect.Float64:
		return d.number(math.Float64bits(v.Float()))
	case reflect.Complex64, reflect.Complex128:
		return d.number(math.Float64bits(real(v.Complex()))) && d.number(math.Float64bits(imag(v.Complex())))
	case reflect.String:
		return d.text(v.String())
	case reflect.Interface:
		if !v.IsNil() && !d.text(v.Elem().Type().String()) {
			return false
		}
		return d.add(v.Elem(), depth+1)
	case reflect.Pointer:
		return d.add(v.Elem(), depth+1)
	case reflect.Slice, reflect.Array:
		return d.list(v, depth)
	case reflect.Struct:
		for i := range v.NumField() {
			if !d.add(v.Field(i), depth+1) {
				return false
			}
		}
		return true
	case reflect.Map:
		return d.pairs(v, depth)
	}
	return v.Kind() == reflect.Func && v.IsNil()
}

func (d *digester) list(v reflect.Value, depth int) bool {
	d.number(uint64(v.Len()))
	if v.Kind() == reflect.Slice && isNumber(v.Type().Elem().Kind()) {
		return d.numbers(v)
	}
	if v.Len() > d.nodes {
		return false
	}
	for i := range v.Len() {
		if !d.add(v.Index(i), depth+1) {
			return false
		}
	}
	return true
}

// isNumber reports whether a value of this kind is fully represented by its bytes in memory.
func isNumber(k reflect.Kind) bool { return k >= reflect.Bool && k <= reflect.Complex128 }

// numbers adds a slice of numbers as its bytes in memory.
func (d *digester) numbers(v reflect.Value) bool {
	size := v.Len() * int(v.Type().Elem().Size())
	if d.bytes -= size; d.bytes < 0 {
		return false
	}
	if size > 0 {
		_, _ = d.sum.Write(unsafe.Slice((*byte)(v.UnsafePointer()), size))
	}
	return true
}

// pairs adds a map. A map has no order, so pairs sorts the hashes of the entries.
func (d *digester) pairs(v reflect.Value, depth int) bool {
	d.number(uint64(v.Len()))
	if v.Len() > d.nodes {
		return false
	}
	pair := newDigester(d.in, d.nodes, d.bytes)
	sums := make([][sha256.Size]byte, 0, v.Len())
	for iter := v.MapRange(); iter.Next(); {
		if !pair.add(iter.Key(), depth+1) || !pair.add(iter.Value(), depth+1) {
			return false
		}
		sums = append(sums, pair.finish())
	}
	d.nodes, d.bytes = pair.nodes, pair.bytes
	slices.SortFunc(sums, func(a, b [sha256.Size]byte) int { return bytes.Compare(a[:], b[:]) })
	for _, s := range sums {
		_, _ = d.sum.Write(s[:])
	}
	return true
}
