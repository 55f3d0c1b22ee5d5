package repl

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"go/types"
	"hash"
	"math"
	"reflect"
	"slices"
	"unsafe"
)

// Bounds of what a digest is computed of; beyond them there is none.
const (
	digestNodes = 100_000
	digestBytes = 8 << 20
	longText    = 4 << 10
)

// digest is a hash of a deep value; empty where there is none: functions, channels, what is too large or leads
// back to itself. Equal digests mean equal values.
func (in inspector) digest(value any, typ types.Type) string {
	d := digester{in: in, sum: sha256.New(), nodes: digestNodes, bytes: digestBytes}
	if !d.add(reflect.ValueOf(value), 0) {
		return ""
	}
	d.text(typeName(typ))
	return hex.EncodeToString(d.sum.Sum(nil)[:16])
}

type digester struct {
	in    inspector
	sum   hash.Hash
	nodes int
	bytes int
}

func (d *digester) number(n uint64) bool {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], n)
	d.sum.Write(b[:])
	return true
}

// text adds a string. A long part of the context counts by its place, so that no gigabyte is read.
func (d *digester) text(s string) bool {
	d.number(uint64(len(s)))
	if len(s) > longText {
		if offset, ok := d.in.context(s); ok {
			d.sum.Write([]byte{1})
			return d.number(uint64(offset))
		}
	}
	if d.bytes -= len(s); d.bytes < 0 {
		return false
	}
	d.sum.Write(unsafe.Slice(unsafe.StringData(s), len(s)))
	return true
}

func (d *digester) add(v reflect.Value, depth int) bool {
	if d.nodes--; d.nodes < 0 || depth > maxDepth {
		return false
	}
	if !v.IsValid() {
		d.sum.Write([]byte{0})
		return true
	}
	if d.in.engine != nil && v.CanInterface() {
		if inner, t, ok := d.in.engine.Unbox(v.Interface()); ok {
			return d.text(typeName(t)) && d.add(reflect.ValueOf(inner), depth+1)
		}
	}
	d.sum.Write([]byte{byte(v.Kind())})
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
	if v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8 {
		if v.Len() > d.bytes {
			return false
		}
		return d.text(string(v.Bytes()))
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

// pairs adds a map, whose order is none: the digests of its pairs, sorted.
func (d *digester) pairs(v reflect.Value, depth int) bool {
	d.number(uint64(v.Len()))
	if v.Len() > d.nodes {
		return false
	}
	sums := make([][sha256.Size]byte, 0, v.Len())
	for iter := v.MapRange(); iter.Next(); {
		pair := digester{in: d.in, sum: sha256.New(), nodes: d.nodes, bytes: d.bytes}
		if !pair.add(iter.Key(), depth+1) || !pair.add(iter.Value(), depth+1) {
			return false
		}
		d.nodes, d.bytes = pair.nodes, pair.bytes
		sums = append(sums, [sha256.Size]byte(pair.sum.Sum(nil)))
	}
	slices.SortFunc(sums, func(a, b [sha256.Size]byte) int { return slices.Compare(a[:], b[:]) })
	for _, s := range sums {
		d.sum.Write(s[:])
	}
	return true
}

// contextRange says where in the context a text lies, if it shares the context's memory.
func (n *notebook) contextRange(s string) (offset int, ok bool) {
	if len(s) == 0 || len(n.cfg.Context) == 0 {
		return 0, false
	}
	at, start := uintptr(unsafe.Pointer(unsafe.StringData(s))), uintptr(unsafe.Pointer(unsafe.StringData(n.cfg.Context)))
	if at < start || at+uintptr(len(s)) > start+uintptr(len(n.cfg.Context)) {
		return 0, false
	}
	return int(at - start), true
}
