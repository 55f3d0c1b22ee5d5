package grounding_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gorlm/rlm/internal/grounding"
)

// TestAYesIsNotTheOppositeOfWhatWasSeen: a yes or no rests on no output that gives what was asked the opposite truth
// value. An output that has both, or is about something else, supports either.
func TestAYesIsNotTheOppositeOfWhatWasSeen(t *testing.T) {
	const job, hosts = "job: export\njob succeeded: false\ntook: 42 s", "host=a1 failed=false\nhost=a2 failed=true"
	judge(t, []expect{
		{"Did the job succeed?", job, "Yes", grounding.Not},
		{"Did the job succeed?", job, "No", grounding.Grounded},
		{"Did the job not succeed?", job, "Yes", grounding.Grounded},
		{"Is TLS enabled?", "tls_enabled=true\nport=8443", "No, TLS is not enabled.", grounding.Not},
		{"Is TLS enabled?", "tls_enabled=false\nport=8443", "No, TLS is not enabled.", grounding.Grounded},
		{"Is TLS disabled?", "tls enabled: false", "Yes", grounding.Grounded},
		{"Did any host fail?", hosts, "Yes", grounding.Grounded},
		{"Did host a1 fail?", hosts, "Yes", grounding.Not},
		{"Did host a2 fail?", hosts, "Yes", grounding.Grounded},
		{"Return as JSON.", job, `{"succeeded": true}`, grounding.Not},
		{"Return as JSON.", job, `{"succeeded": false}`, grounding.Grounded},
	})
	run := shownAnd("Does the contract mention a warranty?", "false", "Yes")
	for code, want := range map[string]grounding.Verdict{
		`fmt.Println(strings.Contains(context, "warranty"))`:     grounding.Not,
		`fmt.Println(!strings.Contains(context, "warranty"))`:    grounding.Grounded,
		`fmt.Println(strings.Contains(context, "no guarantee"))`: grounding.Grounded,
	} {
		run.Turns[0].Cells[0].Code = code
		assert.Equal(t, want, grounding.Trace(run).Verdict, code)
	}
	cell := &run.Turns[0].Cells[0]
	cell.Code, cell.Output = `for _, p := range chunks { reply(p) }`, ""
	for k, replies := range [][]string{{"No.", "No, it does not."}, {"No.", "Yes, in section 4."}} {
		cell.Calls = nil
		for n, reply := range replies {
			prompt := fmt.Sprintf("Does this part of the contract mention a warranty?\n%d. The seller delivers.", n)
			cell.Calls = append(cell.Calls, grounding.Call{Number: n + 1, Prompt: prompt, Reply: reply})
		}
		want := []grounding.Verdict{grounding.Not, grounding.Grounded}[k]
		assert.Equal(t, want, grounding.Trace(run).Verdict, "%q", replies)
	}
}
