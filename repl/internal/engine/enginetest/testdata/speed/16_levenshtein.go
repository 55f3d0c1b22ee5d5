package main

import (
	"fmt"
	"strings"
	"time"
)

func main() {
	a, b := strings.Repeat("kitten", 100), strings.Repeat("sitting thing", 42)
	began := time.Now()
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		d[i][0] = i
	}
	for j := range d[0] {
		d[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d[i][j] = min(d[i-1][j]+1, d[i][j-1]+1, d[i-1][j-1]+cost)
		}
	}
	fmt.Println("took", time.Since(began).Seconds())
	fmt.Println(d[len(a)][len(b)])
}
