package decide

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

type point struct {
	X int
	Y string
}

// list returns the order of a map under a seed, as text.
func list(seed uint64, m any) string {
	return fmt.Sprint(MapOrder{Seed: seed, Follow: true}.Keys(reflect.ValueOf(m)).Interface())
}

func TestOrderFollowsFromSeedAndKeys(t *testing.T) {
	same := func(name string, forward, backward any) {
		t.Helper()
		assert.Equal(t, list(1, forward), list(1, backward), name)
		assert.NotEqual(t, list(1, forward), list(2, forward), "%s: two seeds give one order", name)
	}
	for _, n := range []int{20, 1000} {
		text, number, points, any1, array, float := [2]map[string]int{}, [2]map[int]int{}, [2]map[point]int{},
			[2]map[any]int{}, [2]map[[2]int8]int{}, [2]map[float64]int{}
		for way := range 2 {
			text[way], number[way], points[way], any1[way], array[way], float[way] = map[string]int{}, map[int]int{},
				map[point]int{}, map[any]int{}, map[[2]int8]int{}, map[float64]int{}
			for i := range n {
				if way == 1 {
					i = n - 1 - i
				}
				text[way][fmt.Sprint("a long key number ", i)] = i
				number[way][i] = i
				points[way][point{i, "p"}] = i
				any1[way][[]any{i, fmt.Sprint(i), point{i, "q"}, nil}[i%4]] = i
				array[way][[2]int8{int8(i), int8(i >> 8)}] = i
				float[way][float64(i)/7] = i
			}
		}
		same("strings", text[0], text[1])
		same("ints", number[0], number[1])
		same("structs", points[0], points[1])
		same("interfaces", any1[0], any1[1])
		same("arrays", array[0], array[1])
		same("floats", float[0], float[1])
	}
}

func TestOrderListsEveryKeyOnce(t *testing.T) {
	for _, n := range []int{0, 1, 2, 63, 64, 65, 5000} {
		m, want := map[string]int{}, []string{}
		for i := range n {
			m[fmt.Sprint(i)] = i
			want = append(want, fmt.Sprint(i))
		}
		got := MapOrder{Seed: 7}.Keys(reflect.ValueOf(m)).Interface().([]string)
		slices.Sort(got)
		slices.Sort(want)
		assert.Equal(t, want, got, "of %d keys %d came", n, len(got))
	}
	nan := map[float64]int{math.NaN(): 1, math.NaN(): 2, 0: 3}
	assert.Equal(t, 3, (MapOrder{}).Keys(reflect.ValueOf(nan)).Len(), "keys of a map with two NaN and 0")
}

// A key sorts the same whether its type has a fast path or is compared by reflection.
func TestFastPathsAgree(t *testing.T) {
	type text string
	a, b := map[string]bool{}, map[text]bool{}
	for i := range 500 {
		a[fmt.Sprint(i)], b[text(fmt.Sprint(i))] = true, true
	}
	assert.Equal(t, list(3, a), list(3, b), "a named type of strings is ordered in another way")
}

func TestPointersCountByWhatTheyPointTo(t *testing.T) {
	type node struct {
		Name string
		Next *node
	}
	fill := func() string {
		m := map[*node]bool{}
		first := &node{Name: "first"}
		first.Next = first // a cycle
		for i := range 50 {
			m[&node{fmt.Sprint(i), first}] = true
		}
		var out []string
		for _, n := range (MapOrder{Seed: 5, Follow: true}).Keys(reflect.ValueOf(m)).Interface().([]*node) {
			out = append(out, n.Name)
		}
		return fmt.Sprint(out)
	}
	assert.Equal(t, fill(), fill())
}

func TestStreamsFollowFromSeedAndPlace(t *testing.T) {
	draw := func(seed int64) string {
		main := NewStream(seed)
		a, b := main.Fork(), main.Fork()
		return fmt.Sprint(main.Uint64(), a.Uint64(), b.Uint64(), a.Fork().Uint64(), b.Fork().Uint64(), main.Cases(5))
	}
	assert.Equal(t, draw(1), draw(1))
	assert.NotEqual(t, draw(1), draw(2), "two seeds")
	counts := map[int]int{}
	s := NewStream(1)
	for range 3000 {
		counts[s.Cases(3)[0]]++
	}
	for c, n := range counts {
		assert.InDelta(t, 1000, n, 100, "the times of 3000 that case %d came first", c)
	}
}

func BenchmarkOrder(b *testing.B) {
	m := map[string]int{}
	for i := range 100_000 {
		m[fmt.Sprint(i)] = i
	}
	v := reflect.ValueOf(m)
	for b.Loop() {
		MapOrder{Seed: 1}.Keys(v)
	}
}
