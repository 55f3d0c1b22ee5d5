package lower_test

import "testing"

// Fields are found through embedded structs and pointers, of cells and of packages.
func TestSelectors(t *testing.T) {
	try(t, []row{
		{`type A struct{ N int }
type B struct{ *A }
type C struct{ B; M int }
c := C{B{&A{1}}, 2}
c.N += 4
fmt.Println(c.N, c.B.A.N, c.M)`, "5 5 2\n"},
		{`type T struct{ sync.Mutex; n int }
var t T
t.Lock()
t.n++
t.Unlock()
fmt.Println(t.n)`, "1\n"},
		{`u, _ := url.Parse("http://a/b?q=1")
u.Path = "/c"
fmt.Println(u.Host, u, math.Pi > 3, time.UTC)`, "a http://a/c?q=1 true UTC\n"},
		{`type P[K comparable, V any] struct{ Key K; Val V }
ps := []P[string, int]{{"a", 1}}
ps[0].Val++
fmt.Printf("%v %T\n", ps, ps[0])`, "refused: a generic declaration\n"},
		{`type R struct { Next *R; v int }
r := &R{&R{nil, 2}, 1}
fmt.Println(r.Next.v, r.Next.Next == nil)`, "2 true\n"},
	})
}
