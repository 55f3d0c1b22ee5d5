package main

import (
	"encoding/xml"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/examples/incidents/corpus"
)

// The picture in the README shows the demo's answer.
func TestThePictureShowsTheAnswer(t *testing.T) {
	drawn, err := os.ReadFile("../../../docs/demo.svg")
	require.NoError(t, err)
	require.Less(t, len(drawn), 8<<10, "it is kept small")
	var svg struct {
		Text []struct {
			Class string `xml:"class,attr"`
			Line  string `xml:",chardata"`
		} `xml:"text"`
	}
	require.NoError(t, xml.Unmarshal(drawn, &svg))
	var answer strings.Builder
	notes := 0
	for _, text := range svg.Text {
		switch {
		case text.Class == "note" && strings.HasPrefix(text.Line, "[^"):
			notes++
		case text.Class == "answer" && strings.HasPrefix(text.Line, " "):
			answer.WriteString(strings.TrimPrefix(text.Line, " ")) // a line that continues the answer
		case text.Class == "answer":
			answer.WriteString("\n" + text.Line)
		}
	}
	require.Empty(t, corpus.Check(answer.String()))
	require.Equal(t, 5, notes)
}

func TestDraw(t *testing.T) {
	var out strings.Builder
	long := strings.Repeat("word ", 30)
	require.NoError(t, draw(strings.NewReader(
		"demo: left out\nquestion: which? And more.\n<b> 100 %\n[^1abc] "+long+"\n"), &out))
	require.NoError(t, xml.Unmarshal([]byte(out.String()), &struct{}{}))
	require.Contains(t, out.String(), "question: which? …")
	require.Contains(t, out.String(), "&lt;b&gt; 100 %</text>")
	require.NotContains(t, out.String(), "left out")
	require.Contains(t, out.String(), `class="note" x="16" y="112">  word`)
}
