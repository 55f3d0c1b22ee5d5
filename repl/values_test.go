package repl

import (
	"encoding/json"
	"fmt"
	"math/rand"
	randv2 "math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/cellerror"
)

// TestShownLikeJSON compares how cells see their values, and the answers made of them, with json.Marshal.
func TestShownLikeJSON(t *testing.T) {
	for _, c := range []struct{ name, types, value string }{
		{
			"embedded and omitted", "type B struct{ X int }",
			"struct{ B; Y int; Z time.Duration `json:\"z,omitzero\"` }{B: B{1}, Y: 2}",
		},
		{"embedded pointer", "type B struct{ X int }\ntype T struct{ *B; Y int }", "[]T{{Y: 1}, {&B{2}, 3}}"},
		{"embedded, not exported", "type b struct{ X, y int }\ntype T struct{ b; Z int }", "T{b{1, 2}, 3}"},
		{"embedded with a tag", "type B struct{ X int }\ntype T struct{ B `json:\"b\"`; X string }", "T{B{1}, \"x\"}"},
		{
			"one hides the other", "type A struct{ X, Y int }\ntype B struct{ X, Z int }\ntype T struct{ A; B }",
			"T{A{1, 2}, B{3, 4}}",
		},
		{
			"a tag wins", "type A struct{ X int }\ntype B struct{ W int `json:\"X\"` }\ntype T struct{ A; B }",
			"T{A{1}, B{2}}",
		},
		{"the outer one wins", "type A struct{ X int }\ntype T struct{ A; X string }", "T{A{1}, \"x\"}"},
		{
			"twice below", "type A struct{ X int }\ntype B struct{ A }\ntype C struct{ A }\ntype T struct{ B; C; Y int }",
			"T{Y: 1}",
		},
		{"not exported", "type T struct{ A int; b int }", "T{1, 2}"},
		{"names", "type T struct{ A int `json:\"-\"`; B int `json:\"-,\"`; C int `json:\"a b\"`; D int `json:\"é,omitempty\"`; E int `json:\"bad\\\"name\"` }", "T{1, 2, 3, 4, 5}"},
		{"omitempty", "type I struct{ N int }\ntype T struct{ A []int `json:\",omitempty\"`; B map[string]int `json:\",omitempty\"`; C *int `json:\",omitempty\"`; D I `json:\",omitempty\"`; E [0]int `json:\",omitempty\"`; F any `json:\",omitempty\"` }", "[]T{{}, {A: []int{}, F: 0}}"},
		{"omitzero", "type I struct{ N int }\nfunc (i I) IsZero() bool { return i.N == 7 }\ntype P struct{ N int }\nfunc (p *P) IsZero() bool { return p.N == 8 }\ntype T struct{ A I `json:\",omitzero\"`; B P `json:\",omitzero\"`; C time.Time `json:\",omitzero\"`; D *I `json:\",omitzero\"` }", "[]T{{}, {A: I{7}, B: P{8}}, {D: &I{7}}}"},
		{"string", "type N int\ntype T struct{ A int `json:\",string\"`; B string `json:\",string\"`; C *N `json:\",string\"`; D []int `json:\",string\"`; E bool `json:\",string\"` }", "T{A: 1, B: \"b\"}"},
		{"own JSON", "type T struct{ N int }\nfunc (t T) MarshalJSON() ([]byte, error) { return []byte(fmt.Sprintf(\"{\\\"n\\\": %d}\", t.N)), nil }", "map[string]any{\"a\": T{1}, \"b\": &T{2}, \"c\": []T{{3}}}"},
		{"own text", "type T struct{ N int }\nfunc (t T) MarshalText() ([]byte, error) { return []byte(fmt.Sprint(\"t\", t.N)), nil }", "struct{ A T; B []*T }{T{1}, []*T{{2}}}"},
		{
			"own JSON of the pointer",
			"type T struct{ N int }\nfunc (t *T) MarshalJSON() ([]byte, error) { return []byte(\"true\"), nil }",
			"struct{ A T; B *T; C []T }{T{1}, &T{2}, []T{{3}}}",
		},
		{"nothing there", "type T struct{ A []int; B map[string]int; C *int; D any; E error }", "T{}"},
		{
			"deep", "type N struct{ V int; Kids []*N `json:\"kids,omitempty\"` }",
			"&N{1, []*N{{2, nil}, {3, []*N{{V: 4}}}}}",
		},
		{
			"numbers", "type T struct{ A float64; B float32; C int64; D uint8 }",
			"[]T{{1e21, 0.1, math.MaxInt64, 255}, {1e-7, 1e20, -1, 0}}",
		},
		{
			"compiled types", "type T struct{ At time.Time; N json.Number; Raw json.RawMessage }",
			"T{time.Unix(0, 0).UTC(), \"1.50\", json.RawMessage(`{\"a\": 1}`)}",
		},
		{"keys", "type K string\nfunc (K) String() string { return \"no\" }", "map[K]int{\"b\": 1, \"a\": 2}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cell := c.types + "\nv := " + c.value
			res, want := newSession(t, Config{Engine: Exact}).run(
				cell + "\nenc := json.NewEncoder(os.Stdout)\nenc.SetEscapeHTML(false)\n_ = enc.Encode([]any{v})")
			require.Nil(t, res.Error, "%v", res.Error)
			want = strings.TrimSpace(want)
			for _, engine := range Available() {
				s := newSession(t, Config{Builtins: scriptBuiltins(), Engine: engine})
				res, _ := s.run(cell)
				if engine == Yaegi && res.Error != nil && res.Error.Kind == cellerror.Refused {
					continue // yaegi leaves the cell to the exact engine
				}
				require.Nil(t, res.Error, "%v", res.Error)
				var shown, answer string
				if engine == Yaegi { // in yaegi interfaces contain no values of cells' types
					shown = "[" + s.must("v").Value + "]"
					answer = `{"v":` + s.must("FINAL(v)").Final.Answer + "}"
				} else {
					shown = s.must("[]any{v}").Value
					answer = s.must("FINAL(map[string]any{\"v\": v})").Final.Answer
				}
				require.JSONEq(t, want, shown)
				require.Equal(t, compact(t, want), compact(t, shown), "also the order")
				require.Equal(t, compact(t, `{"v":`+want[1:len(want)-1]+`}`), compact(t, answer))
			}
		})
	}
}

func compact(t *testing.T, text string) string {
	t.Helper()
	var raw json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(text), &raw), text)
	out, err := json.Marshal(raw)
	require.NoError(t, err)
	return string(out)
}

// TestMapsThatAreRead describes maps of many sizes and kinds repeatedly: descriptions change only if contents do.
func TestMapsThatAreRead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, setup string }{
		{"21 names", "m := map[string]int{}\nfor i := range 21 { m[fmt.Sprint(\"name \", i)] = i }"},
		{"100 numbers", "m := map[int]string{}\nfor i := range 100 { m[i*i] = strings.Repeat(\"x\", i) }"},
		{"3000 structs", "type p struct{ A int; b string }\nm := map[p][]p{}\nfor i := range 3000 { m[p{i, \"k\"}] = []p{{1, \"x\"}} }"},
		{"of any", "m := map[any]any{}\nfor i := range 50 { m[i] = fmt.Sprint(i); m[fmt.Sprint(i)] = i; m[float64(i)] = nil }"},
		{"of maps", "m := map[string]map[int]bool{}\nfor i := range 40 { m[fmt.Sprint(i)] = map[int]bool{i: true, -i: false} }"},
		{"of functions", "m := map[string]func() int{}\nfor i := range 30 { m[fmt.Sprint(i)] = func() int { return i } }"},
		{"of pointers", "m := map[string]*int{}\nfor i := range 60 { m[fmt.Sprint(i)] = &i }"},
		{"inside", "type T struct{ In []map[string]int }\nm := &T{}\nfor i := range 3 { m.In = append(m.In, map[string]int{}); for j := range 50 { m.In[i][fmt.Sprint(j)] = j } }"},
		{"huge", "m := map[int]int{}\nfor i := range 260_000 { m[i] = i }"}, // too large for a digest
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newSession(t, Config{})
			created := s.must(c.setup)
			require.Equal(t, []string{"m"}, changedNames(created))
			preview := ""
			rounds := 5
			if c.name == "huge" {
				rounds = 2 // printing it takes long
			}
			for range rounds {
				res := s.must("fmt.Sprint(m) != \"\"")
				require.Empty(t, changedNames(res))
				vars := s.nb.Vars()
				if preview == "" {
					preview = vars[0].Preview
				}
				require.Equal(t, preview, vars[0].Preview)
			}
		})
	}
	s := newSession(t, Config{})
	s.must("m := map[int]int{}\nfor i := range 5000 { m[i] = i }")
	require.Equal(t, []string{"m"}, changedNames(s.must("m[4999] = 0")), "one entry of many")
	require.Empty(t, changedNames(s.must("m[4999] = 0")))
	s.must("xs := make([]float64, 1000000)")
	require.Equal(t, []string{"xs"}, changedNames(s.must("xs[999999] = 1")))
	require.Empty(t, changedNames(s.must("xs[999998] = 0")))
}

func changedNames(res Result) []string {
	var out []string
	for _, v := range res.Changed {
		out = append(out, v.Name)
	}
	return out
}

// TestDigestsAreTheSameEverywhere computes the digest of one value in sessions that share nothing but the cell.
func TestDigestsAreTheSameEverywhere(t *testing.T) {
	digests := map[string]bool{}
	for range 4 {
		s := newSession(t, Config{})
		res := s.must("type p struct{ A int; b any }\nm := map[string][]p{}\nfor i := range 500 { m[fmt.Sprint(i)] = []p{{i, i}, {1, []string{\"x\"}}, {2, map[int]bool{1: true, 2: false}}} }")
		digests[res.Changed[0].Digest] = true
	}
	require.Len(t, digests, 1)
	require.NotContains(t, digests, "")
}

// A generator that a cell keeps continues in later cells as it does in Go, and again in a rebuilt notebook, with
// the same values and the same digests of its states.
func TestGeneratorsGoOnInLaterCells(t *testing.T) {
	pcg := func() *randv2.Rand { return randv2.New(randv2.NewPCG(1, 2)) }
	draw := func(n int, next func() int) (out []int) {
		for range n {
			out = append(out, next())
		}
		return out
	}
	first, second := rand.New(rand.NewSource(7)), pcg()
	one, two := draw(3, func() int { return first.Intn(1000) }), draw(3, func() int { return second.IntN(1000) })
	for name, test := range map[string]struct {
		cells []string
		want  []int
	}{
		"a source": {[]string{
			"r := rand.New(rand.NewSource(7))", "a := r.Intn(1000)",
			"xs := []int{a, r.Intn(1000), r.Intn(1000)}",
		}, one},
		"v2, imported": {[]string{
			"import \"math/rand/v2\"\nr := rand.New(rand.NewPCG(1, 2))",
			"a := r.IntN(1000)", "xs := []int{a, r.IntN(1000), r.IntN(1000)}",
		}, two},
		"v2, not imported": {[]string{
			"r := rand.New(rand.NewPCG(1, 2))", "a := r.IntN(1000)",
			"xs := []int{a, r.IntN(1000), r.IntN(1000)}",
		}, two},
		"v2, a source first": {[]string{
			"import \"math/rand/v2\"\nvar src rand.Source = rand.NewPCG(1, 2)", "n := 3",
			"r := rand.New(src)\nxs := []int{}\nfor range n { xs = append(xs, r.IntN(1000)) }",
		}, two},
		"v2 in a struct": {[]string{
			"import \"math/rand/v2\"\ntype gen struct{ *rand.Rand }",
			"g := gen{rand.New(rand.NewPCG(1, 2))}\nxs := []int{g.IntN(1000)}",
			"xs = append(xs, g.IntN(1000), g.IntN(1000))",
		}, two},
		"v2, then a function": {[]string{
			"r := rand.New(rand.NewPCG(1, 2))\nxs := []int{}",
			"func next(r *rand.Rand) int { return r.IntN(1000) }", "for range 3 { xs = append(xs, next(r)) }",
		}, two},
		"v2, then a source": {[]string{
			"p := rand.New(rand.NewPCG(1, 2))", "r := rand.New(rand.NewSource(7))",
			"xs := []int{r.Intn(1000), r.Intn(1000), r.Intn(1000)}\n_ = p.IntN(3)",
		}, one},
	} {
		t.Run(name, func(t *testing.T) {
			var before []Var
			for round := range 2 {
				s := newSession(t, Config{})
				for _, source := range test.cells {
					s.must(source)
				}
				res, out := s.run("fmt.Print(xs)")
				require.Nil(t, res.Error)
				require.Equal(t, fmt.Sprint(test.want), out)
				vars := s.nb.Vars()
				for _, v := range vars {
					require.NotEmpty(t, v.Digest, v.Name)
				}
				if round > 0 {
					require.Equal(t, before, vars)
				}
				before = vars
			}
		})
	}
}

func TestListsAreShownLikeJSON(t *testing.T) {
	s := newSession(t, Config{})
	for source, want := range map[string]string{
		`[]string{"x", "y"}`:              `["x","y"]`,
		`[]string{}`:                      `[]`,
		`[2]any{"<a>", nil}`:              `["<a>",null]`,
		`[][]int{{1}, {}}`:                `[[1],[]]`,
		`map[string][]string{"k": {"v"}}`: "{\n  \"k\": [\n    \"v\"\n  ]\n}",
		`[]string{strings.Repeat("a", 60), strings.Repeat("b", 60)}`: fmt.Sprintf(
			"[\n  %q,\n  %q\n]", strings.Repeat("a", 60), strings.Repeat("b", 60)),
	} {
		require.Equal(t, want, s.must(source).Value, source)
	}
	many := s.must("make([]int, 20000)").Value
	require.Contains(t, many, "left out")
}

func TestTypesWithoutNamesAreShownWithoutTags(t *testing.T) {
	s := newSession(t, Config{})
	s.must("rows := []struct {\n\tName string `json:\"name\" description:\"who\"`\n\tIn *struct{ A int `json:\"a\"` }\n}{{Name: \"x\"}}\nbyKey := map[string]struct{ N int `json:\"n\"` }{}")
	vars := s.nb.Vars()
	require.Equal(t, "map[string]struct{N int}", vars[0].Type)
	require.Equal(t, "[]struct{Name string; In *struct{A int}}", vars[1].Type)
}

// A value without fields is shown if the cell evaluates to it directly, but not if a call or a receive returns it,
// because these are made for their effects.
func TestAValueWithoutFieldsIsShown(t *testing.T) {
	inBothEngines(t, func(t *testing.T, s *session) {
		for _, c := range []struct{ source, value string }{
			{"type Z struct{}\nZ{}", "{}"},
			{"z := Z{}\nz", "{}"},
			{"struct{}{}", "{}"},
			{"func f() Z { return Z{} }\nf()", ""},
		} {
			res, _ := s.run(c.source)
			require.Nil(t, res.Error, c.source)
			require.Equal(t, c.value, res.Value, c.source)
		}
	})
	s := newSession(t, Config{Engine: Exact, Context: scriptContext, Builtins: scriptBuiltins()})
	res, _ := s.run("done := make(chan struct{}, 1)\ndone <- struct{}{}\n<-done")
	require.Nil(t, res.Error)
	require.Empty(t, res.Value)
}
