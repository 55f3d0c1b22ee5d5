package observation_test

import (
	"fmt"

	"github.com/gorlm/rlm/internal/observation"
)

// What a model sees of a turn: each cell's output, or why it failed.
func ExampleObservation() {
	fmt.Print(observation.Observation{Cells: []observation.Cell{
		{Number: 1, Output: "3 lines\n", Changed: []observation.Var{{Name: "n", Type: "int"}}},
		{Number: 2, ErrorKind: "CompileError", Error: "cell 2, line 1: undefined: x"},
	}})
	// Output:
	// [cell 1] ok
	// 3 lines
	// variables: n int
	// [cell 2] CompileError
	// cell 2, line 1: undefined: x
}
