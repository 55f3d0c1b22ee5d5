package engine_test

import (
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
// SPEED=name measures only programs of that name, SPEED_RUNS=3 takes the best of three runs.
func BenchmarkSpeed(b *testing.B) {
	enginetest.Speed(b, map[string]enginetest.Maker{
		"yaegi": func(h engine.Host) (engine.Engine, error) { return yaegi.New(h) },
		"exact": func(h engine.Host) (engine.Engine, error) { return exact.New(h) },
	}, []string{"yaegi", "exact"})
}
