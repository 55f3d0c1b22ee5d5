package wire

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/builtins"
	"github.com/gorlm/rlm/repl"
)

func TestShort(t *testing.T) {
	require.Equal(t, "abcdef", Short("abcdef", 6))
	require.Equal(t, "ab …", Short("abcdefg", 6))
	require.Equal(t, "a …", Short("aéééé", 6), "no half of a character")
	require.Len(t, Short(strings.Repeat("a", 100), 50), 50)
}

// cutText returns a text of n+1 bytes, and its shortened form.
func cutText(n int) (long, short string) {
	long = strings.Repeat("x", n+1)
	return long, Short(long, n)
}

func TestAResultIsCutToSize(t *testing.T) {
	value, cutValue := cutText(maxValue)
	text, cutMessage := cutText(maxText)
	note, cutNote := cutText(maxNote)
	name, cutName := cutText(MaxName)
	got := TrimResult(repl.Result{
		Value: value, Error: &repl.CellError{Message: text, Line: -1, Column: -2},
		Notes: strings.Split(strings.Repeat(note+" ", 70)[:70*(maxNote+2)-1], " "), Called: []string{name, "f"},
		Changed: make([]repl.Var, maxVars+3),
	})
	require.Equal(t, cutValue, got.Value)
	require.Equal(t, repl.CellError{Message: cutMessage}, *got.Error)
	require.Equal(t, []string{cutName, "f"}, got.Called)
	require.Len(t, got.Changed, len(TrimVars(make([]repl.Var, maxVars+3))))
	require.Len(t, got.Notes, maxNotes)
	require.Equal(t, cutNote, got.Notes[maxNotes-2])
	require.Equal(t, fmt.Sprintf("%d more variables changed", maxVars+3-len(got.Changed)), got.Notes[maxNotes-1])

	small := repl.Result{
		Value: "v", Error: &repl.CellError{Message: "m", Line: 3, Column: 4},
		Changed: []repl.Var{{Name: "a"}},
	}
	want := small
	wantError := *small.Error
	want.Error = &wantError
	require.Equal(t, want, TrimResult(small))
	called := TrimResult(repl.Result{Called: make([]string, 300)}).Called
	require.Len(t, called, maxCalled)
}

func TestVariablesAreCutToSize(t *testing.T) {
	name, cutName := cutText(MaxName)
	detail, cutDetail := cutText(maxDetail)
	got := TrimVars([]repl.Var{{Name: name, Type: detail, Size: name, Preview: detail, Digest: name, Cell: 3}})
	require.Equal(t, []repl.Var{
		{Name: cutName, Type: cutDetail, Size: cutName, Preview: cutDetail, Digest: cutName, Cell: 3},
	}, got)
	require.Len(t, TrimVars(make([]repl.Var, 4000)), 4000)

	// Of 1000 variables with a preview of four kilobytes, as many are kept as fit, even if every character is
	// escaped.
	for _, c := range []string{"x", "\x01", "é"} {
		vars := make([]repl.Var, 1000)
		for i := range vars {
			vars[i] = repl.Var{Name: "a", Preview: strings.Repeat(c, maxDetail/len(c))}
		}
		one, err := json.Marshal(vars[0])
		require.NoError(t, err)
		require.Len(t, TrimVars(vars), varsRoom/len(one), c)
	}
	empty, err := json.Marshal(repl.Var{})
	require.NoError(t, err)
	full := repeated(repl.Var{Preview: strings.Repeat("x", maxDetail-len(empty))}, varsRoom/maxDetail+1)
	require.Len(t, TrimVars(full), varsRoom/maxDetail, "to the last byte")
	// Whichever text is long and escaped, the trimmed variables fit.
	for _, v := range []repl.Var{
		{Name: strings.Repeat("\x01", MaxName)},
		{Type: strings.Repeat("\x01", maxDetail)},
		{Size: strings.Repeat("\x01", MaxName)},
		{Digest: strings.Repeat("\x01", MaxName)},
		{Preview: strings.Repeat("\x01", maxDetail)},
	} {
		one, err := json.Marshal(v)
		require.NoError(t, err)
		require.Len(t, TrimVars(repeated(v, 1000)), varsRoom/len(one))
	}
	// These are many short variables.
	each := 6*2 + 100
	require.Len(t, TrimVars(repeated(repl.Var{Name: "a", Type: "t"}, varsRoom/each)), varsRoom/each)
	require.Len(t, TrimVars(repeated(repl.Var{Name: "\x01", Type: "\x01"}, varsRoom/each+1)), varsRoom/each+1)
}

func repeated(v repl.Var, n int) []repl.Var {
	vars := make([]repl.Var, n)
	for i := range vars {
		vars[i] = v
	}
	return vars
}

// The source that a stopped cell would still have to write is kept whole or not at all.
func TestWhatAStoppedCellLeftIsCutToSize(t *testing.T) {
	name, cutName := cutText(MaxName)
	names := make([]string, maxNotes+1)
	names[0] = name
	for _, c := range []string{"x", `"`} { // a quote is escaped in a log
		fits := strings.Repeat(c, keptRoom/Quoted(c))
		got := TrimKept(repl.Kept{Source: fits, Unwritten: names})
		require.Equal(t, fits, got.Source)
		require.Len(t, got.Unwritten, maxNotes)
		require.Equal(t, cutName, got.Unwritten[0])
		require.Empty(t, TrimKept(repl.Kept{Source: fits + c}).Source)
	}
}

func TestMembersAreCutToSize(t *testing.T) {
	require.Equal(t, []string{"a", "b"}, TrimMembers([]string{"a", "b"}))
	names := strings.Split(strings.Repeat("name ", MaxMembers), " ")
	require.Len(t, TrimMembers(names), MaxMembers/2/8)
	encoded, err := json.Marshal(TrimMembers(names))
	require.NoError(t, err)
	require.Less(t, len(encoded), MaxMembers)
}

func TestAssistanceIsCutToSize(t *testing.T) {
	name, cutName := cutText(MaxName)
	doc, cutDoc := cutText(maxDoc)
	note, cutNote := cutText(maxNote)
	text, cutMessage := cutText(maxText)
	a := AssistMeta{
		Completion: repl.Completion{Prefix: name, Items: make([]repl.Suggestion, maxItems+1)},
		Called: &repl.Signature{
			Name: name, Result: name, Doc: doc, Parameters: make([]string, maxParams+1), Active: -1,
		},
		Wrong:   &repl.CellError{Message: text, Line: -1, Column: -1},
		Finding: builtins.Finding{Found: make([]builtins.SearchHit, maxFound+1), Next: -1},
		Failed:  note,
	}
	a.Completion.Items[0] = repl.Suggestion{Name: name, Kind: name, Detail: name, Doc: doc}
	a.Called.Parameters[0] = name
	a.Finding.Found[0] = builtins.SearchHit{Text: note, Offset: -1, Length: -1}
	TrimAssist(&a)
	require.Equal(t, cutName, a.Completion.Prefix)
	require.Len(t, a.Completion.Items, maxItems)
	require.Equal(t, repl.Suggestion{Name: cutName, Kind: cutName, Detail: cutName, Doc: cutDoc}, a.Completion.Items[0])
	require.Len(t, a.Called.Parameters, maxParams)
	a.Called.Parameters = a.Called.Parameters[:1]
	require.Equal(t, repl.Signature{Name: cutName, Result: cutName, Doc: cutDoc, Parameters: []string{cutName}},
		*a.Called)
	require.Equal(t, repl.CellError{Message: cutMessage}, *a.Wrong)
	require.Len(t, a.Finding.Found, maxFound)
	require.Equal(t, builtins.SearchHit{Text: cutNote}, a.Finding.Found[0])
	require.Zero(t, a.Finding.Next)
	require.Equal(t, cutNote, a.Failed)

	small := AssistMeta{
		Called:  &repl.Signature{Active: 2},
		Wrong:   &repl.CellError{Line: 3, Column: 4},
		Finding: builtins.Finding{Found: []builtins.SearchHit{{Offset: 5, Length: 6}}, Next: 7},
	}
	TrimAssist(&small)
	require.Equal(t, 2, small.Called.Active)
	require.Equal(t, repl.CellError{Line: 3, Column: 4}, *small.Wrong)
	require.Equal(t, builtins.Finding{Found: []builtins.SearchHit{{Offset: 5, Length: 6}}, Next: 7}, small.Finding)
	TrimAssist(&AssistMeta{})
	require.True(t, utf8.ValidString(cutNote))
}

// Quoted equals a text's size in JSON, except that it counts U+2028 with half its size.
func TestQuotedIsWhatALogTakes(t *testing.T) {
	for _, text := range []string{
		"", "plain", "\x00\x01\x1f", "a\n\r\tb", `"\`, "<a href=\"x\">&</a>", "\xff\xfe",
		"é\u2028", strings.Repeat("\x1b", 1000),
	} {
		encoded, err := json.Marshal(text)
		require.NoError(t, err)
		if !strings.Contains(text, "\u2028") { // three bytes of text, but six of JSON
			require.Equal(t, len(encoded)-2, Quoted(text), "%q", text)
		}
		require.LessOrEqual(t, len(encoded)-2, 2*Quoted(text))
	}
}
