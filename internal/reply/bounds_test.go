package reply

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Nothing is read after a fence that is nested beyond the limit, because its contents may look like cells.
func TestAFenceThatIsNestedTooDeepEndsTheReading(t *testing.T) {
	in := strings.Repeat(" ", 66)
	cell := in + "```go\n" + in + "FINAL(1)\n" + in + "```\n"
	for name, nested := range map[string]string{
		"a cell in lists":      strings.Repeat("- ", 33) + "```go\n" + in + "FINAL(1)\n" + in + "```\n",
		"a cell in quotations": strings.ReplaceAll("Q```go\nQFINAL(1)\nQ```\n", "Q", strings.Repeat("> ", 33)),
		"an example of a cell": strings.Repeat("- ", 33) + "~~~\n" + cell + in + "~~~\n",
		"mixed":                strings.Repeat("1. >", 17) + "```\nx := f()\n```\n",
	} {
		r := Parse("```go\nx := 1\n```\n"+nested+"\n\n```go\ny := 1\n```\nFINAL(2)\n", DefaultNames(), false)
		require.Equal(t, []Cell{{Source: "x := 1\n", Lang: "go", Line: 2}}, r.Cells, name)
		require.Equal(t, []SkippedBlock{{Line: 4, Code: true, Reason: tooDeep}}, r.Skipped, name)
		require.Empty(t, r.Signals, name)
	}
}

func TestNestingUpToTheBoundIsRead(t *testing.T) {
	for _, marker := range []string{"- ", "> ", "* > "} {
		n := 32 / strings.Count(marker, " ")
		in := strings.Repeat(strings.NewReplacer("-", " ", "*", " ").Replace(marker), n)
		r := Parse(strings.Repeat(marker, n)+"```go\n"+in+"x := 1\n"+in+"```\n", DefaultNames(), false)
		require.Equal(t, []Cell{{Source: "x := 1\n", Lang: "go", Line: 2}}, r.Cells, marker)
		require.Empty(t, r.Skipped, marker)
	}
}

// Lines of many marks without a fence are text: rules, drawings.
func TestManyMarksOnALineAreText(t *testing.T) {
	for _, line := range []string{
		strings.Repeat("- ", 40), strings.Repeat("- ", 2*maxMarkers), strings.Repeat(">", 40) + " x",
		strings.Repeat("* + ", 20) + "x", strings.Repeat("\t", 40) + "- x",
	} {
		r := Parse("Look:\n\n"+line+"\n\n```go\nx := 1\n```\n\nFINAL(2)\n", DefaultNames(), false)
		require.Equal(t, []Cell{{Source: "x := 1\n", Lang: "go", Line: 6}}, r.Cells, line)
		require.Empty(t, r.Skipped, line)
		require.Len(t, r.Signals, 1, line)
		require.Contains(t, r.Prose, line)
	}
}

func TestTooManyMarkersEndTheReading(t *testing.T) {
	for marker, count := range map[string]int{"- a\n": 1, "> a\n": 1, "1. a\n": 1, "- - > a\n": 3} {
		n := maxMarkers / count
		within := strings.Repeat(marker, n)
		cell := "\n```go\nx := 1\n```\n"
		r := Parse(within+cell, DefaultNames(), false)
		require.Len(t, r.Cells, 1, marker)
		require.Empty(t, r.Skipped, marker)

		r = Parse(cell+within+marker+cell+"FINAL(1)\n", DefaultNames(), false)
		require.Equal(t, []Cell{{Source: "x := 1\n", Lang: "go", Line: 3}}, r.Cells, marker)
		require.Equal(t, []SkippedBlock{{Line: n + 5, Code: true, Reason: tooMany}}, r.Skipped, marker)
		require.Empty(t, r.Signals, marker)
		require.NotContains(t, r.Prose, "x := 1", marker)
	}
}

// A cell still open where reading stops is incomplete, whatever the rest of the reply.
func TestACellThatGoesOnBeyondWhatIsReadDoesNotRun(t *testing.T) {
	long := strings.Repeat("- a\n", maxMarkers+1)
	for _, cut := range []bool{false, true} {
		r := Parse("```go\nx := f()\n/*\n"+long+"*/\n```\n", DefaultNames(), cut)
		require.Empty(t, r.Cells)
		require.Len(t, r.Skipped, 2)
		require.Contains(t, r.Skipped[0].Reason, "this cell goes on beyond what is read of the reply")
		require.Equal(t, SkippedBlock{Line: 4 + maxMarkers, Code: true, Reason: tooMany}, r.Skipped[1])

		r = Parse("```\nx := f()\n/*\n"+long+"*/\n```\n", DefaultNames(), cut)
		require.Empty(t, r.Cells)
		require.Len(t, r.Skipped, 2)
	}
}

// Text after many empty lines or much white space is kept unchanged.
func TestTextBeyondTheBoundsIsKept(t *testing.T) {
	body := "x := `a" + strings.Repeat("\n", 100) + "b`\n" + strings.Repeat("\t", 100) + "y()\n" +
		strings.Repeat("> ", 100) + "\n"
	for _, fence := range []string{"```", "~~~~"} {
		r := Parse(fence+"go\n"+body+fence+"\n", DefaultNames(), false)
		require.Equal(t, []Cell{{Source: body, Lang: "go", Line: 2}}, r.Cells)
	}
	gap := strings.Repeat("\n", 2*maxBlank)
	r := Parse("a"+gap+"```go\nx := 1"+gap+"y := 1\n```\n", DefaultNames(), false)
	require.Equal(t, []Cell{{Source: "x := 1" + gap + "y := 1\n", Lang: "go", Line: 2*maxBlank + 2}}, r.Cells)
	r = Parse("- ```go\n  x := 1"+gap[:maxBlank]+"  y := 1\n  ```\n", DefaultNames(), false)
	require.Equal(t, []Cell{{Source: "x := 1" + gap[:maxBlank] + "y := 1\n", Lang: "go", Line: 2}}, r.Cells)
}
