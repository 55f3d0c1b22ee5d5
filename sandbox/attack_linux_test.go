package sandbox_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/cellerror"
	"github.com/gorlm/rlm/sandbox"
)

// outcome is the required result of an attack.
type outcome int

const (
	refused  outcome = iota // an error of the cell; the worker survives
	harmless                // any end but success is right
	fatal                   // the worker dies
	fine                    // no error at all
)

type attack struct {
	name, source string
	outcome      outcome
}

// bound lowers the limit that an attack is aimed at. Attacks that compute get a limit of CPU time instead of time,
// so that a busy machine does not end harmless cells.
func (a attack) bound(l *sandbox.Limits) {
	switch {
	case a.name == "time: sleep":
		l.CellTime = 2 * time.Second
	case strings.HasPrefix(a.name, "time: ") && a.outcome == fatal, a.name == "protocol: calls without end":
		l.CellCPU, l.MoveAfter = 200*time.Millisecond, 50*time.Millisecond
	case a.group() == "memory":
		l.CellMemory = 48 << 20
	case a.name == "crash: recursion":
		l.MoveAfter = time.Hour // in the exact engine it would be an ordinary panic
	}
}

// limited are the groups of attacks on limits and on the host, which are the same for every user.
var limited = []string{"time", "memory", "output", "crash", "source", "protocol"}

// group returns the target of the attack.
func (a attack) group() string {
	group, _, _ := strings.Cut(a.name, ":")
	return group
}

// attacksOn returns the attacks on the lock-down, which depends on the user, or those on limits.
func attacksOn(part string) []attack {
	return slices.DeleteFunc(slices.Clone(attacks), func(a attack) bool {
		return slices.Contains(limited, a.group()) != (part == onLimits)
	})
}

// A cell prints PWNED if it succeeds at something forbidden. Each attack runs in a session with a variable x and a
// function f.
var attacks = []attack{
	// Files.
	{
		"files: os.ReadFile", `b, err := os.ReadFile("/etc/passwd"); if err == nil { fmt.Println("PWNED", len(b)) }`,
		harmless,
	},
	{"files: os.Open", `f, err := os.Open("/etc/hostname"); if err == nil { fmt.Println("PWNED", f) }`, harmless},
	{"files: os.WriteFile", `err := os.WriteFile("/tmp/pwned", []byte("x"), 0o644); if err == nil { fmt.Println("PWNED") }`, harmless},
	{
		"files: os.ReadDir", `e, err := os.ReadDir("/"); if err == nil && len(e) > 0 { fmt.Println("PWNED", e) }`,
		harmless,
	},
	{
		"files: the canary", `b, err := os.ReadFile("canary.txt"); if err == nil { fmt.Println("PWNED", string(b)) }`,
		harmless,
	},
	{"files: io/fs", `import "io/fs"
fmt.Println(fs.ValidPath("x"))`, harmless},
	{"files: embed", `import _ "embed"
//go:embed canary.txt
var secret string
if secret != "" { fmt.Println("PWNED", secret) }`, harmless},
	{"files: ioutil", `import "io/ioutil"
b, err := ioutil.ReadFile("/etc/passwd"); if err == nil { fmt.Println("PWNED", len(b)) }`, refused},
	{"files: path/filepath glob", `import "path/filepath"
m, err := filepath.Glob("/*"); if err == nil && len(m) > 0 { fmt.Println("PWNED", m) }`, harmless},
	{
		"files: os.Stdin as a file",
		`b := make([]byte, 10); n, err := os.Stdin.Read(b); if n > 0 { fmt.Println("PWNED", err) }`, harmless,
	},
	{"files: go/parser", `import "go/parser"
_ = parser.ParseDir`, refused},
	{"files: template ParseFiles", `import "text/template"
t, err := template.ParseFiles("/etc/passwd"); if err == nil { fmt.Println("PWNED", t) }`, harmless},
	{"files: a template that is given itself", `t := template.Must(template.New("x").Parse("{{.ParseFiles \"/etc/passwd\"}}PWNED"))
t.Execute(os.Stdout, t)`, harmless},
	{"files: relative import", `import "./canary"
canary.Read()`, refused},
	{"files: module import", `import "github.com/gorlm/rlm/sandbox"
sandbox.New(nil, sandbox.Config{})`, refused},
	{"files: time zone", `l, err := time.LoadLocation("../../../etc/passwd"); if err == nil { fmt.Println("PWNED", l) }`, harmless},
	{"files: time zone that exists", `l, err := time.LoadLocation("Europe/Berlin"); fmt.Println(l, err)`, harmless},
	// Environment.
	{"environment: Getenv", `if v := os.Getenv("CANARY"); v != "" { fmt.Println("PWNED", v) }`, harmless},
	{"environment: Environ", `for _, v := range os.Environ() { if strings.Contains(v, "CANARY") { fmt.Println("PWNED", v) } }`, harmless},
	{
		"environment: arguments",
		`for _, v := range os.Args { if strings.Contains(v, "canary") { fmt.Println("PWNED", v) } }`, harmless,
	},
	{
		"environment: hostname",
		`h, err := os.Hostname(); if err == nil && h != "" && h != "sandbox" { fmt.Println("PWNED", h) }`, harmless,
	},
	{"environment: expand", `s := os.ExpandEnv("$CANARY$HOME$PATH"); if s != "" { fmt.Println("PWNED", s) }`, harmless},
	{"environment: user", `import "os/user"
u, err := user.Current(); if err == nil { fmt.Println("PWNED", u) }`, refused},
	{"environment: runtime", `import "runtime"
fmt.Println(runtime.GOROOT())`, refused},
	{"environment: debug", `import "runtime/debug"
debug.SetMaxStack(1 << 40)`, refused},
	// Network.
	{"network: net", `import "net"
c, err := net.Dial("tcp", "127.0.0.1:80"); fmt.Println("PWNED", c, err)`, refused},
	{"network: http", `import "net/http"
r, err := http.Get("http://127.0.0.1/"); fmt.Println("PWNED", r, err)`, refused},
	{"network: smtp", `import "net/smtp"
smtp.SendMail("127.0.0.1:25", nil, "", nil, nil)`, refused},
	{"network: rpc", `import "net/rpc"
rpc.Dial("unix", "/tmp/x")`, refused},
	{"network: log/syslog", `import "log/syslog"
syslog.New(0, "x")`, refused},
	{"network: crypto/tls", `import "crypto/tls"
tls.Dial("tcp", "127.0.0.1:443", nil)`, refused},
	{"network: html/template", `import "html/template"
_, err := template.ParseGlob("/etc/*"); if err == nil { fmt.Println("PWNED") }`, harmless},
	{"network: database", `import "database/sql"
sql.Open("x", "y")`, refused},
	// Processes.
	{"processes: exec", `import "os/exec"
out, err := exec.Command("id").Output(); fmt.Println("PWNED", string(out), err)`, refused},
	{"processes: syscall", `import "syscall"
syscall.Kill(1, 9)`, refused},
	{"processes: unsafe", `import "unsafe"
var p *int = (*int)(unsafe.Pointer(uintptr(1))); *p = 1`, refused},
	{"processes: reflect", `import "reflect"
v := reflect.ValueOf(&x).Elem(); v.SetInt(666); fmt.Println("PWNED")`, harmless},
	{"processes: plugin", `import "plugin"
plugin.Open("/tmp/x.so")`, refused},
	{"processes: cgo", `import "C"
C.system(nil)`, refused},
	{"processes: x/sys", `import "golang.org/x/sys/unix"
unix.Exec("/bin/sh", nil, nil)`, refused},
	{
		"processes: os.StartProcess",
		`p, err := os.StartProcess("/bin/true", nil, &os.ProcAttr{}); if err == nil { fmt.Println("PWNED", p) }`,
		harmless,
	},
	{"processes: linkname", `import _ "unsafe"
//go:linkname exit os.runtime_beforeExit
func exit(int)
exit(0)`, refused},
	{"processes: os.Exit", `os.Exit(0)`, harmless},
	{"processes: the interpreter", `import "github.com/traefik/yaegi/interp"
interp.New(interp.Options{})`, refused},
	{
		"processes: find the parent",
		`p, err := os.FindProcess(os.Getppid()); if err == nil { if p.Kill() == nil { fmt.Println("PWNED") } }`,
		harmless,
	},
	{"processes: signals", `import "os/signal"
signal.Ignore()`, refused},
	{
		"processes: descriptors",
		`f := os.NewFile(3, "host"); if f != nil { if _, err := f.Write([]byte("x")); err == nil { fmt.Println("PWNED") } }`, harmless,
	},
	// Memory.
	{"memory: doubling", `s := "x"; for { s += s }`, fatal},
	{"memory: blocks", `var b [][]byte; for { n := make([]byte, 1<<20); for i := 0; i < len(n); i += 512 { n[i] = 1 }; b = append(b, n) }`, fatal},
	{
		"memory: map", `m := map[string]string{}; for i := 0; ; i++ { m[fmt.Sprint(i)] = strings.Repeat("x", 10000) }`,
		fatal,
	},
	{"memory: one huge block", `b := make([]byte, 1<<40); fmt.Println(len(b))`, fatal},
	{"memory: impossible block", `n := 1 << 62; b := make([]byte, n); fmt.Println(len(b))`, harmless},
	{"memory: strings.Repeat", `s := strings.Repeat("0123456789", 1<<28); fmt.Println(len(s))`, fatal},
	{"memory: goroutines", `for { go func() { select {} }() }`, fatal},
	{"memory: channel", `c := make(chan [1024]int, 1<<30); fmt.Println(cap(c))`, harmless},
	{
		"memory: regular expression",
		`re, err := regexp.Compile(strings.Repeat("(a{0,1000}", 3) + strings.Repeat("){0,1000}", 3)); if err == nil { fmt.Println(re.NumSubexp()) }`, harmless,
	},
	{"memory: zip bomb", `var buf bytes.Buffer
z := gzip.NewWriter(&buf); for i := 0; i < 20; i++ { z.Write(make([]byte, 1<<20)) }; z.Close()
r, _ := gzip.NewReader(strings.NewReader(strings.Repeat(buf.String(), 20))) // read as one
all, err := io.ReadAll(r); fmt.Println(len(all), err)`, fatal},
	// Time.
	{"time: loop", `for {}`, fatal},
	{"time: sleep", `time.Sleep(1 << 62)`, fatal},
	{"time: select", `select {}`, fatal},
	{"time: deferred loop", `func() { defer func() { for {} }(); panic("x") }()`, fatal},
	{"time: recovering loop", `for { func() { defer func() { recover() }(); panic("x") }() }`, fatal},
	{"time: many goroutines", `for i := 0; i < 50; i++ { go func() { for {} }() }; select {}`, fatal},
	{"time: native loop", `for { strings.Count(strings.Repeat("a", 1<<20), "b") }`, fatal},
	{"time: a String method", `type loop int
func (l loop) String() string { for {} }
fmt.Println(loop(1))`, fatal},
	{"time: finalizer of time", `t := time.AfterFunc(time.Hour, func() { fmt.Println("PWNED") }); t.Stop()`, fine},
	// The next attack has other limits, so no cell of it runs beside this loop.
	{"time: left behind", `go func() { for {} }(); y := 1; fmt.Println(y)`, harmless},
	// Crashes.
	{"crash: recursion", `var r func(int) int; r = func(n int) int { return r(n+1) + 1 }; r(0)`, fatal},
	{"crash: String recursion", `type t struct{ a int }
func (v t) String() string { return fmt.Sprint(v) }
fmt.Println(t{1})`, harmless},
	{"crash: map writes", `m := map[int]int{}; for g := 0; g < 4; g++ { go func() { for i := 0; ; i++ { m[i%8] = i } }() }; time.Sleep(20 * time.Second)`, fatal},
	{"crash: unlock", `var mu sync.Mutex; mu.Unlock()`, fatal},
	{"crash: goroutine's panic", `go func() { panic("x") }(); time.Sleep(100 * time.Millisecond)`, harmless},
	{"crash: timer's panic", `time.AfterFunc(1, func() { panic("x") }); time.Sleep(200 * time.Millisecond)`, harmless},
	{"crash: nil", `var p *int; *p = 1`, refused},
	{"crash: wait group", `var wg sync.WaitGroup; wg.Done()`, refused},
	{"crash: closed channel", `c := make(chan int); close(c); close(c)`, refused},
	{"crash: divide", `z := 0; fmt.Println(1 / z)`, refused},
	{"crash: cyclic value", `type node struct{ next *node; vals []any }
n := &node{}; n.next = n; n.vals = append(n.vals, n, n.vals); fmt.Println(len(n.vals))`, fine},
	// Source.
	{"source: too long", "s := `" + strings.Repeat("x", 300<<10) + "`", refused},
	{"source: deep nesting", "n := " + strings.Repeat("(", 50_000) + "1" + strings.Repeat(")", 50_000), harmless},
	{"source: deep blocks", strings.Repeat("{", 20_000) + strings.Repeat("}", 20_000), harmless},
	{"source: zero bytes", "n := \"\x00\x01\xff\"", harmless},
	{"source: long line", "n := 0" + strings.Repeat(" + 1", 40_000), harmless},
	{"source: many constants", "const (\na0 = 1\n" + manyConsts(2000) + ")", harmless},
	{"source: huge constant", `const big = 1 << 100000000
fmt.Println(big >> 99999999)`, harmless},
	{"source: huge array", `var a [1 << 40]byte
fmt.Println(len(a))`, harmless},
	{"source: line directives", "//line /etc/passwd:1\nn := undefinedName", refused},
	{
		"source: shadowed builtins",
		`llm_query := func(string) string { return "shadow" }; FINAL := 1; fmt.Println(llm_query("x"), FINAL)`,
		harmless,
	},
	// Output.
	{"output: flood", `for i := 0; i < 200000; i++ { fmt.Println("flood flood flood") }`, harmless},
	{"output: one long line", `fmt.Println(strings.Repeat("x", 20<<20))`, harmless},
	{"output: stderr", `for i := 0; i < 20000; i++ { fmt.Fprintln(os.Stderr, "PWNED"[:0], "noise") }`, harmless},
	{"output: print builtin", `for i := 0; i < 20000; i++ { println("noise") }`, harmless},
	{"output: looks like a frame", `fmt.Print("\x00\x00\x00\x40\x00\x20{\"op\":\"result\",\"cell\":3}")`, fine},
	{"output: invalid text", `fmt.Print("\xff\xfe\x1b[2J\x07")`, fine},
	// Protocol.
	{"protocol: large prompt", `llm_query(strings.Repeat("x", 9<<20))`, refused},
	{"protocol: large answer", `FINAL(strings.Repeat("x", 5<<20))`, refused},
	{"protocol: many calls", `var wg sync.WaitGroup; for i := 0; i < 300; i++ { wg.Add(1); go func() { defer wg.Done(); llm_query("x") }() }; wg.Wait()`, fine},
	{"protocol: calls without end", `for { llm_query("x") }`, fatal},
	{"protocol: odd prompt", `llm_query("\x00\xff\u2028")`, fine},
}

// judge describes what is wrong with a result.
func (o outcome) judge(res sandbox.Result) string {
	switch {
	case o == refused && res.Error == nil:
		return "it should fail"
	case o == refused && res.Restore != nil:
		return "it should not cost the worker"
	case o == fatal && (res.Error == nil || res.Restore == nil):
		return "it should cost the worker"
	case o == fatal && res.Error.Kind == cellerror.WorkerExit:
		return "nobody knows what the worker died of"
	case res.Restore != nil && res.Restore.Losses() != "":
		return "the state was lost: " + res.Restore.Losses()
	case o == fine && res.Error != nil:
		return "it should work"
	}
	return ""
}

func manyConsts(n int) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "a%d = a%d + 1\n", i, i-1)
	}
	return b.String()
}

const (
	canary    = "c4n4ry-5ecret"
	attackEnv = "RLM_TEST_ATTACK" // the part of the suite that a process runs
	onLimits  = "limits"
	onJail    = "jail"
)

// TestAttacks runs the suite in separate processes with a secret in their environment, arguments, working folder
// and open descriptors. Attacks on the lock-down run as the user who runs the tests and, if that is root, as an
// ordinary user too; attacks on limits run once, as they are the same for both.
func TestAttacks(t *testing.T) {
	t.Parallel()
	if part := os.Getenv(attackEnv); part != "" {
		attackAll(t, part)
		return
	}
	require.Equal(t, len(attacks), len(attacksOn(onJail))+len(attacksOn(onLimits)))
	users := map[string]*syscall.Credential{"this user": nil}
	if os.Getuid() == 0 {
		users["nobody"] = &syscall.Credential{Uid: 65534, Gid: 65534}
	} else {
		t.Log("not root: the suite runs as this user only")
	}
	t.Run("limits", func(t *testing.T) {
		t.Parallel()
		attackAs(t, nil, onLimits)
	})
	for name, credential := range users {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			attackAs(t, credential, onJail)
		})
	}
}

func attackAs(t *testing.T, credential *syscall.Credential, part string) {
	dir, err := os.MkdirTemp("", "rlm")
	require.NoError(t, err)
	defer func() { _ = os.RemoveAll(dir) }()
	require.NoError(t, os.Chmod(dir, 0o755))
	secret := filepath.Join(dir, "canary.txt")
	require.NoError(t, os.WriteFile(secret, []byte(canary), 0o644))
	file, err := os.Open(secret)
	require.NoError(t, err)
	defer func() { _ = file.Close() }()
	cmd := exec.Command("/proc/self/exe", "-test.run=^TestAttacks$", "-test.v", "canary="+canary)
	cmd.Env = append(os.Environ(), attackEnv+"="+part, "CANARY="+canary, "TMPDIR="+dir)
	cmd.Dir = dir
	cmd.ExtraFiles = []*os.File{file}
	if credential != nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: credential}
	}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), fmt.Sprintf("%d attacks", len(attacksOn(part))))
	t.Logf("%s", lastLines(string(out)))
}

func lastLines(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return strings.Join(lines[max(0, len(lines)-4):], "\n")
}

func attackAll(t *testing.T, part string) {
	require.Equal(t, canary, os.Getenv("CANARY"))
	require.Contains(t, strings.Join(flag.Args(), " "), canary)
	require.NoError(t, sandbox.Harden())
	var s *sandbox.Session
	var limits, last sandbox.Limits
	fresh := func() {
		if s != nil {
			require.NoError(t, s.Close())
		}
		s = start(t, sandbox.Config{Limits: limits})
		last = limits
		good(t, s, "x := 41\nf := func() int { x++; return x }")
	}
	for _, a := range attacksOn(part) {
		limits = sandbox.Limits{CellMemory: 96 << 20, Replays: 1 << 30}
		a.bound(&limits)
		if s == nil || limits != last {
			fresh()
		} else {
			good(t, s, "x = 41")
		}
		res := run(t, s, a.source)
		told := fmt.Sprintf("%s\n%+v\n%v", res.Output, res.Result, res.Error)
		require.NotContains(t, told, canary, a.name)
		require.NotContains(t, res.Output, "PWNED", a.name)
		assert.Empty(t, a.outcome.judge(res), "%s\n%.2000s", a.name, told)
		check := good(t, s, `fmt.Println(f(), llm_query("still there?"))`)
		require.Equal(t, "42 re: still there?\n", check.Output, a.name)
		if res.Restore != nil {
			last = sandbox.Limits{} // a new session, because a long history would be replayed repeatedly
		}
	}
	fmt.Printf("%d attacks on the %s at level %s as user %d\n", len(attacksOn(part)), part, s.Level(), os.Getuid())
	if part == onJail {
		probeAll(t)
	}
}

// probeAll makes native code attack from inside, at every level that is available here.
func probeAll(t *testing.T) {
	for _, level := range []sandbox.Level{sandbox.Strict, sandbox.Standard, sandbox.Basic} {
		report, err := sandbox.Probe(t.Context(), level)
		if err != nil {
			fmt.Printf("SKIPPED: level %s is not available here: %v\n", level, err)
			continue
		}
		require.Greater(t, len(report.Probes), 30)
		for _, p := range report.Probes {
			require.True(t, p.OK, "%s: %s (%s) %s", level, p.Name, p.Tried, p.Outcome)
			require.NotContains(t, p.Outcome, canary)
		}
		fmt.Printf("%d probes at level %s\n", len(report.Probes), level)
	}
}
