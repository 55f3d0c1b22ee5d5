package main

import (
	"fmt"
	"time"
)

func main() {
	began := time.Now()
	var xs []int
	for i := 0; i < 1_000_000; i++ {
		xs = append(xs, i*2)
	}
	s := 0
	for _, x := range xs {
		s += x
	}
	fmt.Println("took", time.Since(began).Seconds())
	fmt.Println(s)
}
