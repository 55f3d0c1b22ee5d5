package main

import (
	"fmt"
	"strings"
	"time"
)

func main() {
	text := strings.Repeat("the quick brown fox jumps over the lazy dog again and again\n", 850000)
	began := time.Now()
	n, longest := 0, 0
	for _, line := range strings.Split(text, "\n") {
		if strings.Contains(line, "fox") {
			n++
		}
		longest = max(longest, len(line))
	}
	fmt.Println("took", time.Since(began).Seconds())
	fmt.Println(n, longest)
}
