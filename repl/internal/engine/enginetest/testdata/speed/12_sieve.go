package main

import (
	"fmt"
	"time"
)

func main() {
	began := time.Now()
	n := 1_000_000
	composite := make([]bool, n+1)
	primes := 0
	for i := 2; i <= n; i++ {
		if composite[i] {
			continue
		}
		primes++
		for j := i * i; j <= n; j += i {
			composite[j] = true
		}
	}
	fmt.Println("took", time.Since(began).Seconds())
	fmt.Println(primes)
}
