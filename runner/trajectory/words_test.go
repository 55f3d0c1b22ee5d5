package trajectory_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner/trajectory"
)

func TestEvidenceNamesItsPlace(t *testing.T) {
	for _, c := range []struct {
		evidence      trajectory.Evidence
		place, remark string
	}{
		{trajectory.Evidence{Line: 3}, "context:3", ""},
		{trajectory.Evidence{Document: "a.txt", Line: 3, Occurrences: 1}, "a.txt:3", ""},
		{
			trajectory.Evidence{Document: "a.pdf", Part: "page 2", Line: 3, Gone: true},
			"a.pdf, page 2, line 3",
			" (no longer part of the context)",
		},
		{
			trajectory.Evidence{Document: "a.xlsx", Part: "sheet 2", Cells: "B5:D5", Occurrences: 2, Gone: true},
			"a.xlsx, sheet 2, B5:D5", " (the first of 2 places) (no longer part of the context)",
		},
	} {
		require.Equal(t, c.place, c.evidence.Place())
		require.Equal(t, c.remark, c.evidence.Remark())
	}
}

func TestAPlaceInARunIsSaidInWords(t *testing.T) {
	for text, place := range map[string]*trajectory.Place{
		"":                                nil,
		"the output of cell 2":            {Kind: "output", Cell: 2},
		"the value of cell 2, a.txt":      {Kind: "value", Cell: 2, Document: "a.txt"},
		"sum in cell 3":                   {Kind: "variable", Cell: 3, Variable: "sum"},
		"computed in cell 4":              {Kind: "computed", Cell: 4},
		"sub-call 5 of cell 4":            {Kind: "subcall", Cell: 4, Call: 5},
		"the first message":               {Kind: "shown"},
		"the answer's own list":           {Kind: "list"},
		"the question":                    {Kind: "question"},
		"the first message, a.md, line 1": {Kind: "shown", Document: "a.md", Line: 1},
	} {
		require.Equal(t, text, place.String())
	}
}

func TestValuesThatWereNotFoundAreSaid(t *testing.T) {
	values := func(names ...string) (out []trajectory.GroundedValue) {
		for _, name := range names {
			out = append(out, trajectory.GroundedValue{Value: strings.TrimPrefix(name, "+"), Grounded: name[0] == '+'})
		}
		return out
	}
	for text, g := range map[string]*trajectory.Grounding{
		"": nil,
		"nothing to trace: the answer has no name, number or quotation of its own": {Verdict: "untraced"},
		"not traced: 1 further value":                              {Untraced: 1, Values: values("+1")},
		"not found in this run: 2, 3":                              {Values: values("+1", "2", "3", "2")},
		"not found in this run: 2; not traced: 2 further values":   {Values: values("2"), Untraced: 2},
		"not found in this run: 1, 2, 3, 4, 5, 6, 7, 8":            {Values: values(strings.Split("12345678", "")...)},
		"not found in this run: 1, 2, 3, 4, 5, 6, 7, 8 and 1 more": {Values: values(strings.Split("123456789", "")...)},
		"not found in this run: " + strings.Repeat("x", 60) + "…":  {Values: values(strings.Repeat("x", 80))},
	} {
		require.Equal(t, text, g.NotFound())
	}
	require.Nil(t, (*trajectory.Grounding)(nil).Missing())
}

func TestHowAReplyEndedIsReadFromItsReason(t *testing.T) {
	blank := strings.Repeat(" ", 99)
	for _, c := range []struct {
		reason, content string
		want            trajectory.Ending
		partial, cut    bool
	}{
		{"stop", "x", trajectory.Whole, false, false},
		{"", "x", trajectory.Whole, false, false},
		{"length", "x", trajectory.Cut, true, true},
		{"length", blank, trajectory.ThoughtOnly, true, true},
		{"length", blank + " ", trajectory.Cut, true, true},
		{"content_filter", "x", trajectory.Filtered, true, false},
		{"refusal", "x", trajectory.Refused, true, false},
		{"tool_calls", "x", trajectory.CalledTool, true, false},
		{trajectory.ChildIncomplete, "x", trajectory.Incomplete, false, false},
		{"new", "x", trajectory.Unclear, false, false},
	} {
		reply := trajectory.ReplyReceived{FinishReason: c.reason, Content: trajectory.T(c.content)}
		call := trajectory.SubCallEnded{FinishReason: c.reason, Reply: trajectory.T(c.content)}
		require.Equal(t, c.want, reply.Ending(), c.reason)
		require.Equal(t, c.want, call.Ending(), c.reason)
		require.Equal(t, c.partial, reply.Ending().Partial(), c.reason)
		require.Equal(t, []bool{c.cut, c.cut}, []bool{reply.Cut(), call.Cut()}, c.reason)
	}
	failed := trajectory.SubCallEnded{Error: "e", FinishReason: "length", ErrorKind: "content_filter"}
	require.Equal(t, trajectory.Filtered, failed.Ending(), "a filter came instead of a reply")
	failed.ErrorKind = "quota"
	require.Equal(t, trajectory.Whole, failed.Ending(), "a failure says more than an ending")
}

func TestUsagesAddUp(t *testing.T) {
	cost := func(f float64) *float64 { return &f }
	a := trajectory.Usage{
		Prompt: 1, Completion: 2, Reasoning: 3, Cached: 4, CacheWritten: 5, CacheWrittenHour: 6, Wasted: 7,
		Cost: cost(0.5), CostFrom: "table",
	}
	sum := a
	sum.Prompt, sum.Completion, sum.Reasoning, sum.Cached, sum.CacheWritten = 2, 4, 6, 8, 10
	sum.CacheWrittenHour, sum.Wasted, sum.Cost = 12, 14, cost(1)
	require.Equal(t, sum, a.Plus(a))
	require.Equal(t, sum, trajectory.UsageOf(map[string]trajectory.Usage{"a": a, "b": a}))
	require.Equal(t, a, trajectory.Usage{}.Plus(a))
	require.EqualValues(t, 3, a.Tokens())

	from := a
	from.CostFrom = "endpoint"
	require.Equal(t, "endpoint and table", a.Plus(from).CostFrom)
	free := trajectory.Usage{Prompt: 1, Estimated: true}
	for _, sum := range []trajectory.Usage{a.Plus(free), free.Plus(a)} {
		require.Nil(t, sum.Cost, "an unknown cost is not nothing")
		require.Empty(t, sum.CostFrom)
		require.True(t, sum.Estimated)
	}

	for _, c := range []struct {
		data trajectory.Data
		ok   bool
	}{
		{trajectory.ReplyReceived{}, true},
		{trajectory.CallLost{}, true},
		{trajectory.SubCallEnded{}, false},
		{trajectory.SubCallEnded{Usage: free}, true},
		{trajectory.Warned{}, false},
	} {
		_, ok := trajectory.Event{Data: c.data}.Usage()
		require.Equal(t, c.ok, ok)
	}
}

func TestAnEventAsJSON(t *testing.T) {
	const at = `"time":"2030-01-01T00:00:00Z",`
	for line, want := range map[string]string{
		`{"seq":0,` + at + `"type":"later"}`:                  `{"seq":0,` + at + `"type":"later","data":{}}`,
		`{"seq":2,` + at + `"type":"warned"}`:                 `{"seq":2,` + at + `"type":"warned","data":{"about":"","text":""}}`,
		`{"seq":3,` + at + `"type":"checked","data":{"x":1}}`: `{"seq":3,` + at + `"type":"checked","data":{"x":1}}`,
		`{"type":"later",` + at + `"seq":1,"data":7}`:         `{"seq":1,` + at + `"type":"later","data":7}`,
		`{"seq":1,` + at + `"path":"1/2","turn":3,"type":"nudged","data":{"guard":"g","text":"","b":[1, 2],"a":0}}`://
		`{"seq":1,` + at + `"path":"1/2","turn":3,"type":"nudged","data":{"guard":"g","text":"","a":0,"b":[1,2]}}`,
	} {
		var e trajectory.Event
		require.NoError(t, json.Unmarshal([]byte(line), &e))
		b, err := json.Marshal(e)
		require.NoError(t, err)
		require.Equal(t, want, string(b))
	}
	for _, line := range []string{
		`{"seq":-1,` + at + `"type":"later","data":{}}`,
		`{"seq":1,` + at + `"type":"","data":{}}`,
		`{"seq":1,` + at + `"data":{}}`,
	} {
		require.ErrorContains(t, json.Unmarshal([]byte(line), new(trajectory.Event)), "not an event", line)
	}
	_, err := json.Marshal(trajectory.Event{Seq: 4})
	require.ErrorContains(t, err, "event 4 has no data")
}
