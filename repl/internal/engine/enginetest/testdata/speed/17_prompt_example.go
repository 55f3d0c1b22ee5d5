package main

import (
	"fmt"
	"strings"
	"time"
)

func main() {
	text := strings.Repeat("2024-01-02 user17 login ok from 10.0.0.1\n2024-01-02 user42 error timeout after 30s\n", 280000)
	began := time.Now()
	counts := map[string]int{}
	for line := range strings.Lines(text) {
		if f := strings.Fields(line); len(f) > 2 {
			counts[f[1]+" "+f[2]]++
		}
	}
	fmt.Println("took", time.Since(began).Seconds())
	fmt.Println(len(counts), counts["user42 error"])
}
