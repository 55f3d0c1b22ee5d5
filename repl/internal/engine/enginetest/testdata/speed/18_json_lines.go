package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

type rec struct {
	User  string   `json:"user"`
	Score float64  `json:"score"`
	Tags  []string `json:"tags"`
}

func main() {
	text := strings.Repeat("{\"user\":\"ann\",\"score\":1.5,\"tags\":[\"a\",\"b\"]}\n{\"user\":\"bob\",\"score\":2,\"tags\":[]}\n", 100000)
	began := time.Now()
	totals := map[string]float64{}
	for line := range strings.Lines(text) {
		var r rec
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			panic(err)
		}
		totals[r.User] += r.Score + float64(len(r.Tags))
	}
	fmt.Println("took", time.Since(began).Seconds())
	fmt.Println(int(totals["ann"]), int(totals["bob"]))
}
