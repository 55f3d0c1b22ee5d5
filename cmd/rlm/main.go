// Command rlm answers questions over contexts far larger than a model's window.
package main

import (
	"context"
	"os"
)

func main() {
	os.Exit(execute(context.Background(), os.Args[1:]))
}
