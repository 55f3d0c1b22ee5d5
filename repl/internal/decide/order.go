package decide

import (
	"cmp"
	"math/bits"
	"reflect"
	"slices"
	"sync"
)

// MapOrder determines the order in which maps are ranged over with a seed.
type MapOrder struct {
	Seed uint64
	// Follow makes the hash of a pointer depend on the value that it points to. It must not be set while another
	// goroutine could change that value.
	Follow bool
}

// Keys returns the keys of a map, as a slice of the map's key type, in the order in which a range visits them. The
// order depends on the seed and the keys, not on the map's history. Keys that hash the same, such as channels or
// pointers to equal values, may come in either order.
func (o MapOrder) Keys(m reflect.Value) reflect.Value {
	t := reflect.SliceOf(m.Type().Key())
	n := m.Len()
	if n == 0 {
		return reflect.MakeSlice(t, 0, 0)
	}
	keys := reflect.New(t).Elem()
	keys.Set(reflect.MakeSlice(t, 0, n))
	keys.SetLen(n)
	i := 0
	for it := m.MapRange(); it.Next(); i++ {
		if i == n { // a goroutine of the cell is adding keys concurrently
			keys = reflect.Append(keys, it.Key())
			n++
			continue
		}
		keys.Index(i).SetIterKey(it)
	}
	keys = keys.Slice(0, i)
	if i == 1 {
		return keys
	}
	switch s := keys.Interface().(type) {
	case []string:
		return reflect.ValueOf(ordered(s, func(k string) uint64 { return mix(foldText(o.Seed, k)) }))
	case []int:
		return reflect.ValueOf(ordered(s, func(k int) uint64 { return mix(fold(o.Seed, uint64(k))) }))
	}
	return o.sorted(keys)
}

// RangeSyncMap is the method Range of a sync.Map, but visits the entries in this order.
func (o MapOrder) RangeSyncMap(m *sync.Map, yield func(k, v any) bool) {
	found := map[any]struct{}{}
	m.Range(func(k, _ any) bool {
		found[k] = struct{}{}
		return true
	})
	for _, k := range o.Keys(reflect.ValueOf(found)).Interface().([]any) {
		if v, ok := m.Load(k); ok && !yield(k, v) {
			return
		}
	}
}

// hashedKey is a key's hash and its index before sorting.
type hashedKey struct {
	hash uint64
	from int
}

// ordered sorts keys of one kind.
func ordered[K cmp.Ordered](keys []K, hash func(K) uint64) []K {
	places := make([]hashedKey, len(keys))
	for i, k := range keys {
		places[i] = hashedKey{hash(k), i}
	}
	spread(places, func(a, b hashedKey) int { return cmp.Compare(keys[a.from], keys[b.from]) })
	out := make([]K, len(keys))
	for i, p := range places {
		out[i] = keys[p.from]
	}
	return out
}

// sorted sorts keys of any type.
func (o MapOrder) sorted(keys reflect.Value) reflect.Value {
	places := make([]hashedKey, keys.Len())
	for i := range places {
		h := hasher{sum: o.Seed, follow: o.Follow, left: pointees}
		h.add(keys.Index(i))
		places[i] = hashedKey{mix(h.sum), i}
	}
	spread(places, func(hashedKey, hashedKey) int { return 0 })
	out := reflect.MakeSlice(keys.Type(), len(places), len(places))
	for i, p := range places {
		out.Index(i).Set(keys.Index(p.from))
	}
	return out
}

// spread sorts by hash in linear time: hashes are evenly distributed, so it first puts the keys into as many
// buckets as there are keys, by their highest bits, and then sorts each bucket.
func spread(places []hashedKey, tie func(a, b hashedKey) int) {
	compare := func(a, b hashedKey) int {
		if c := cmp.Compare(a.hash, b.hash); c != 0 {
			return c
		}
		return tie(a, b)
	}
	if len(places) < 64 {
		slices.SortFunc(places, compare)
		return
	}
	shift := 64 - bits.Len(uint(len(places)-1)) + 2
	starts := make([]int, 1<<(64-shift)+1)
	for _, p := range places {
		starts[p.hash>>shift+1]++
	}
	for i := 1; i < len(starts); i++ {
		starts[i] += starts[i-1]
	}
	next := slices.Clone(starts)
	out := make([]hashedKey, len(places))
	for _, p := range places {
		b := p.hash >> shift
		out[next[b]] = p
		next[b]++
	}
	for i := range len(starts) - 1 {
		if bucket := out[starts[i]:starts[i+1]]; len(bucket) > 1 {
			slices.SortFunc(bucket, compare)
		}
	}
	copy(places, out)
}
