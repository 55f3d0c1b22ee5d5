package main

import (
	"fmt"
	"strings"
	"time"
)

func main() {
	text := strings.Repeat("the quick brown fox jumps over the lazy dog again and again\n", 85000)
	began := time.Now()
	n := 0
	for i := 0; i < len(text); i++ {
		if text[i] == 'o' || text[i] > 't' {
			n++
		}
	}
	fmt.Println("took", time.Since(began).Seconds())
	fmt.Println(n)
}
