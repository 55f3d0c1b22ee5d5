package main

import (
	"fmt"
	"sort"
	"time"
)

func main() {
	began := time.Now()
	xs := make([]int, 1000000)
	x := 12345
	for i := range xs {
		x = (x*1103515245 + 12345) & 0x7fffffff
		xs[i] = x
	}
	sort.Ints(xs)
	fmt.Println("took", time.Since(began).Seconds())
	fmt.Println(xs[0], xs[500000])
}
