package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"container/heap"
	"container/list"
	"container/ring"
	"context"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"text/tabwriter"
	"time"
)

type Q struct {
	mu    sync.Mutex
	c     *sync.Cond
	items []int
}

func (q *Q) put(x int) { q.mu.Lock(); q.items = append(q.items, x); q.mu.Unlock(); q.c.Signal() }
func (q *Q) get() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.items) == 0 {
		q.c.Wait()
	}
	x := q.items[0]
	q.items = q.items[1:]
	return x
}

type Safe[T any] struct {
	sync.RWMutex
	m map[string]T
}

func (s *Safe[T]) Set(k string, v T) { s.Lock(); defer s.Unlock(); s.m[k] = v }
func (s *Safe[T]) Get(k string) (T, bool) {
	s.RLock()
	defer s.RUnlock()
	v, ok := s.m[k]
	return v, ok
}

type Cfg struct{ a, b int }

type Item struct {
	p   int
	s   string
	idx int
}
type PQ []*Item

func (p PQ) Len() int           { return len(p) }
func (p PQ) Less(i, j int) bool { return p[i].p > p[j].p }
func (p PQ) Swap(i, j int)      { p[i], p[j] = p[j], p[i]; p[i].idx = i; p[j].idx = j }
func (p *PQ) Push(x any)        { it := x.(*Item); it.idx = len(*p); *p = append(*p, it) }
func (p *PQ) Pop() any          { o := *p; n := len(o); it := o[n-1]; *p = o[:n-1]; return it }

type rot13 struct{ r io.Reader }

func (r rot13) Read(b []byte) (int, error) {
	n, err := r.r.Read(b)
	for i := range b[:n] {
		switch c := b[i]; {
		case c >= 'a' && c <= 'z':
			b[i] = 'a' + (c-'a'+13)%26
		}
	}
	return n, err
}

type slow struct{ data string }

func (s *slow) Read(b []byte) (int, error) {
	if s.data == "" {
		return 0, io.EOF
	}
	n := copy(b[:min(len(b), 3)], s.data)
	s.data = s.data[n:]
	return n, nil
}

type counter struct {
	n int
	w io.Writer
}

func (c *counter) Write(b []byte) (int, error) { c.n += len(b); return c.w.Write(b) }

type limErr struct{ n int }

func (l limErr) Error() string { return fmt.Sprint("lim ", l.n) }
func (l limErr) Timeout() bool { return true }

type failR struct{}

func (failR) Read([]byte) (int, error) { return 0, limErr{3} }

type byLen []string

func (b byLen) Len() int           { return len(b) }
func (b byLen) Less(i, j int) bool { return len(b[i]) < len(b[j]) }
func (b byLen) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }

type ctxKey struct{}
type myCtx struct {
	context.Context
	v int
}

func (m myCtx) Value(k any) any {
	if _, ok := k.(ctxKey); ok {
		return m.v
	}
	return m.Context.Value(k)
}

func main() {
	q := &Q{}
	q.c = sync.NewCond(&q.mu)
	var wg sync.WaitGroup
	sum := int64(0)
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 5 {
				atomic.AddInt64(&sum, int64(q.get()))
			}
		}()
	}
	for i := range 20 {
		q.put(i)
	}
	wg.Wait()
	fmt.Println(sum)
	s := Safe[[]int]{m: map[string][]int{}}
	s.Set("a", []int{1})
	fmt.Println(s.Get("a"))
	fmt.Println(s.Get("b"))
	var p atomic.Pointer[Cfg]
	fmt.Println(p.Load() == nil, p.CompareAndSwap(nil, &Cfg{1, 2}), *p.Load(), p.Swap(&Cfg{3, 4}).a)
	var av atomic.Value
	av.Store(Cfg{5, 6})
	fmt.Println(av.Load().(Cfg).b, av.CompareAndSwap(Cfg{5, 6}, Cfg{7, 8}))
	func() { defer func() { fmt.Println(recover()) }(); av.Store(1) }()
	var ai atomic.Int32
	ai.Add(5)
	ai.Or(8)
	var ab atomic.Bool
	fmt.Println(ai.Load(), ab.Swap(true), ab.Load())
	once := sync.OnceValues(func() (int, error) { fmt.Println("once"); return 3, limErr{1} })
	fmt.Println(once())
	fmt.Println(once())
	of := sync.OnceFunc(func() { panic("p1") })
	for range 2 {
		func() { defer func() { fmt.Println(recover()) }(); of() }()
	}
	pool := sync.Pool{New: func() any { return new(bytes.Buffer) }}
	b := pool.Get().(*bytes.Buffer)
	b.WriteString("x")
	fmt.Println(b.Len())
	ctx, cancel := context.WithCancelCause(context.WithValue(myCtx{context.Background(), 42}, "k", "v"))
	fmt.Println(ctx.Value(ctxKey{}), ctx.Value("k"), ctx.Value("z"))
	done := make(chan string)
	go func() { <-ctx.Done(); done <- fmt.Sprint(ctx.Err(), context.Cause(ctx)) }()
	cancel(limErr{9})
	fmt.Println(<-done)
	tctx, c2 := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer c2()
	select {
	case <-tctx.Done():
		fmt.Println(tctx.Err(), errors.Is(tctx.Err(), context.DeadlineExceeded))
	case <-time.After(5 * time.Second):
		fmt.Println("late")
	}
	stopf := context.AfterFunc(ctx, func() { done <- "after" })
	fmt.Println(<-done, stopf())
	pq := &PQ{}
	for i, w := range []string{"a", "b", "c"} {
		heap.Push(pq, &Item{p: (i * 7) % 5, s: w})
	}
	it := (*pq)[2]
	it.p = 100
	heap.Fix(pq, it.idx)
	for pq.Len() > 0 {
		it := heap.Pop(pq).(*Item)
		fmt.Print(it.s, it.p, " ")
	}
	l := list.New()
	l.PushBack(Cfg{1, 2})
	l.PushFront("x")
	for e := l.Front(); e != nil; e = e.Next() {
		fmt.Print(e.Value, " ")
	}
	r := ring.New(3)
	for i := range 3 {
		r.Value = i
		r = r.Next()
	}
	r.Do(func(x any) { fmt.Print(x, ",") })
	fmt.Println()
	sc := bufio.NewScanner(rot13{&slow{"uryyb jbeyq\nfrpbaq yvar"}})
	for sc.Scan() {
		fmt.Println(sc.Text())
	}
	sc = bufio.NewScanner(strings.NewReader("a,b,,c"))
	sc.Split(func(d []byte, eof bool) (int, []byte, error) {
		if i := bytes.IndexByte(d, ','); i >= 0 {
			return i + 1, d[:i], nil
		}
		if eof && len(d) > 0 {
			return len(d), d, bufio.ErrFinalToken
		}
		return 0, nil, nil
	})
	for sc.Scan() {
		fmt.Printf("%q ", sc.Text())
	}
	fmt.Println()
	dec := json.NewDecoder(io.TeeReader(&slow{`{"a":1}{"a":2}`}, io.Discard))
	for {
		var v struct{ A int }
		if err := dec.Decode(&v); err != nil {
			fmt.Println(err)
			break
		}
		fmt.Println(v)
	}
	cw := &counter{w: io.Discard}
	fmt.Fprintf(cw, "%05d", 3)
	io.Copy(cw, io.LimitReader(&slow{"abcdefgh"}, 5))
	fmt.Println(cw.n)
	_, err := io.ReadAll(io.MultiReader(strings.NewReader("a"), failR{}))
	var le limErr
	var to interface{ Timeout() bool }
	err = fmt.Errorf("x: %w", err)
	fmt.Println(err, errors.As(err, &le), le.n, errors.As(err, &to))
	pr, pw := io.Pipe()
	go func() {
		w := gzip.NewWriter(pw)
		fmt.Fprint(w, strings.Repeat("ab", 100))
		w.Close()
		pw.CloseWithError(limErr{5})
	}()
	zr, err := gzip.NewReader(pr)
	zb, err2 := io.ReadAll(zr)
	fmt.Println(len(zb), err, err2)
	ws := byLen{"ccc", "a", "bb"}
	sort.Sort(sort.Reverse(ws))
	fmt.Println(ws, sort.IsSorted(ws))
	sort.Stable(ws)
	fmt.Println(ws)
	tw := tabwriter.NewWriter(&counter{w: os.Stdout}, 0, 4, 1, '.', tabwriter.AlignRight)
	fmt.Fprintln(tw, "a\tbbb\tc")
	fmt.Fprintln(tw, "aaa\tb\tc")
	tw.Flush()
	var buf bytes.Buffer
	binary.Write(&buf, binary.BigEndian, struct {
		A uint16
		B [2]int8
		C float32
	}{1, [2]int8{-1, 2}, 1.5})
	var back struct {
		A uint16
		B [2]int8
		C float32
	}
	fmt.Println(buf.Bytes(), binary.Read(&buf, binary.BigEndian, &back), back, binary.Size(back))
	cr := csv.NewReader(rot13{strings.NewReader("n,o\n1,\"k\ny\"\n1,2,3\n")})
	for {
		rec, err := cr.Read()
		if err == io.EOF {
			break
		}
		var pe *csv.ParseError
		fmt.Printf("%q %v %v\n", rec, err, errors.As(err, &pe))
	}
	var sm sync.Map
	sm.Store(Cfg{1, 2}, "a")
	v, loaded := sm.LoadOrStore(Cfg{1, 2}, "b")
	fmt.Println(v, loaded)
	ch := make(chan int, 3)
	go func() {
		defer close(ch)
		for i := range 5 {
			ch <- i
		}
	}()
	for v := range ch {
		fmt.Print(v, len(ch) >= 0, " ")
	}
	v2, ok := <-ch
	fmt.Println(v2, ok)
	var nc chan int
	select {
	case <-nc:
	case nc <- 1:
	default:
		fmt.Println("nil chan default")
	}
	sem := make(chan struct{}, 2)
	res := make([]int, 10)
	for i := range res {
		wg.Add(1)
		sem <- struct{}{}
		go func() { defer func() { <-sem; wg.Done() }(); res[i] = i * i }()
	}
	wg.Wait()
	fmt.Println(res)
	wg.Go(func() { fmt.Println("wg.Go") })
	wg.Wait()
	tk := time.NewTicker(time.Millisecond)
	n := 0
	for range tk.C {
		n++
		if n == 3 {
			tk.Stop()
			break
		}
	}
	tm := time.AfterFunc(time.Hour, func() {})
	fmt.Println(n, tm.Stop(), tm.Reset(0))
	start := time.Now()
	time.Sleep(2 * time.Millisecond)
	fmt.Println(time.Since(start) >= 2*time.Millisecond)
	gen := func(ctx context.Context) <-chan int {
		c := make(chan int)
		go func() {
			defer close(c)
			for i := 0; ; i++ {
				select {
				case c <- i:
				case <-ctx.Done():
					return
				}
			}
		}()
		return c
	}
	gctx, gc := context.WithCancel(context.Background())
	for x := range gen(gctx) {
		if x == 5 {
			gc()
			break
		}
	}
	fmt.Println("ok")
}
