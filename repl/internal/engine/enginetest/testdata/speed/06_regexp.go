package main

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

func main() {
	text := strings.Repeat("the quick brown fox jumps over the lazy dog 2024-01-02 and again\n", 400000)
	began := time.Now()
	n := len(regexp.MustCompile(`\d{4}-\d{2}-\d{2}`).FindAllString(text, -1))
	fmt.Println("took", time.Since(began).Seconds())
	fmt.Println(n)
}
