package main

import (
	"fmt"
	"time"
)

func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

func main() {
	began := time.Now()
	n := fib(27)
	fmt.Println("took", time.Since(began).Seconds())
	fmt.Println(n)
}
