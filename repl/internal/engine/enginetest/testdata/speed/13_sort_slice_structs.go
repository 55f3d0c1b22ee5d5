package main

import (
	"fmt"
	"sort"
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
	sort.Slice(recs, func(i, j int) bool { return recs[i].Score < recs[j].Score })
	fmt.Println("took", time.Since(began).Seconds())
	fmt.Println(recs[0].Score, recs[250000].Score)
}
