package enginetest

import (
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// generator writes random programs of loops, conditions, arithmetic, slices, maps, closures and calls that
// end and print what they compute.
type generator struct {
	r     *rand.Rand
	b     strings.Builder
	depth int
	ints  []string // variables in scope
	bools []string
	names int
}

func (g *generator) name(p string) string { g.names++; return p + strconv.Itoa(g.names) }
func (g *generator) line(format string, args ...any) {
	fmt.Fprintf(&g.b, strings.Repeat("\t", g.depth+1)+format+"\n", args...)
}
func (g *generator) pick(list ...string) string { return list[g.r.Intn(len(list))] }

func (g *generator) intExpr(d int) string {
	if d <= 0 || g.r.Intn(4) == 0 {
		if len(g.ints) > 0 && g.r.Intn(3) > 0 {
			return g.pick(g.ints...)
		}
		return strconv.Itoa(g.r.Intn(20) - 5)
	}
	switch g.r.Intn(15) {
	case 11:
		return "(" + g.pick("1", "3", g.intExpr(d-1)) + " " + g.pick("<<", ">>") + " uint(abs(" + g.intExpr(d-1) + ")%5))"
	case 12:
		return "(zero + " + g.pick("1", "2") + "<<(abs(" + g.intExpr(d-1) + ")%4))"
	case 0:
		return "(" + g.intExpr(d-1) + " / " + strconv.Itoa(1+g.r.Intn(7)) + ")"
	case 1:
		return "(" + g.intExpr(d-1) + " % " + strconv.Itoa(1+g.r.Intn(7)) + ")"
	case 2:
		return "-(" + g.intExpr(d-1) + ")"
	case 3:
		return "^(" + g.intExpr(d-1) + ")"
	case 4:
		return "xs[abs(" + g.intExpr(d-1) + ")%len(xs)]"
	case 5:
		return "m[" + g.intExpr(d-1) + "]"
	case 6:
		return "f" + strconv.Itoa(g.r.Intn(2)) + "(" + g.intExpr(d-1) + ", " + g.intExpr(d-1) + ")"
	case 7:
		return "(pt{" + g.intExpr(d-1) + ", " + g.intExpr(d-1) + "}.sum())"
	case 8:
		return "int(int8(zero + " + g.intExpr(d-1) + "))"
	case 9:
		return g.pick("min", "max") + "(" + g.intExpr(d-1) + ", " + g.intExpr(d-1) + ")"
	case 10:
		return "ps[abs(" + g.intExpr(d-1) + ")%len(ps)]." + g.pick("x", "y")
	}
	return "(" + g.intExpr(d-1) + " " + g.pick("+", "-", "*", "&", "|", "^", "&^") + " " + g.intExpr(d-1) + ")"
}

func (g *generator) boolExpr(d int) string {
	if d <= 0 || g.r.Intn(5) == 0 {
		if len(g.bools) > 0 && g.r.Intn(2) == 0 {
			return g.pick(g.bools...)
		}
		return "zero + " + g.intExpr(1) + " " + g.pick("<", ">", "==", "!=", "<=", ">=") + " " + g.intExpr(1)
	}
	switch g.r.Intn(9) {
	case 0:
		return "!(" + g.boolExpr(d-1) + ")"
	case 1:
		return "seen[" + g.intExpr(d-1) + "]"
	case 2:
		return "!seen[" + g.intExpr(d-1) + "]"
	case 3:
		return "(pt{" + g.intExpr(1) + ", 2} " + g.pick("==", "!=") + " ps[0])"
	case 4:
		return "(p " + g.pick("==", "!=") + " nil)"
	}
	return "(" + g.boolExpr(d-1) + " " + g.pick("&&", "||") + " " + g.boolExpr(d-1) + ")"
}

func (g *generator) block(n int, inLoop bool) {
	ints, bools := g.ints, g.bools
	g.depth++
	for range n {
		g.stmt(inLoop)
	}
	g.depth--
	g.ints, g.bools = ints, bools
}

func (g *generator) stmt(inLoop bool) {
	if g.depth > 4 {
		g.line("acc = acc*31 + %s", g.intExpr(2))
		return
	}
	switch g.r.Intn(19) {
	case 0, 1:
		v := g.name("v")
		g.line("%s := %s", v, g.intExpr(3))
		g.line("_ = %s", v)
		g.ints = append(append([]string(nil), g.ints...), v)
	case 2:
		v := g.name("b")
		g.line("%s := %s", v, g.boolExpr(3))
		g.line("_ = %s", v)
		g.bools = append(append([]string(nil), g.bools...), v)
	case 3, 4:
		g.line("if %s {", g.boolExpr(3))
		g.block(1+g.r.Intn(3), inLoop)
		if g.r.Intn(2) == 0 {
			g.line("} else if %s {", g.boolExpr(2))
			g.block(1+g.r.Intn(2), inLoop)
			g.line("} else {")
			g.block(g.r.Intn(2), inLoop)
		}
		g.line("}")
	case 5:
		i := g.name("i")
		g.line("for %s := 0; %s < %d && (%s || fuel > 0); %s++ {", i, i, 1+g.r.Intn(5), g.boolExpr(1), i)
		g.line("\tfuel--")
		old := g.ints
		g.ints = append(append([]string(nil), g.ints...), i)
		g.block(1+g.r.Intn(3), true)
		g.ints = old
		g.line("}")
	case 6:
		k, v := g.name("k"), g.name("w")
		g.line("for %s, %s := range %s {", k, v, g.pick("xs", "xs[1:]", "[3]int{4, 5, 6}"))
		g.line("\t_, _ = %s, %s", k, v)
		old := g.ints
		g.ints = append(append([]string(nil), g.ints...), k, v)
		g.block(g.r.Intn(3), true)
		g.ints = old
		g.line("}")
	case 7:
		if g.r.Intn(2) == 0 {
			g.line("switch {")
			g.line("case zero == 0 && %s, %s:", g.boolExpr(1), g.boolExpr(2))
		} else {
			g.line("switch zero + %s {", g.pick("("+g.intExpr(2)+") % 3", g.intExpr(1)))
			g.line("case %d, %d:", g.r.Intn(3), 3+g.r.Intn(3))
		}
		g.block(1+g.r.Intn(2), inLoop)
		if g.r.Intn(3) == 0 {
			g.line("fallthrough")
		}
		g.line("default:")
		g.block(g.r.Intn(2), inLoop)
		g.line("}")
	case 8:
		if inLoop {
			g.line("if %s {", g.boolExpr(2))
			g.line("\t%s", g.pick("continue", "break"))
			g.line("}")
		}
	case 9:
		g.line("xs[abs(%s)%%len(xs)] %s %s", g.intExpr(2), g.pick("=", "+=", "-=", "^="), g.intExpr(2))
	case 10:
		g.line("m[%s] %s %s", g.intExpr(1), g.pick("=", "+=", "*="), g.intExpr(2))
		g.line("seen[%s] = %s", g.intExpr(1), g.boolExpr(1))
	case 11:
		c := g.name("c")
		g.line("%s := func(a int) int {", c)
		old := g.ints
		g.ints = append(append([]string(nil), g.ints...), "a")
		g.depth++
		g.line("if %s {", g.boolExpr(2))
		g.line("\treturn %s", g.intExpr(2))
		g.line("}")
		g.line("acc += a")
		g.line("return %s", g.intExpr(2))
		g.depth--
		g.ints = old
		g.line("}")
		g.line("acc ^= %s(%s)", c, g.intExpr(2))
	case 12:
		if len(g.ints) > 2 {
			a, b := g.pick(g.ints...), g.pick(g.ints...)
			if a != b && !strings.HasPrefix(a, "i") && !strings.HasPrefix(b, "i") {
				g.line("%s, %s = %s, %s", a, b, g.intExpr(2), g.intExpr(2))
			}
		}
	case 13:
		g.line("ps = append(ps, pt{%s, %s})", g.intExpr(2), g.intExpr(1))
		g.line("if len(ps) > 6 { ps = ps[2:] }")
	case 14:
		g.line("p = %s", g.pick("nil", "&ps[0]", "&pt{1, 2}"))
		g.line("if p != nil && %s { p.x += %s; acc += p.sum() }", g.boolExpr(1), g.intExpr(1))
	case 15:
		g.line("func() {")
		g.line("\tdefer func() { if r := recover(); r != nil { acc += 7 } }()")
		g.line("\tif %s { panic(%s) }", g.boolExpr(2), g.intExpr(1))
		g.line("\tacc -= xs[zero+%s]", g.intExpr(2))
		g.line("}()")
	case 16:
		g.line("if v, ok := m[%s]; ok && %s { acc += v } else if !ok || v == 3 { acc-- }", g.intExpr(1), g.boolExpr(1))
	default:
		g.line("acc = acc*31 + %s", g.intExpr(3))
	}
}

const randomHead = `package main

import "fmt"

type pt struct{ x, y int }

func (p pt) sum() int { return p.x*3 + p.y }

func abs(n int) int {
	if n < 0 {
		if n = -n; n < 0 {
			return 0
		}
	}
	return n
}

func f0(a, b int) int {
	if a > b {
		return a - b
	}
	return a*2 + b
}

func f1(a, b int) (r int) {
	defer func() { r++ }()
	for i := 0; i < 2; i++ {
		r += a ^ b
	}
	return r
}
`

func randomProgram(seed int64) string {
	g := &generator{r: rand.New(rand.NewSource(seed))}
	g.b.WriteString(randomHead)
	var calls strings.Builder
	for i := range 12 {
		fmt.Fprintf(&g.b, "\nfunc t%d() (acc int) {\n\txs := []int{5, 3, 8, 1}\n\tm := map[int]int{1: 2, 3: 4}\n\tseen := map[int]bool{2: true}\n\tps := []pt{{1, 2}, {3, 4}}\n\tvar p *pt\n\tfuel, zero := 20, 0\n\t_, _, _, _, _, _, _ = xs, m, seen, ps, p, fuel, zero\n", i)
		g.ints, g.bools = []string{"acc", "fuel"}, nil
		g.ints = []string{"acc"}
		for range 8 {
			g.stmt(false)
		}
		g.b.WriteString("\treturn acc*31 + xs[0] + xs[3] + len(m) + len(ps)*7 + ps[0].x\n}\n")
		fmt.Fprintf(&calls, "\tfmt.Println(\"t%d\", t%d())\n", i, i)
	}
	fmt.Fprintf(&g.b, "\nfunc main() {\n%s}\n", calls.String())
	return g.b.String()
}

// Random compares random programs with what the real compiler's print. RLM_RANDOM_SEED and RLM_RANDOM_COUNT
// say which.
func Random(t *testing.T, make Maker) {
	if os.Getenv("RLM_LONG") == "" {
		t.Skip("random programs need the Go tool chain and take minutes: set RLM_LONG=1")
	}
	count, first := 30, int64(1)
	if s := os.Getenv("RLM_RANDOM_SEED"); s != "" {
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		first = n
	}
	if s := os.Getenv("RLM_RANDOM_COUNT"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		count = n
	}
	equal, refused := 0, 0
	for seed := first; seed < first+int64(count); seed++ {
		src := randomProgram(seed)
		file := filepath.Join(t.TempDir(), "main.go")
		if err := os.WriteFile(file, []byte(src), 0o644); err != nil {
			t.Fatal(err)
		}
		want, err := exec.Command("go", "run", file).CombinedOutput()
		if err != nil {
			t.Logf("seed %d is no valid program: %.300s", seed, want)
			continue
		}
		r := RunProgram(make, src, 20*time.Second)
		switch {
		case r.Refused != nil:
			refused++
			t.Logf("seed %d refused: %v", seed, r.Refused)
		case r.Err != nil || r.Out != string(want):
			t.Errorf("seed %d prints\n%s\nwant\n%s", seed, r.String(), want)
		default:
			equal++
		}
	}
	t.Logf("random programs: %d equal, %d refused of %d", equal, refused, count)
}
