package main

import (
	"fmt"
	"strings"
	"time"
)

func main() {
	text := strings.Repeat("the quick brown fox jumps over the lazy dog again and again\n", 850000)
	began := time.Now()
	counts := map[string]int{}
	for _, w := range strings.Fields(text) {
		counts[w]++
	}
	fmt.Println("took", time.Since(began).Seconds())
	fmt.Println(len(counts), counts["again"])
}
