package main

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

type rec struct {
	ID, Score int
	Name      string
}

func main() {
	recs := make([]rec, 500_000)
	x := 12345
	for i := range recs {
		x = (x*1103515245 + 12345) & 0x7fffffff
		recs[i] = rec{ID: i, Score: x % 1000003, Name: "n"}
	}
	began := time.Now()
	slices.SortFunc(recs, func(a, b rec) int { return cmp.Compare(a.Score, b.Score) })
	fmt.Println("took", time.Since(began).Seconds())
	fmt.Println(recs[0].Score, recs[250000].Score)
}
