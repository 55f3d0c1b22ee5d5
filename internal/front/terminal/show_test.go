package terminal_test

import (
	"bytes"
	"iter"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/front/terminal"
	"github.com/gorlm/rlm/internal/front/terminal/screen"
	"github.com/gorlm/rlm/runner/trajectory"
)

func recorded(data ...trajectory.Data) iter.Seq2[trajectory.Event, error] {
	return func(yield func(trajectory.Event, error) bool) {
		for i, d := range data {
			if !yield(trajectory.Event{Seq: int64(i + 1), Data: d}, nil) {
				return
			}
		}
	}
}

// The state of an unfinished run is printed below it.
func TestShowSaysWhatBecameOfARun(t *testing.T) {
	cell := []trajectory.Data{
		trajectory.CellStarted{Cell: 1, Source: "1 + 1", Own: true},
		trajectory.CellEnded{Cell: 1, OK: true, Result: []byte(`{"cell": 1, "value": "2"}`)},
	}
	started := trajectory.RunStarted{Run: "0v4xpn8ecs", Question: "how many?"}
	for name, tt := range map[string]struct {
		data      []trajectory.Data
		status    string
		want, not string
	}{
		"nothing":   {nil, trajectory.StatusClosed, "nothing is recorded", "continues it"},
		"own cells": {cell, trajectory.StatusClosed, "= 2", "nothing is recorded"},
		"running": {
			[]trajectory.Data{started},
			trajectory.StatusRunning, "running: a process is working on it",
			"rlm resume",
		},
		"interrupted": {
			[]trajectory.Data{started},
			trajectory.StatusInterrupted,
			"interrupted ('rlm resume 0v4xpn8ecs' continues it)", "running",
		},
		"ended": {
			[]trajectory.Data{started, trajectory.RunEnded{Status: "completed", HasAnswer: true, Answer: "two"}},
			trajectory.StatusInterrupted,
			"\nAnswer\ntwo\n── completed", "continues it",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			state := func() (trajectory.Summary, error) {
				return trajectory.Summary{ID: "0v4xpn8ecs", Status: tt.status}, nil
			}
			require.NoError(t, terminal.Show(screen.NewOutput(&out), recorded(tt.data...), false, state))
			require.Contains(t, out.String(), tt.want)
			require.NotContains(t, out.String(), tt.not)
		})
	}
}
