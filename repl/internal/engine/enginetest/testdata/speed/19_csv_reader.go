package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

func main() {
	text := strings.Repeat("north,17,2.5,a\nsouth,4,1.25,b\neast,9,3,c\nwest,1,0.5,d\n", 250000)
	began := time.Now()
	sums := map[string]float64{}
	r := csv.NewReader(strings.NewReader(text))
	for {
		row, err := r.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			panic(err)
		}
		v, err := strconv.ParseFloat(row[2], 64)
		if err != nil {
			panic(err)
		}
		sums[row[0]] += v
	}
	fmt.Println("took", time.Since(began).Seconds())
	fmt.Println(len(sums), int(sums["north"]))
}
