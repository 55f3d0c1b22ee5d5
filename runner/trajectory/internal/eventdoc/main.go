// Command eventdoc writes events.md, the page that lists the types of events, from their Go types. go generate
// runs it in the folder of package trajectory.
package main

import (
	"fmt"
	"os"
)

func main() {
	page, err := page(".")
	if err == nil {
		err = os.WriteFile("events.md", page, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "eventdoc:", err)
		os.Exit(1)
	}
}
