package check

import (
	"go/types"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// accept checks and commits a cell.
func accept(t *testing.T, s *Session, number int, source string) *CheckedUnit {
	t.Helper()
	checked, err := s.Check(number, source)
	require.NoError(t, err, source)
	s.Commit(checked.Change)
	return checked
}

// A refused cell leaves nothing behind that a later cell could see, or that could make it fail.
func TestARefusedCellLeavesNothing(t *testing.T) {
	for name, refused := range map[string]string{
		"syntax":                    "x := 1\nT{",
		"a name":                    "type T struct{ A int }\nx := missing",
		"a type":                    "type T struct{ A int }\nvar x string = 1",
		"within a function":         "type T struct{ A int }\nx := 1\nfunc f() int { return x + \"a\" }",
		"what a function says of x": "x := 1\ntype T struct{ A int }\nfunc f() string { return x }",
		"an import":                 "import \"net\"\nx := 1",
		"an added method":           "func (t T) M() int { return \"\" }",
		"a redeclared type":         "type T struct{ B string }\nx := T{1}",
		"a name in a function":      "type T struct{ A int }\nx := time.Now().Location\nfunc f() { missing() }",
	} {
		t.Run(name, func(t *testing.T) {
			s := newTestSession(t)
			accept(t, s, 1, "type T struct{ n int }\nold := T{1}")
			for number := 2; number < 5; number++ {
				_, err := s.Check(number, refused)
				require.Error(t, err)
			}
			_, err := s.Check(5, "x")
			require.ErrorContains(t, err, "undefined: x")
			_, err = s.Check(6, "f()")
			require.ErrorContains(t, err, "undefined: f")
			accept(t, s, 7, "x := T{old.n}\nfunc (t T) M() int { return t.n }\nfunc f() int { return x.M() }")
			accept(t, s, 8, "old = x\nT{3}.M() + f()")
		})
	}
}

// The unexported fields of all cells' types belong to one package, so later cells can use them, even after a type
// is declared again.
func TestFieldsStayThoseOfTheSession(t *testing.T) {
	s := newTestSession(t)
	accept(t, s, 1, "type P struct{ x, y int }\ntype Q struct{ P; z int }")
	accept(t, s, 2, "p := P{1, 2}\nqs := []Q{{P{1, 2}, 3}}")
	accept(t, s, 3, "func (p P) Sum() int { return p.x + p.y }")
	accept(t, s, 4, "p = P{3, 4}\nqs = append(qs, Q{P{5, 6}, 7})\nqs[0].P = p\nqs[0].Sum()\nm := map[string]P{\"a\": {1, 2}}\nm[\"a\"].Sum()")
	accept(t, s, 5, "type P struct{ x, y, z int }\nnewer := P{1, 2, 3}\nqs[0].P.x + newer.z")
	_, err := s.Check(6, "newer = p")
	require.ErrorContains(t, err, "cannot use p")
}

func TestNamesThatComeBack(t *testing.T) {
	s := newTestSession(t)
	accept(t, s, 1, "context := \"mine\"\nlen := func(x string) int { return 1 }\nlen(context)")
	require.Nil(t, s.Lookup("context"))
	require.Nil(t, s.Lookup("len"))
	checked := accept(t, s, 2, "len(context)")
	require.Empty(t, checked.Unit.Vars)
	accept(t, s, 3, "url := \"u\"\nmin := 3")
	require.NotNil(t, s.Lookup("url"), "the name of a package is a variable's as long as it is wanted")
	require.NotNil(t, s.Lookup("min"))
	accept(t, s, 4, "u, err := url.Parse(url)\nmin + min(1, 2)")
}

// Variables that a failed cell did not reach are not declared; their names get their earlier meaning back.
func TestRetract(t *testing.T) {
	s := newTestSession(t)
	accept(t, s, 1, "a := 1")
	checked := accept(t, s, 2, "b := 2\na := \"text\"\nc := 3")
	s.Retract(checked.Change, 1) // the cell ended after b := 2
	require.NotNil(t, s.Lookup("b"))
	require.Equal(t, "int", s.Lookup("a").Obj.Type().String())
	require.Nil(t, s.Lookup("c"))
	_, err := s.Check(3, "c")
	require.ErrorContains(t, err, "undefined: c")
}

func TestReachFollowsFunctions(t *testing.T) {
	s := newTestSession(t)
	accept(t, s, 1, "a, b, c := 1, 2, 3\nfunc touchB() { b++ }\nfunc both() { touchB(); a++ }")
	checked := accept(t, s, 2, "both()\nd := 4")
	var names []string
	for _, sym := range s.Reach(checked.Change) {
		names = append(names, sym.Name)
	}
	require.Equal(t, "a b d", strings.Join(names, " "))
	var all []string
	for _, sym := range s.Variables() {
		all = append(all, sym.Name)
	}
	require.Equal(t, "a b c d", strings.Join(all, " "))
}

// The record of a builtin's call has its position, its arguments as text and with their types, and the local
// variables in scope.
func TestCallsKnowWhatTheyAreGiven(t *testing.T) {
	s := newTestSession(t)
	accept(t, s, 1, "outer := 1")
	checked := accept(t, s, 2,
		"func f() {\n\tlocal := \"x\"\n\tother := 2\n\tFINAL_VAR(\"local\")\n\t_ = other\n\tlater := 3\n\t_ = later\n}\nFINAL(outer + 1)")
	require.Len(t, checked.Calls, 2)
	byName, value := checked.Calls[0], checked.Calls[1]
	require.Equal(t, 4, byName.Line)
	require.Equal(t, []string{`"local"`}, byName.Text)
	require.Len(t, byName.Locals, 1)
	require.Equal(t, "local", byName.Locals[0].Name())
	require.Equal(t, []string{"local", "other"}, byName.Visible)
	require.Equal(t, 9, value.Line)
	require.Equal(t, []string{"outer + 1"}, value.Text)
	require.Equal(t, []types.Type{types.Typ[types.Int]}, value.Types)
	require.NotEqual(t, byName.ID, value.ID)
	require.Equal(t, []string{"outer"}, accept(t, s, 3, "FINAL_VAR(outer)").Calls[0].Text)
}

func TestImportsOfAUnit(t *testing.T) {
	s := newTestSession(t)
	require.Equal(t, []string{"fmt", "math/rand/v2", "strings"},
		accept(t, s, 1, "import . \"strings\"\nfmt.Println(ToUpper(\"a\"), rand.IntN(1))").Unit.Imports)
	require.Equal(t, []string{"strings"}, accept(t, s, 2, "import str \"strings\"\nstr.Repeat(\"a\", 2)").Unit.Imports)
	require.Equal(t, []string{"strings"}, accept(t, s, 3, "str.Repeat(\"a\", 2)").Unit.Imports, "an alias stays")
	accept(t, s, 4, "import fmt \"strings\"\nfmt.ToUpper(\"a\")")
	require.Equal(t, []string{"fmt"}, accept(t, s, 5, "fmt.Sprint(1)").Unit.Imports,
		"but not one that hides another package")
	accept(t, s, 6, "Title := 1\nIndex := 2")
	require.Empty(t, accept(t, s, 7, "Title + Index").Unit.Imports,
		"names of the session come before those of a dot import")
}
