// Package guest stands for a package of an embedding program whose init function does what it should not do in
// workers, which run the same program. The program's file name selects what it does, as workers have no
// environment.
package guest

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Prefix begins the file names of programs that do one of All.
const Prefix = "guest-"

// All has the things that init functions do, by name.
var All = map[string]func(){
	"sockets":   func() { go sockets(func(error) {}) },
	"timer":     func() { time.AfterFunc(time.Millisecond, func() { sockets(func(error) {}) }) },
	"processes": func() { go every(func() { _, _ = os.StartProcess("/bin/true", []string{"true"}, &os.ProcAttr{}) }) },
	"files":     func() { go every(func() { _ = os.WriteFile(os.TempDir()+"/guest", nil, 0o600) }) },
	"output":    func() { fmt.Fprint(os.Stderr, strings.Repeat("deprecated\n", 30_000)) },
	"waits":     func() { go every(func() {}); select {} },
	"sleeps":    func() { time.Sleep(time.Hour) },
	"exits":     func() { fmt.Fprintln(os.Stderr, "no configuration"); os.Exit(3) },
	"panics":    func() { panic("no configuration") },
	"gives up":  func() { go sockets(func(err error) { fmt.Fprintln(os.Stderr, err); os.Exit(4) }) },
	"crashes":   func() { go sockets(func(err error) { panic(err) }) },
}

func init() {
	exe, _ := os.Executable()
	if what, ok := strings.CutPrefix(filepath.Base(exe), Prefix); ok && os.Getenv("RLM_WORKER") != "" {
		All[what]()
	}
}

func every(do func()) {
	for {
		do()
		time.Sleep(time.Millisecond)
	}
}

// sockets opens sockets until that is not permitted; errors of the network do not count.
func sockets(failed func(error)) {
	every(func() {
		c, err := net.Dial("udp", "127.0.0.1:9")
		switch {
		case err == nil:
			_, _ = c.Write([]byte("up:1|g"))
			_ = c.Close()
		case strings.Contains(err.Error(), "not permitted"):
			failed(err)
		}
	})
}
