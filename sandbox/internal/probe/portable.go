package probe

import (
	"fmt"
	"os"
	"sort"
	"strings"
	"time"
)

// allowedEnv contains the environment variables that a worker is started with.
var allowedEnv = map[string]bool{
	"RLM_WORKER": true, "GOMAXPROCS": true, "GODEBUG": true, "GOTRACEBACK": true, "MALLOC_ARENA_MAX": true,
	"SYSTEMROOT": true, // os/exec adds it on Windows
}

func portable() []Probe {
	return []Probe{
		{Name: "compute.memory", Tried: "allocate 32 MiB and use it", Possible: true, try: allocate},
		{Name: "compute.goroutines", Tried: "run 1 000 goroutines", Possible: true, try: goroutines},
		{Name: "compute.clock", Tried: "read the clock and wait", Possible: true, try: clock},
		{Name: "secrets.environment", Tried: "read the environment", Always: true, try: environment},
		{Name: "secrets.arguments", Tried: "read the command line", Always: true, try: arguments},
	}
}

func allocate(int) (bool, string) {
	b := make([]byte, 32<<20)
	for i := 0; i < len(b); i += 4096 {
		b[i] = 1
	}
	return b[4096] == 1, "works"
}

func goroutines(int) (bool, string) {
	done := make(chan int)
	for i := range 1000 {
		go func() { done <- i }()
	}
	sum := 0
	for range 1000 {
		sum += <-done
	}
	return sum == 999*1000/2, "works"
}

func clock(int) (bool, string) {
	began := time.Now()
	time.Sleep(time.Millisecond)
	return time.Since(began) >= time.Millisecond, "works"
}

// environment finds variables that a worker should not have.
func environment(int) (bool, string) {
	var names []string
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		if !allowedEnv[strings.ToUpper(name)] {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return false, "nothing in it"
	}
	sort.Strings(names)
	return true, "found " + strings.Join(names, ", ")
}

func arguments(int) (bool, string) {
	if len(os.Args) == 1 {
		return false, "nothing in it"
	}
	return true, fmt.Sprintf("found %d arguments", len(os.Args)-1)
}
