package exact

import "testing"

// println writes any argument, whether called directly, deferred, or on a goroutine. It prints an address where the
// compiled program does.
func TestPrintlnWritesEverything(t *testing.T) {
	session(t,
		[2]string{`type nat [1]int
type rec struct{ A int }
var a any = nat{1}
println(a != nil, a, any([2]string{"p", "q"}), any([0]int{}), any(rec{3}), any(&rec{3}), any(nil))
var (
	e error
	p *int
	s []int
	m map[string]int
	c chan int
	f func()
	st fmt.Stringer = time.Second
)
println(e, p, s, m, c, f, st, any(st) != nil)`, "true (0x1,0x1) (0x1,0x1) (0x1,0x1) (0x1,0x1) (0x1,0x1) (0x0,0x0)\n(0x0,0x0) 0x0 [0/0]0x0 0x0 0x0 0x0 1000000000 true\n"},
		[2]string{`func() { x := 1; defer println("deferred", x, any(nat{2})); x = 2; defer print("p", x, "\n") }()
done := make(chan bool)
go func() { defer close(done); defer println("there") }()
<-done`, "p2\ndeferred 1 (0x1,0x1)\nthere\n"},
	)
}
