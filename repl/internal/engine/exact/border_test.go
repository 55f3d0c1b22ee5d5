package exact

import "testing"

// Compiled code calls cells' functions of many types, through reflection or not, and gets their results.
func TestCompiledCodeCallsFunctionsOfCells(t *testing.T) {
	session(t, [2]string{
		`fmt.Println(strings.Map(func(r rune) rune { if r == 'a' { return -1 }; return r + 1 }, "banana"), strings.IndexFunc("ab1", unicode.IsDigit))
fmt.Println(strings.FieldsFunc("a-b_c", func(r rune) bool { return r == '-' || r == '_' }), sort.Search(100, func(i int) bool { return i*i >= 50 }))
xs := []string{"ccc", "a", "bb"}
sort.Slice(xs, func(i, j int) bool { return len(xs[i]) < len(xs[j]) })
i, found := sort.Find(3, func(i int) int { return strings.Compare("bb", xs[i]) })
fmt.Println(xs, i, found)
slices.SortFunc(xs, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
fmt.Println(xs, slices.ContainsFunc(xs, func(s string) bool { return s == "bb" }))
fmt.Println(regexp.MustCompile("b+").ReplaceAllStringFunc("abba", func(s string) string { return fmt.Sprint(len(s)) }))
var less func(i, j int) bool
func() { defer func() { fmt.Println(recover() != nil) }(); sort.Slice(xs, less) }()
var m sync.Map
m.Store("k", 1)
m.Range(func(k, v any) bool { fmt.Println(k, v); return true })
once := sync.OnceValues(func() (int, error) { fmt.Print("once "); return 5, io.EOF })
once()
fmt.Println(once())
func() { defer func() { fmt.Println("recovered", recover()) }(); sort.Slice(xs, func(i, j int) bool { panic("in it") }) }()`,
		"coo 2\n[a b c] 8\n[a bb ccc] 1 true\n[ccc bb a] true\na2a\ntrue\nk 1\nonce 5 EOF\nrecovered in it\n",
	})
}

// Values of cells implement interfaces of packages: readers, writers, errors, formatters, sorts, heaps,
// marshalers.
func TestTypesOfCellsAreInterfacesOfPackages(t *testing.T) {
	session(t, [2]string{
		`type upper struct{ r io.Reader }
func (u upper) Read(p []byte) (int, error) { n, err := u.r.Read(p); copy(p, bytes.ToUpper(p[:n])); return n, err }
type count int
func (c *count) Write(p []byte) (int, error) { *c += count(len(p)); return len(p), nil }
type bySize []string
func (s bySize) Len() int { return len(s) }
func (s bySize) Less(i, j int) bool { return len(s[i]) < len(s[j]) }
func (s bySize) Swap(i, j int) { s[i], s[j] = s[j], s[i] }
type state struct{ at string }
func (s state) Format(f fmt.State, verb rune) { w, ok := f.Width(); fmt.Fprint(f, "<", s.at, string(verb), w, ok, f.Flag('-'), ">") }
type failure struct{ code int }
func (f *failure) Error() string { return fmt.Sprint("code ", f.code) }
func (f *failure) Is(err error) bool { return err == io.EOF }
type day int
func (d day) MarshalText() ([]byte, error) { return []byte(fmt.Sprint("day", int(d))), nil }
func (d *day) UnmarshalText(b []byte) error { _, err := fmt.Sscanf(string(b), "day%d", (*int)(d)); return err }
var c count
n, err := io.Copy(io.MultiWriter(&c, os.Stdout), upper{strings.NewReader("shout\n")})
fmt.Println(n, err, c)
s := bySize{"ccc", "a", "bb"}
sort.Sort(sort.Reverse(s))
fmt.Println(s, sort.IsSorted(s))
fmt.Printf("%-5x|%v|%v\n", state{"s"}, []state{{"t"}}, struct{ S any }{state{"u"}})
err = fmt.Errorf("wrapped: %w", &failure{4})
var f *failure
fmt.Println(errors.As(err, &f), f.code, errors.Is(err, io.EOF), err)
b, err := json.Marshal(map[day][]any{3: {day(4), &f.code}})
var back map[day][]day
fmt.Println(string(b), err, json.Unmarshal([]byte("{\"day7\":[\"day8\"]}"), &back), back)
sc := bufio.NewScanner(upper{strings.NewReader("x y")})
sc.Split(func(data []byte, end bool) (int, []byte, error) { return bufio.ScanWords(data, end) })
for sc.Scan() { fmt.Print(sc.Text(), ";") }`,
		"SHOUT\n6 <nil> 6\n[ccc bb a] false\n<sx5 true true>|[<tv0 false false>]|{<uv0 false false>}\ntrue 4 true wrapped: code 4\n" +
			"{\"day3\":[\"day4\",4]} <nil> <nil> map[7:[8]]\nX;Y;",
	})
}

// Arguments and results of every shape are passed correctly, in registers or not.
func TestCallsOfCompiledFunctions(t *testing.T) {
	session(t, [2]string{
		`a, b, ok := strings.Cut("k=v", "=")
fmt.Println(a, b, ok, math.FMA(2, 3, 4), math.Float32bits(1.5), bits.OnesCount8(7), utf8.ValidString("é"))
hi, lo := bits.Mul64(1<<63, 6)
frac, exp := math.Frexp(10)
q, r := bits.Div32(1, 2, 3)
fmt.Println(hi, lo, frac, exp, q, r, cmplx.Abs(3+4i), strconv.FormatFloat(1.25, 'e', 3, 64), string(strconv.AppendInt([]byte("x"), -5, 2)))
t := time.Date(2024, time.May, 3, 4, 5, 6, 7, time.UTC)
y, w := t.ISOWeek()
fmt.Println(y, w, t.Add(time.Hour).Sub(t), t.Format(time.RFC3339Nano), strings.NewReplacer("a", "b", "c", "d").Replace("abc"))
u, err := url.Parse("http://h:8/p?q=1")
fmt.Println(u.Port(), u.Query()["q"], err, bytes.Equal([]byte("a"), nil), path.Join("a", "../b", "c"), fmt.Sprintf("%[2]d %[1]s", "s", 3))
x := new(big.Int).Exp(big.NewInt(3), big.NewInt(100), nil)
fmt.Println(x, x.Cmp(big.NewInt(0)), sha256.Sum256([]byte("a"))[0], crc32.ChecksumIEEE([]byte("a")))`,
		"k v true 10 1069547520 3 true\n3 0 0.625 4 1431655766 0 5 1.250e+00 x-101\n2024 18 1h0m0s 2024-05-03T04:05:06.000000007Z bbd\n" +
			"8 [1] <nil> false b/c 3 s\n515377520732011331036461129765621272702107522001 1 202 3904355907\n",
	})
}
