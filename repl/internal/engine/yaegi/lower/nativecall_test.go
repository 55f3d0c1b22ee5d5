package lower_test

import "testing"

// Compiled functions and methods receive the arguments they expect.
func TestCallsOfPackages(t *testing.T) {
	try(t, []row{
		{`var b strings.Builder
fmt.Fprintf(&b, "%d-%s", 1, "x")
b.WriteByte('!')
fmt.Println(b.String(), b.Len())`, "1-x! 4\n"},
		{`type P struct{ X, y int }
fmt.Printf("%v %+v %T %#v\n", P{1, 2}, &P{3, 4}, P{}, []P{{5, 6}})`, "refused: a value of a cell's own type in an interface\n"},
		{`n, err := strconv.Atoi("x")
var ne *strconv.NumError
fmt.Println(n, err, errors.As(err, &ne), ne.Func)`, "0 strconv.Atoi: parsing \"x\": invalid syntax true Atoi\n"},
		{`r := csv.NewReader(strings.NewReader("a,b\n1,2\n"))
rows, err := r.ReadAll()
fmt.Println(rows, err, strings.Fields(" a b "), path.Join("a", "..", "b"))`, "[[a b] [1 2]] <nil> [a b] b\n"},
		{`next, stop := iter.Pull(slices.Values([]int{1}))
stop()
next()`, "refused: goroutines and channels\n"},
		{`t, err := template.New("x").Parse("y")
fmt.Println(t, err)`, "refused: text/template\n"},
	})
}
