package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner/trajectory"
)

// A batch is running as long as one of its jobs is, wherever that stands in the list.
func TestTheStatusOfABatch(t *testing.T) {
	for _, tt := range []struct{ jobs, want []string }{
		{[]string{"completed", "completed"}, []string{"completed"}},
		{[]string{"completed", "error"}, []string{"various"}},
		{[]string{"running", "completed", "error"}, []string{"running"}},
		{[]string{"completed", "error", "running", "completed"}, []string{"running"}},
	} {
		var list []trajectory.Summary
		for _, status := range tt.jobs {
			list = append(list, trajectory.Summary{Kind: trajectory.KindJob, Batch: "b", Status: status})
		}
		var got []string
		for _, s := range withBatches(list) {
			got = append(got, s.Status)
		}
		require.Equal(t, tt.want, got)
	}
}
