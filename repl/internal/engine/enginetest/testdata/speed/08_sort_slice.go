package main

import (
	"fmt"
	"sort"
	"time"
)

func main() {
	xs := make([]int, 100000)
	x := 12345
	for i := range xs {
		x = (x*1103515245 + 12345) & 0x7fffffff
		xs[i] = x
	}
	began := time.Now()
	sort.Slice(xs, func(i, j int) bool { return xs[i] < xs[j] })
	fmt.Println("took", time.Since(began).Seconds())
	fmt.Println(xs[0], xs[50000])
}
