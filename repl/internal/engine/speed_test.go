package engine_test

import (
	"os"
	"testing"

	"github.com/gorlm/rlm/repl/internal/engine"
	"github.com/gorlm/rlm/repl/internal/engine/enginetest"
	"github.com/gorlm/rlm/repl/internal/engine/exact"
	"github.com/gorlm/rlm/repl/internal/engine/yaegi"
)

// BenchmarkSpeed compares the engines with the compiler and with CPython in one run, and prints a table:
//
//	go test ./repl/internal/engine -run xxx -bench Speed -benchtime 1x -timeout 30m
//
// SPEED=name measures only programs of that name, SPEED_RUNS=3 takes the best of three runs, SPEED_ENGINE=exact
// omits yaegi, which takes most of the time.
func BenchmarkSpeed(b *testing.B) {
	makers, order := map[string]enginetest.Maker{}, []string{}
	for _, e := range engines {
		if only := os.Getenv("SPEED_ENGINE"); only == "" || only == e.name {
			makers[e.name], order = e.make, append(order, e.name)
		}
	}
	enginetest.Speed(b, makers, order)
}

// engines are the engines to compare.
var engines = []struct {
	name string
	make enginetest.Maker
}{
	{"yaegi", func(h engine.Host) (engine.Engine, error) { return yaegi.New(h) }},
	{"exact", func(h engine.Host) (engine.Engine, error) { return exact.New(h) }},
}
