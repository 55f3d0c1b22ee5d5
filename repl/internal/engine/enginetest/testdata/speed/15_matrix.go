package main

import (
	"fmt"
	"time"
)

func main() {
	n := 160
	a, b, c := make([][]float64, n), make([][]float64, n), make([][]float64, n)
	for i := range a {
		a[i], b[i], c[i] = make([]float64, n), make([]float64, n), make([]float64, n)
		for j := range a[i] {
			a[i][j], b[i][j] = float64(i+j), float64(i-j)
		}
	}
	began := time.Now()
	for i := 0; i < n; i++ {
		for j := 0; j < n; j++ {
			for k := 0; k < n; k++ {
				c[i][j] += a[i][k] * b[k][j]
			}
		}
	}
	fmt.Println("took", time.Since(began).Seconds())
	fmt.Println(int(c[3][5]), int(c[n-1][n-1]))
}
