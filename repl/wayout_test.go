package repl

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/cellerror"
)

// TestWhatACellDoesOnItsWayOut checks that a cell that ends behaves as in an unrecovered panic, except that
// recover() returns nil.
func TestWhatACellDoesOnItsWayOut(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ source, out string }{
		"an answer in a deferred call": {
			"defer fmt.Println(\"outer\")\ndefer FINAL(\"second\")\ndefer fmt.Println(\"inner\")\nFINAL(\"first\")",
			"inner\nouter\n",
		},
		"an answer while a panic is under way": {
			"defer fmt.Println(\"outer\")\nfunc() {\n\tdefer fmt.Println(\"inner\")\n\tdefer func() { FINAL(\"first\") }()\n\tpanic(\"x\")\n}()\nfmt.Println(\"on\")", "inner\nouter\n",
		},
		"a recover after a deferred answer": {
			"defer func() { fmt.Println(\"saw\", recover()) }()\nfunc() {\n\tdefer func() { FINAL(\"first\") }()\n}()\nfmt.Println(\"on\")", "saw <nil>\n",
		},
		"recover in nested deferred closures": {
			"defer func() {\n\tdefer func() { fmt.Println(\"deep\", recover()) }()\n\tfunc() { fmt.Println(\"nested\", recover()) }()\n\tfmt.Println(\"direct\", recover())\n}()\nFINAL(\"first\")",
			"nested <nil>\ndirect <nil>\ndeep <nil>\n",
		},
		"a panic after recover": {
			"defer fmt.Println(\"outer\")\ndefer func() { recover(); panic(\"x\") }()\nFINAL(\"first\")", "outer\n",
		},
		"main": {
			"func main() {\n\tdefer fmt.Println(\"main\")\n\tFINAL(\"first\")\n}\nmain()\nfmt.Println(\"on\")",
			"main\n",
		},
		"init": {"func init() {\n\tdefer fmt.Println(\"init\")\n\tFINAL(\"first\")\n}\nfmt.Println(\"on\")", "init\n"},
		"a package": {
			"package main\nimport \"fmt\"\nfunc main() {\n\tdefer fmt.Println(\"main\")\n\tFINAL(\"first\")\n}",
			"main\n",
		},
		"a goroutine": {
			"var wg sync.WaitGroup\nwg.Go(func() {\n\tdefer fmt.Println(\"goroutine\")\n\tfunc() { defer func() { recover() }(); FINAL(\"first\") }()\n\tfmt.Println(\"on\")\n})\nwg.Wait()", "goroutine\n",
		},
		"a method that fmt calls": {
			"type T struct{}\nfunc (T) String() string {\n\tdefer fmt.Println(\"String\")\n\tFINAL(\"first\")\n\treturn \"\"\n}\ndefer fmt.Println(\"outer\")\n_ = fmt.Sprint(T{})\nfmt.Println(\"on\")", "String\nouter\n",
		},
		"a body of a range over a function": {
			"seq := func(yield func(int) bool) {\n\tdefer fmt.Println(\"seq\")\n\tfor i := 0; yield(i); i++ { }\n}\nfunc() {\n\tdefer fmt.Println(\"body\")\n\tfor i := range seq {\n\t\tif i == 2 { FINAL(\"first\") }\n\t}\n}()\nfmt.Println(\"on\")", "seq\nbody\n",
		},
		"a deferred call in a body of a range": {
			"seq := func(yield func(int) bool) { yield(1); fmt.Println(\"on\") }\nfunc() {\n\tfor i := range seq {\n\t\tdefer fmt.Println(\"deferred\", i)\n\t\tFINAL(\"first\")\n\t}\n}()", "deferred 1\n",
		},
		"a sequence that is pulled": {
			"next, stop := iter.Pull(func(yield func(int) bool) {\n\tdefer fmt.Println(\"seq\")\n\tyield(1)\n\tFINAL(\"first\")\n})\nfunc() {\n\tdefer stop()\n\tdefer fmt.Println(\"caller\")\n\tnext()\n\tnext()\n\tfmt.Println(\"on\")\n}()", "seq\ncaller\n",
		},
		"a sequence that is stopped": {
			"next, stop := iter.Pull(func(yield func(int) bool) {\n\tdefer FINAL(\"first\")\n\tyield(1)\n})\nfunc() {\n\tnext()\n\tstop()\n\tfmt.Println(\"on\")\n}()", "",
		},
		"a case of a select": {
			"var mu sync.Mutex\nready := make(chan int, 1)\nready <- 1\nfunc() {\n\tmu.Lock()\n\tdefer mu.Unlock()\n\tselect {\n\tcase <-ready:\n\t\tFINAL(\"first\")\n\t}\n}()", "",
		},
		"a lock that is held": {
			"var mu sync.RWMutex\ndefer func() {\n\tif mu.TryLock() { fmt.Println(\"unlocked\") }\n}()\nfunc() {\n\tmu.Lock()\n\tdefer mu.Unlock()\n\tFINAL(\"first\")\n}()", "unlocked\n",
		},
		"a channel that is waited for": {
			"done := make(chan int)\ngo func() {\n\tdefer close(done)\n\tFINAL(\"first\")\n}()\n<-done\nfmt.Println(\"received\")", "received\n",
		},
		"sync.OnceFunc twice": {
			"end := sync.OnceFunc(func() { FINAL(\"first\") })\ndefer fmt.Println(\"outer\")\ndefer end()\nend()",
			"outer\n",
		},
	} {
		both(t, name, func(t *testing.T, engine Engine) {
			var s sentinels
			res, out, ok := s.run(t, engine, c.source)
			if !ok {
				return
			}
			require.Nil(t, res.Error, "%v", res.Error)
			require.Equal(t, "first", res.Final.Answer)
			require.Equal(t, c.out, out)
			require.Empty(t, res.Notes)
		})
	}
	t.Run("a panic that a deferred call recovers", func(t *testing.T) { // only in the exact engine
		var s sentinels
		res, out, _ := s.run(t, Exact,
			"defer func() {\n\tfunc() {\n\t\tdefer func() { fmt.Println(\"saw\", recover()) }()\n\t\tpanic(\"own\")\n\t}()\n"+
				"\tfmt.Println(\"goes on\")\n}()\nFINAL(\"first\")")
		require.Equal(t, "first", res.Final.Answer)
		require.Equal(t, "saw own\ngoes on\n", out)
	})
}

// TestNobodyWaitsForTheWayOut checks that deferred code cannot delay a cell that has answered.
func TestNobodyWaitsForTheWayOut(t *testing.T) {
	t.Parallel()
	for name, deferred := range map[string]string{
		"a loop": "for {\n}", "a channel": "<-make(chan int)", "a lock": "var mu sync.Mutex\nmu.Lock()\nmu.Lock()",
		"a panic in a loop": "for {\n\tfunc() {\n\t\tdefer func() { recover() }()\n\t\tpanic(1)\n\t}()\n}",
	} {
		both(t, name, func(t *testing.T, engine Engine) {
			s := newSession(t, Config{Engine: engine, Builtins: endings(), grace: grace})
			res, _ := s.run("defer func() {\n" + deferred + "\n}()\nFINAL(\"first\")")
			if engine == Yaegi && res.Error != nil && res.Error.Kind == cellerror.Refused {
				return
			}
			require.Nil(t, res.Error, "%v", res.Error)
			require.Equal(t, "first", res.Final.Answer)
		})
	}
}
