package enginetest

import (
	"strings"
	"testing"
	"time"

	"github.com/gorlm/rlm/repl/internal/engine"
)

// printed returns the output of cells that run one after the other, with the seed, in a new session.
func printed(t *testing.T, make Maker, seed int64, cells ...string) string {
	t.Helper()
	nb := NewNotebook(t, make)
	nb.Conditions = engine.Conditions{Seed: seed, Now: func() time.Time { return time.Unix(100, 0) }}
	var out strings.Builder
	for i, source := range cells {
		out.WriteString(nb.ok(t, i+1, source))
	}
	return out.String()
}

// mapOrder tests that the order of a map depends on the seed and the keys, and not on the map's history, for every
// way to list its keys.
func mapOrder(t *testing.T, make Maker) {
	keys := map[string]string{
		"strings":    `m := map[string]int{}; add := func(i int) { m[fmt.Sprint("key", i)] = i }`,
		"ints":       `m := map[int]int{}; add := func(i int) { m[i*7] = i }`,
		"floats":     `m := map[float64]int{}; add := func(i int) { m[float64(i)/3] = i }`,
		"arrays":     `m := map[[2]string]int{}; add := func(i int) { m[[2]string{"a", fmt.Sprint(i)}] = i }`,
		"structs":    `type P struct { X int; Y string }; m := map[P]int{}; add := func(i int) { m[P{i, "y"}] = i }`,
		"interfaces": `type Q string; m := map[any]int{}; add := func(i int) { switch i % 4 { case 0: m[i] = i; case 1: m[fmt.Sprint(i)] = i; case 2: m[Q(fmt.Sprint(i))] = i; default: m[float64(i)] = i } }`,
		"pointers":   `type N struct { Name string }; m := map[*N]int{}; add := func(i int) { m[&N{fmt.Sprint(i)}] = i }`,
		"bools":      `m := map[bool]int{}; add := func(i int) { m[i%2 == 0] = i%2 }`,
		"named":      `type K string; type M map[K]int; m := M{}; add := func(i int) { m[K(fmt.Sprint(i))] = i }`,
	}
	fills := []string{
		"for i := range 100 { add(i) }", "for i := 99; i >= 0; i-- { add(i) }",
		"for i := range 100 { add((i * 37) % 100) }",
	}
	const show = `
for k, v := range m { fmt.Print(v, " "); _ = k }
fmt.Println()
for k := range m { fmt.Print(m[k], " ") }
for k := range maps.Keys(m) { fmt.Print(m[k], " ") }
for v := range maps.Values(m) { fmt.Print(v, " ") }
for _, v := range maps.All(m) { fmt.Print(v, " ") }
fmt.Println(slices.Collect(maps.Values(m)))
var sm sync.Map
for k, v := range maps.Clone(m) { sm.Store(k, v) }
sm.Range(func(k, v any) bool { fmt.Print(v, " "); return true })
for k := range m { fmt.Println(m[k]); break }
`
	for name, declare := range keys {
		t.Run(name, func(t *testing.T) {
			want := ""
			for _, fill := range fills {
				got := printed(t, make, 3, declare+"\n"+fill+show)
				if want == "" {
					want = got
				}
				if got != want {
					t.Fatalf("filled with %s:\n%s\nand before:\n%s", fill, got, want)
				}
			}
			if name != "bools" && printed(t, make, 4, declare+"\n"+fills[0]+show) == want {
				t.Error("another seed gives the same order")
			}
		})
	}
}

// mapPromises tests Go's guarantees about a range over a map.
func mapPromises(t *testing.T, make Maker) {
	cells := map[string]string{
		"deleted entries are not visited": `m := map[int]int{}; for i := range 200 { m[i] = i }
n := 0; for k := range m { n++; for j := range 200 { if j != k { delete(m, j) } } }; fmt.Println(n, len(m))`,
		"every entry is visited once": `m := map[string]int{}; for i := range 500 { m[fmt.Sprint(i)] = i }
sum, n := 0, 0; for _, v := range m { sum += v; n++ }; fmt.Println(sum, n)`,
		"values are read at their turn": `m := map[int]int{}; for i := range 100 { m[i] = 0 }
n := 0; for k, v := range m { if v == 1 { n++ }; for j := range 100 { m[j] = 1 }; _ = k }; fmt.Println(n)`,
		"NaN keys are visited": `m := map[float64]string{1: "one"}; m[math.NaN()] = "a"; m[math.NaN()] = "b"
var got []string; for k, v := range m { if k != k { got = append(got, v) } else { got = append(got, v) } }; slices.Sort(got); fmt.Println(got)`,
		"NaN keys that were cleared": `m := map[float64]int{math.NaN(): 1, math.NaN(): 2, math.NaN(): 3}
n := 0; for range m { n++; m[1] = 1; clear(m) }; fmt.Println(n, len(m))`,
		"NaN in interfaces": `m := map[any]int{math.NaN(): 1, "x": 2}; sum := 0; for _, v := range m { sum += v }; fmt.Println(sum, len(m))`,
		"nil maps":          `var m map[string]int; for range m { fmt.Println("no") }; for k, v := range m { fmt.Println(k, v) }; fmt.Println("end")`,
		"assigning ranges":  `m := map[string]int{"a": 1}; var k string; var v any; for k, v = range m { }; fmt.Println(k, v)`,
		"labels": `m := map[int]bool{1: true, 2: true, 3: true}; n := 0
outer: for k := range m { for range 3 { n++; if k == 2 { continue outer }; if n > 100 { break outer } } }; fmt.Println(n)`,
		"closures keep their entry": `m := map[string]int{"a": 1, "b": 2, "c": 3}; var fs []func() int
for _, v := range m { fs = append(fs, func() int { return v }) }; s := 0; for _, f := range fs { s = s*10 + f() }
d := []int{s / 100, s / 10 % 10, s % 10}; slices.Sort(d); fmt.Println(d)`,
		"values of every kind": `type T struct{ A []int }; m := map[string]T{"x": {[]int{1}}}; e := map[string]error{"e": errors.New("bad")}
f := map[string]func() int{"f": func() int { return 7 }}; c := map[string]chan int{"c": make(chan int, 1)}; p := map[string]*T{"p": {}}; a := map[string]any{"a": nil, "b": T{}}
for k, v := range m { fmt.Println(k, v) }; for k, v := range e { fmt.Println(k, v) }; for k, v := range f { fmt.Println(k, v()) }
for _, v := range c { v <- 3; fmt.Println(<-v) }; for _, v := range p { v.A = append(v.A, 2) }; fmt.Println(p["p"].A); n := 0
for _, v := range a { if v == nil { n++ } }; fmt.Println(n)`,
		"taking one after the other": `work := map[int]bool{}; for i := range 300 { work[i] = true }; seen := map[int]int{}; watch := 0
for len(work) > 0 { for k := range work { delete(work, k); seen[k]++; if k < 1000 { work[k+1000] = true }; watch++; break } }
most := 0; for _, n := range seen { most = max(most, n) }; fmt.Println(len(seen), most, watch)`,
		"url values": `v := url.Values{}; for i := range 100 { v.Set(fmt.Sprint(i), "x") }; n := 0
for len(v) > 0 && n < 1000 { for k := range v { v.Del(k); n++; if n <= 50 { v.Set(fmt.Sprint("new", n), "y") }; break } }; fmt.Println(n)`,
		"json into a map that is being taken from": `m := map[string]int{}; for i := range 200 { m[fmt.Sprint(i)] = i }; n := 0
for len(m) > 0 { for k := range m { delete(m, k); n++; if n == 100 { json.Unmarshal([]byte("{\"a\":1,\"b\":2}"), &m) }; break } }; fmt.Println(n)`,
	}
	want := map[string]string{
		"deleted entries are not visited": "1 1\n", "every entry is visited once": "124750 500\n",
		"values are read at their turn": "99\n",
		"NaN keys are visited":          "[a b one]\n", "NaN in interfaces": "3 2\n",
		"NaN keys that were cleared": "1 0\n",
		"nil maps":                   "end\n", "assigning ranges": "a 1\n", "labels": "7\n",
		"closures keep their entry": "[1 2 3]\n", "values of every kind": "x {[1]}\ne bad\nf 7\n3\n[2]\n1\n",
		"taking one after the other": "600 1 600\n",
		"url values":                 "150\n", "json into a map that is being taken from": "202\n",
	}
	for name, source := range cells {
		t.Run(name, func(t *testing.T) {
			if got := printed(t, make, 5, source); got != want[name] {
				t.Errorf("got %q, want %q", got, want[name])
			}
		})
	}
}

// selectOrder tests that the seed determines which of several ready cases a select takes, and the random numbers of
// goroutines. It also tests that no case starves.
func selectOrder(t *testing.T, make Maker) {
	const cell = `a, b, c := make(chan int, 100), make(chan int, 100), make(chan int, 100)
for i := range 100 { a <- i; b <- i; c <- i }
var took strings.Builder
for range 300 { select { case <-a: took.WriteByte('a'); case <-b: took.WriteByte('b'); case x := <-c: took.WriteByte('c'); _ = x } }
full := make(chan int, 1)
for range 20 { select { case full <- 1: took.WriteByte('s'); case <-full: took.WriteByte('r'); default: took.WriteByte('d') } }
done := make(chan int); close(done)
for range 20 { select { case <-done: took.WriteByte('x'); case v, ok := <-done: took.WriteString(fmt.Sprint(v, ok)) } }
fmt.Println(took.String(), rand.Intn(1000))
got := make([]int, 50)
var wg sync.WaitGroup
for i := range got { wg.Go(func() { got[i] = rand.Intn(1_000_000); var in sync.WaitGroup; in.Add(1); go func() { defer in.Done(); got[i] += rand.Intn(10) }(); in.Wait() }) }
wg.Wait()
fmt.Println(got)`
	want := printed(t, make, 9, cell)
	for range 5 {
		if got := printed(t, make, 9, cell); got != want {
			t.Fatalf("got\n%s\nand before\n%s", got, want)
		}
	}
	if printed(t, make, 10, cell) == want {
		t.Error("another seed chooses the same")
	}
	head := want[:60]
	for _, c := range "abc" {
		if n := strings.Count(head, string(c)); n < 5 {
			t.Errorf("case %c was taken %d times of the first 60: %s", c, n, head)
		}
	}
}
