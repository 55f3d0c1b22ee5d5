package main

import (
	"fmt"
	"time"
)

func main() {
	began := time.Now()
	m := map[int]int{}
	for i := 0; i < 1_000_000; i++ {
		m[i%1000] += i
	}
	fmt.Println("took", time.Since(began).Seconds())
	fmt.Println(len(m), m[7])
}
