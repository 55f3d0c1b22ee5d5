package broken

import "fmt"

// Print passes a text where its format wants a number.
func Print() { fmt.Printf("%d\n", "one") }
