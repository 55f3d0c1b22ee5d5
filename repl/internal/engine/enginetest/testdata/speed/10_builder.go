package main

import (
	"fmt"
	"strings"
	"time"
)

func main() {
	began := time.Now()
	var sb strings.Builder
	for i := 0; i < 1_000_000; i++ {
		sb.WriteString("ab")
		sb.WriteByte('c')
	}
	s := sb.String()
	fmt.Println("took", time.Since(began).Seconds())
	fmt.Println(len(s))
}
