// Command rlm answers questions over contexts far larger than a model's window.
package main

import (
	"context"
	"os"

	"github.com/gorlm/rlm/internal/leastheap"
)

func main() {
	leastheap.Keep()
	os.Exit(execute(context.Background(), os.Args[1:]))
}
