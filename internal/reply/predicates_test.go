package reply

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestMarkersOfListsAndQuotations(t *testing.T) {
	for s, want := range map[string]int{
		"": 0, ">": 1, ">x": 1, "-": 1, "- x": 1, "-x": 0, "-\tx": 1, "-\nx": 1, "+ ": 1, "* ": 1, "0. ": 2, "9) ": 2,
		"/. ": 0, ":. ": 0,
		"123456789. ": 10, "1234567890. ": 0, "12": 0, "12x ": 0, "1.": 2, "1.x": 0, "1)\t": 2, "1)\n": 2, "1/ ": 0,
		"10. ": 3, "19) ": 3,
	} {
		require.Equal(t, want, markerWidth([]byte(s)), "%q", s)
	}
}

func TestIndentBeyondTheBound(t *testing.T) {
	for line, want := range map[string]int{
		strings.Repeat(" ", maxIndent) + "x": -1, strings.Repeat(" ", maxIndent+1) + "x": maxIndent,
		strings.Repeat(" ", maxIndent): -1,
		strings.Repeat("\t", 32) + "x": -1, strings.Repeat("\t", 33) + "x": 32,
		strings.Repeat(">", maxIndent+1): maxIndent, "x": -1, "": -1,
		"x" + strings.Repeat(" ", 200): -1,
	} {
		require.Equal(t, want, deepIndent([]byte(line)), "%q", line)
	}
}

func TestOnlyACopyIsBounded(t *testing.T) {
	gap := func(n int) string { return strings.Repeat("\n", n) }
	for src, want := range map[string]string{
		gap(maxBlank + 1):                        gap(maxBlank + 1),
		gap(maxBlank + 3):                        gap(maxBlank) + "  \n",
		gap(maxBlank+1) + "a\n\nb\n":             gap(maxBlank+1) + "a\n\nb\n",
		gap(maxBlank+1) + "a\n\n\nb":             gap(maxBlank+1) + "a\n \nb",
		strings.Repeat(" ", 300) + "\nx":         strings.Repeat(" ", 300) + "\nx",
		strings.Repeat("> ", 33) + "a\nb":        strings.Repeat("> ", 32) + "x a\nb",
		"a\n" + strings.Repeat("- ", 33) + "b":   "a\n" + strings.Repeat("- ", 32) + "x b",
		strings.Repeat(" ", maxIndent+2) + "- a": strings.Repeat(" ", maxIndent) + "x - a",
	} {
		bytes := []byte(src)
		out, unread := within(bytes)
		require.Equal(t, want, string(out))
		require.Empty(t, unread)
		require.Equal(t, src, string(bytes))
	}
}

func TestEnumerators(t *testing.T) {
	for _, c := range []struct {
		src             string
		start, i, bound int
		want            bool
	}{
		{"x a) y", 0, 3, 6, true},
		{"x 12) y", 0, 4, 7, true},
		{"x abc) y", 0, 5, 8, false},
		{" a) x", 1, 2, 5, false},
		{"a ) b", 0, 2, 5, false},
		{"x a) y", 0, 3, 4, false},
		{"x a)y", 0, 3, 5, false},
		{"xya) y", 0, 3, 6, false},
		{"x 0) y", 0, 3, 6, true},
		{"x 9) y", 0, 3, 6, true},
	} {
		require.Equal(t, c.want, isEnumerator([]byte(c.src), c.start, c.i, c.bound), "%q", c.src)
	}
}

func TestWhatCodeDoes(t *testing.T) {
	for src, want := range map[string]bool{
		"f(": true, "(x)": false, "x": false, "a func": true, "xfunc": false,
		"funcs": false, "func": true, "x := 1": true, "a (b": false, "": false,
	} {
		require.Equal(t, want, runs(src), "%q", src)
	}
	for src, want := range map[string]bool{
		"print(x)": true, "console.log(x)": true, "printx(x)": false,
		"for x in y:": true, "x = f(1)": true, "of": false, "a\nprint(x)\n": true,
	} {
		require.Equal(t, want, looksLikePython(src), "%q", src)
	}
	for line, opens := range map[string]bool{
		"```go": true, "``go": false, "go": false, "~~~ repl": true, "````go": true, "```go`": false, "~~go": false,
	} {
		_, ok := fenceTag(line)
		require.Equal(t, opens, ok, line)
	}
	require.Equal(t, "x", trim(" \tx\n "))
	for text, want := range map[string]bool{
		"two words": true, "it isn't": true, "word in' '": false, "x if y": false, "one": false,
	} {
		require.Equal(t, want, wordsSideBySide(text), text)
	}
	for c, want := range map[byte]bool{
		'0': true, '9': true, '/': false, ':': false, 'a': true, 'Z': true, '_': true,
		'@': false, '[': false, '`': false, '{': false,
	} {
		require.Equal(t, want, isWordByte(c), "%c", c)
	}
	require.Equal(t, `a\`, unquote(`a\`, quote{end: `"`}))
}

func TestShortNamesAreFound(t *testing.T) {
	require.Len(t, Parse("b(1)", Names{Signals: []string{"aaaaaa", "b"}}, false).Signals, 1)
	require.Len(t, Parse("a_b", Names{Signals: []string{"a_b"}}, false).Signals, 1)
}

func TestIdentifiersAreBounded(t *testing.T) {
	var names []string
	for i := range maxIdentifiers + 10 {
		names = append(names, "A"+strings.Repeat("a", i))
	}
	cells := "```go\n" + strings.Join(names[:maxIdentifiers-1], " ") + "\n```\n"
	require.Equal(t, maxIdentifiers-1, len(Parse(cells, DefaultNames(), false).Identifiers))
	require.Equal(t, maxIdentifiers,
		len(Parse(cells+cells+"```go\nB C\n```\n```go\nD\n```\n", DefaultNames(), false).Identifiers))
	require.Equal(t, maxIdentifiers,
		len(Parse(cells+"\nB := 1\nC := 2\n\nD := 1\n", DefaultNames(), false).Identifiers))
}

func TestLiteralsAreNestedUpToABound(t *testing.T) {
	for depth, want := range map[int]bool{maxLiteral + 1: true, maxLiteral + 2: false} {
		_, ok := readArguments(strings.Repeat("[", depth) + strings.Repeat("]", depth))
		require.Equal(t, want, ok)
		_, ok = readArguments(strings.Repeat(`{"a":`, depth-1) + "1" + strings.Repeat("}", depth-1))
		require.Equal(t, want, ok)
	}
}

// Code outside a block is found anywhere in a reply, unless it is longer than maxUnfenced.
func TestCodeOutsideOfABlockIsFoundAnywhere(t *testing.T) {
	block := func(n int) string { return repeat("x := f()\n", n-1) + ")" }
	for code, found := range map[string]bool{
		repeat("word ", 3*maxUnfenced) + "\n\nx := f()": true, repeat("x := f()\n", maxUnfenced): true,
		block(maxUnfenced + 10): false,
	} {
		r := Parse(code+"\n\nFINAL(1)", DefaultNames(), false)
		require.Len(t, r.Signals, 1)
		require.Equal(t, found, r.Signals[0].Malformed != "", "%d bytes", len(code))
	}
}

func TestPlacesInALayout(t *testing.T) {
	l := readMarkdown("a\n\n```\nb\n```\n\n    c\n\n```\nd\n```\n")
	require.Nil(t, l.leafAt(50))
	require.NotNil(t, l.leafAt(0))
	require.Equal(t, 3, l.nextFence(0))
	require.Equal(t, 21, l.nextFence(3))
	require.Equal(t, len(l.src), l.nextFence(21))
	require.Equal(t, 1, lineEnd([]byte("\nab"), 0))
}

// Calls share what has been read of the text; each result must be the same as if the call had read the text alone.
func TestCallsReadTheSameTogetherAndAlone(t *testing.T) {
	pieces := []string{"(", ")", "(", ")", "\"", "'", "`", "\"\"\"", "a", " ", "\n", "x) ", "f'", "）", "\\", " a) b"}
	compare := func(t require.TestingT, src string, bounds ...int) {
		together := detector{layout: &layout{str: src, src: []byte(src)}}
		check := func(start, bound int) {
			alone := detector{layout: together.layout}
			if start > 0 && src[start-1] == '(' {
				at, after := together.closeParen(start, bound)
				wantAt, wantAfter := alone.closeParen(start, bound)
				require.Equal(t, []int{wantAt, wantAfter}, []int{at, after}, "%q from %d to %d", src, start, bound)
			}
			for _, end := range []string{"\"", "'", `"""`} {
				q := quote{end: end}
				want, got := alone.lenientClose(start, bound, q), together.lenientClose(start, bound, q)
				require.Equal(t, want, got, "%q from %d to %d", src, start, bound)
			}
		}
		for _, bound := range bounds {
			for start := range bound + 1 {
				check(start, bound)
			}
			for start := range bound + 1 {
				check(bound-start, bound)
			}
		}
	}
	compare(t, `"""")`, 5) // where three quotes begin depends on where the search begins
	rapid.Check(t, func(t *rapid.T) {
		src := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 40).Draw(t, "pieces"), "")
		compare(t, src, len(src), rapid.IntRange(0, len(src)).Draw(t, "bound"))
	})
}

// The limits on how much of a text is examined are exact.
func TestBoundsOfWhatIsLookedAt(t *testing.T) {
	spaces := func(n int) string { return strings.Repeat(" ", n) }
	function := func(n int) string { return "func() {" + spaces(n-len("func() {}")) + "}" }
	require.True(t, isFunction(function(1<<16)))
	require.False(t, isFunction(function(1<<16+1)))
	aside := func(n int) string { return "count" + spaces(n-len("count(approx)")) + "(approx)" }
	require.True(t, isAside(aside(1<<10)))
	require.False(t, isAside(aside(1<<10+1)))

	commented := func(n int) string { return "42 // the total" + strings.Repeat("x", n-len("42 // the total")) }
	for n, want := range map[int]string{maxCommented: "42", maxCommented + 1: commented(maxCommented + 1)} {
		signals := Parse("FINAL("+commented(n)+")", DefaultNames(), false).Signals
		require.Len(t, signals, 1)
		require.Equal(t, want, signals[0].Content)
	}
	tag := func(n int) string { return "<a b=\"" + strings.Repeat("x", n-len(`<a b="">`)) + "\">" }
	require.Equal(t, maxTag, tagEnd([]byte(tag(maxTag)+">")))
	require.Zero(t, tagEnd([]byte(tag(maxTag+1)+">")))

	for n, imitates := range map[int]int{maxPresented - len("output:\n"): 5, maxPresented + 1: 5} {
		r := Parse("```go\nf()\n```\n"+strings.Repeat("x", n)+" output:\n```\n9\n```", DefaultNames(), false)
		require.Equal(t, imitates, r.Imitates, n)
	}
	for n, wrong := range map[int]bool{maxRetraction - len("\n\n\noops"): true, maxRetraction: false} {
		signals := Parse("FINAL(42)\n\n"+strings.Repeat("x", n)+"\noops", DefaultNames(), false).Signals
		require.Len(t, signals, 1)
		require.Equal(t, wrong, signals[0].Malformed != "", n)
	}
}
