package repl_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/repl"
)

func TestMembers(t *testing.T) {
	nb, err := repl.New(repl.Config{Context: "text", Docs: []repl.Doc{{Name: "a", Text: "text"}}})
	require.NoError(t, err)
	cell := 0
	run := func(source string) {
		cell++
		res := nb.Run(context.Background(), source, repl.RunOptions{Cell: cell})
		require.Nil(t, res.Error, "%+v", res.Error)
	}
	run(`type Base struct { ID int }
func (b Base) Key() string { return "" }
type Thing struct { Base; Name string; size int; tags map[string][]Base }
func (t *Thing) Grow() {}
func (t Thing) Len() int { return t.size }
ts := []Thing{{Name: "a"}}
p := &ts[0]
byName := map[string]*Thing{}
make_one := func() Thing { return Thing{} }
when := time.Now()
var r io.Reader = strings.NewReader("")
n := 3
ran := 0`)
	thing := []string{"Base", "Grow", "ID", "Key", "Len", "Name", "size", "tags"}
	for operand, want := range map[string][]string{
		"ts[0]":                      thing,
		"ts[n+1]":                    thing,
		"p":                          thing,
		"byName[\"a\"]":              thing,
		"make_one()":                 thing,
		"ts[0].Base":                 {"ID", "Key"},
		"ts[0].tags[\"x\"][0]":       {"ID", "Key"},
		"Thing{}":                    thing,
		"docs[0]":                    {"Kind", "Name", "Notes", "Pages", "Parts", "Text"},
		"r":                          {"Read"},
		"n":                          {},
		"ts":                         {},
		"nothing":                    nil,
		"ts[0].nothing":              nil,
		"ts[":                        nil,
		"panic(\"never run\")":       nil,
		"func() int { ran++ }()":     nil,
		"strings.Fields(context)[0]": {},
	} {
		got := nb.Members(operand)
		require.Len(t, got, len(want), "%s: %v", operand, got)
		if len(want) > 0 {
			require.Equal(t, want, got, operand)
		}
	}
	require.Contains(t, nb.Members("strings"), "Contains")
	require.NotContains(t, nb.Members("strings"), "indexFunc")
	require.Contains(t, nb.Members("when"), "Unix")
	require.NotContains(t, nb.Members("when"), "wall")
	require.Contains(t, nb.Members("regexp.MustCompile(`x`)"), "FindAllString")
	require.Contains(t, nb.Members(""), "strings")

	// A variable hides the package of the same name. New values of a redeclared type have its new members, older
	// values the old ones.
	run(`strings := p`)
	require.Contains(t, nb.Members("strings"), "Grow")
	run(`type Thing struct { Other bool }
t2 := Thing{}`)
	require.Equal(t, []string{"Other"}, nb.Members("t2"))
	require.Contains(t, nb.Members("ts[0]"), "Name")
}
