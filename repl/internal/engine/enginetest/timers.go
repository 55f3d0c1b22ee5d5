package enginetest

import "testing"

// timers tests that the timers of cells behave like those of package time.
func timers(t *testing.T, make Maker) {
	cells := map[string][2]string{
		"sleep":         {`time.Sleep(time.Millisecond); time.Sleep(-1); fmt.Println("slept")`, "slept\n"},
		"after":         {`t := <-time.After(time.Millisecond); fmt.Println(t.Unix())`, "100\n"},
		"timer":         {`t := time.NewTimer(time.Hour); fmt.Println(t.Stop(), t.Stop(), t.Reset(time.Millisecond)); <-t.C; fmt.Println(t.Stop())`, "true false false\nfalse\n"},
		"stop a stale":  {`t := time.NewTimer(time.Millisecond); time.Sleep(5 * time.Millisecond); t.Stop(); select { case <-t.C: fmt.Println("stale"); default: fmt.Println("none") }`, "none\n"},
		"deferred stop": {`func() { t := time.NewTimer(time.Hour); defer t.Stop(); k := time.NewTicker(time.Hour); defer k.Stop() }(); fmt.Println("ok")`, "ok\n"},
		"method value":  {`t := time.NewTimer(time.Hour); stop := t.Stop; fmt.Println(stop(), stop()); var m sync.Map; m.Store(1, 2); each := m.Range; each(func(k, v any) bool { fmt.Println(k, v); return true })`, "true false\n1 2\n"},
		"ticker":        {`k := time.NewTicker(time.Millisecond); n := 0; for range k.C { n++; if n == 3 { break } }; k.Reset(2 * time.Millisecond); <-k.C; k.Stop(); fmt.Println(n)`, "3\n"},
		"tick": {
			`n := 0; for range time.Tick(time.Millisecond) { if n++; n == 3 { break } }; fmt.Println(n)`,
			"3\n",
		},
		"after func":   {`done := make(chan int); t := time.AfterFunc(time.Millisecond, func() { done <- 7 }); fmt.Println(<-done, t.Stop())`, "7 false\n"},
		"stopped func": {`t := time.AfterFunc(time.Hour, func() { panic("no") }); fmt.Println(t.Stop())`, "true\n"},
		"timer struct": {`type job struct { t *time.Timer }; j := job{time.NewTimer(time.Millisecond)}; <-j.t.C; j.t.Reset(time.Millisecond); <-j.t.C; fmt.Println("ok")`, "ok\n"},
		"select":       {`ch := make(chan int); select { case <-ch: case <-time.After(time.Millisecond): fmt.Println("late") }`, "late\n"},
		"in order":     {`var mu sync.Mutex; var got []int; var wg sync.WaitGroup; for i := range 5 { wg.Go(func() { time.Sleep(time.Duration(20-4*i) * time.Millisecond); mu.Lock(); got = append(got, i); mu.Unlock() }) }; wg.Wait(); fmt.Println(len(got))`, "5\n"},
		"context":      {`ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond); defer cancel(); <-ctx.Done(); fmt.Println(ctx.Err())`, "context deadline exceeded\n"},
		"busy":         {`end := time.After(time.Millisecond); n := 0; loop: for { select { case <-end: break loop; default: n++ } }; fmt.Println(n >= 0)`, "true\n"},
	}
	for name, c := range cells {
		t.Run(name, func(t *testing.T) {
			if got := printed(t, make, 1, c[0]); got != c[1] {
				t.Errorf("got %q, want %q", got, c[1])
			}
		})
	}
}
