package repl

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// session is a notebook under test with what its cells printed.
type session struct {
	t   testing.TB
	nb  *Notebook
	out bytes.Buffer
	n   int
}

func newSession(t testing.TB, cfg Config) *session {
	t.Helper()
	s := &session{t: t}
	cfg.Stdout = &s.out
	nb, err := New(cfg)
	require.NoError(t, err)
	s.nb = nb
	return s
}

// run runs a cell and returns its result and what it printed.
func (s *session) run(source string) (Result, string) {
	s.n++
	s.out.Reset()
	res := s.nb.Run(context.Background(), source, RunOptions{Cell: s.n})
	return res, s.out.String()
}

func TestSmoke(t *testing.T) {
	s := newSession(t, Config{Context: "alpha\nbeta\ngamma"})
	for _, src := range []string{
		"x := 3\nfmt.Println(x, len(context))\nx",
		"x := x + 10\nx",
		"x := \"a\" + strings.Repeat(\"b\", 3)",
		"x",
		"func f(n int) int { return n + 1 }\nf(1)",
		"func g() int { return f(10) }\ng()",
		"func f(n int) int { return n + 100 }\ng()",
		"a := 1\nvar xs []int\nfmt.Println(xs[5])\nb := 2",
		"a",
		"b",
		"type P struct { Name string; age int }\np := P{\"x\", 3}\np",
		"lines := strings.Split(context, \"\\n\")\nlines",
		"cuont + 1",
	} {
		res, out := s.run(src)
		t.Logf("%s\n→ out %q value %q err %v changed %+v notes %v", src, out, res.Value, res.Error, res.Changed, res.Notes)
	}
}
