package main

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math/big"
	"math/rand"
	"os"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"
	"unicode"
)

func depth(n int) int {
	if n == 0 {
		return 0
	}
	return 1 + depth(n-1)
}
func ack(m, n int) int {
	if m == 0 {
		return n + 1
	}
	if n == 0 {
		return ack(m-1, 1)
	}
	return ack(m-1, ack(m, n-1))
}

type big2 struct{ a, b, c, d, e [4]int }

func depthS(n int, s big2) big2 {
	if n == 0 {
		return s
	}
	s.a[n%4]++
	defer func() { s.b[0]++ }()
	return depthS(n-1, s)
}

type Vis interface{ visit(n int) int }
type V1 struct{ next Vis }

func (v V1) visit(n int) int {
	if n == 0 {
		return 0
	}
	return v.next.visit(n-1) + 1
}

type sevErr struct {
	sev int
	err error
}

func (s sevErr) Error() string { return "sev" + strconv.Itoa(s.sev) + ": " + s.err.Error() }
func (s sevErr) Unwrap() error { return s.err }

type multi []error

func (m multi) Error() string   { return fmt.Sprint(len(m), " errs") }
func (m multi) Unwrap() []error { return m }

type tmp interface{ Temporary() bool }
type te struct{}

func (*te) Error() string   { return "te" }
func (*te) Temporary() bool { return true }
func (te) As(x any) bool {
	if p, ok := x.(*sevErr); ok {
		p.sev = 77
		return true
	}
	return false
}

func main() {
	fmt.Println(depth(10000), ack(2, 500), depthS(1000, big2{}).a)
	v := &V1{}
	v.next = v
	fmt.Println(v.visit(10000))
	base := errors.New("b")
	err := fmt.Errorf("o: %w", sevErr{2, multi{base, os.ErrNotExist, &te{}}})
	var se sevErr
	var t tmp
	fmt.Println(err, errors.Is(err, base), errors.Is(err, os.ErrNotExist), errors.As(err, &se), se.sev, errors.As(err, &t), t)
	fmt.Println(errors.As(errors.Join(&te{}), &se), se.sev, errors.Unwrap(err) == error(se))
	_, perr := strconv.Atoi("x1")
	var ne *strconv.NumError
	fmt.Println(perr, errors.As(perr, &ne), ne.Func, errors.Is(perr, strconv.ErrSyntax))
	func() { defer func() { fmt.Println(recover()) }(); errors.As(err, se) }()
	xs := []struct {
		n string
		a int
	}{{"x", 3}, {"y", 1}, {"z", 3}, {"w", 1}}
	sort.SliceStable(xs, func(i, j int) bool { return xs[i].a < xs[j].a })
	fmt.Println(xs)
	slices.SortFunc(xs, func(a, b struct {
		n string
		a int
	}) int { return strings.Compare(b.n, a.n) })
	i, ok := slices.BinarySearchFunc(xs, "x", func(e struct {
		n string
		a int
	}, s string) int { return strings.Compare(s, e.n) })
	fmt.Println(xs, i, ok, slices.ContainsFunc(xs, func(e struct {
		n string
		a int
	}) bool { return e.a == 3 }))
	fmt.Println(slices.IndexFunc([]int{1, 5}, func(i int) bool { return i > 2 }), slices.Compact([]int{1, 1, 2}), slices.MaxFunc(xs, func(a, b struct {
		n string
		a int
	}) int { return a.a - b.a }))
	fmt.Println(strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToUpper(r)
	}, "a1b2"), strings.FieldsFunc("a-b_c", func(r rune) bool { return r == '-' || r == '_' }), strings.IndexFunc("abC", unicode.IsUpper))
	re := regexp.MustCompile(`(?P<k>\w+)=(\d+)`)
	fmt.Println(re.ReplaceAllStringFunc("a=1 b=22", func(s string) string { return "<" + s + ">" }), re.FindAllStringSubmatchIndex("a=1 b=22", -1), re.SubexpNames(), re.ReplaceAllString("a=1", "${2}:$k"))
	r := rand.New(rand.NewSource(42))
	fmt.Println(r.Intn(100), r.Perm(5), r.Float64())
	d, _ := time.ParseDuration("1h2m3s")
	tt := time.Date(2024, 2, 30, 25, 61, 0, 0, time.UTC)
	fmt.Println(d, tt, tt.Weekday(), tt.Add(d).Format(time.RFC1123), tt.YearDay(), tt.Truncate(time.Hour).Sub(tt))
	x, _ := new(big.Int).SetString("123456789012345678901234567890", 10)
	fmt.Println(x.Mul(x, x), new(big.Int).Exp(big.NewInt(3), big.NewInt(100), nil), big.NewRat(3, 6))
	h := fnv.New64a()
	fmt.Fprintf(h, "%s", "abc")
	fmt.Println(h.Sum64(), strings.NewReplacer("a", "b", "b", "a").Replace("abba"), strconv.Quote("a\x00\u00e9"), strings.EqualFold("ß", "SS"), strings.Title("hello world"))
	var sb strings.Builder
	for i := range 3 {
		fmt.Fprintf(&sb, "%d,", i)
	}
	fmt.Println(sb.String(), sb.Len())
	fmt.Println(time.Month(13), time.Duration(1500)*time.Millisecond, tt.Month() == time.March)
}
