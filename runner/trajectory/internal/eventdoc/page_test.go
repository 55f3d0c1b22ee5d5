package main

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner/trajectory"
)

func TestPageIsCurrent(t *testing.T) {
	want, err := page("../..")
	require.NoError(t, err)
	got, err := os.ReadFile("../../events.md")
	require.NoError(t, err)
	require.Equal(t, string(want), string(got),
		"events.md is not what the types say: run go generate ./runner/trajectory")
}

func TestPageSaysWhatEveryEventAndFieldMeans(t *testing.T) {
	payloads, err := parse("../..")
	require.NoError(t, err)
	for _, p := range payloads {
		require.NotEmpty(t, p.doc, p.name)
		for _, f := range p.fields {
			require.NotEmpty(t, f.name, "%s has a field without a name in JSON", p.name)
			require.NotEmpty(t, f.meaning, "%s.%s has no comment", p.name, f.name)
		}
	}
}

// TestEveryEventIsKnownToReaders makes sure that a new type is not read back as an unknown one.
func TestEveryEventIsKnownToReaders(t *testing.T) {
	payloads, err := parse("../..")
	require.NoError(t, err)
	n := 0
	for _, p := range payloads {
		if p.event == "" {
			continue
		}
		n++
		var e trajectory.Event
		require.NoError(t, e.UnmarshalJSON([]byte(`{"seq":1,"type":"`+p.event+`","data":{}}`)))
		_, unknown := e.Data.(trajectory.Unknown)
		require.False(t, unknown, "%s is missing among the types that a reader knows", p.event)
		require.Equal(t, p.event, e.Data.EventType())
		require.Equal(t, trajectory.Transient(e.Data), strings.HasSuffix(p.doc, "Transient."), p.event)
	}
	require.Greater(t, n, 15)
}
