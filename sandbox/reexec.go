package sandbox

import (
	"os"
	"os/exec"

	"github.com/gorlm/rlm/sandbox/internal/worker"
)

// init turns a process that was started to run cells into a worker, which never reaches its main function.
func init() {
	how, rw, ok := worker.Started(worker.Cells)
	if !ok {
		return
	}
	// The main goroutine is bound to the main thread while init functions run; a worker does not need that.
	code := make(chan int)
	go func() { code <- worker.Main(how, rw) }()
	os.Exit(<-code)
}

// startMode is how a worker is started.
type startMode string

const (
	namespaced startMode = worker.Namespaced
	plain      startMode = worker.Plain
	open       startMode = worker.Open
)

// command returns the command that starts a worker: this program again, without its environment.
func command(kind string, how startMode, l *link) (*exec.Cmd, error) {
	exe, err := executable()
	if err != nil {
		return nil, err
	}
	cmd := &exec.Cmd{
		Path: exe,
		Args: []string{"rlm-worker"},
		Dir:  string(os.PathSeparator),
		Env: []string{
			worker.Env + "=" + worker.Marker(kind, string(how), os.Getuid(), os.Getgid()),
			"GOMAXPROCS=2",
			// Without this the runtime keeps files of the cgroup open and reads them from time to time.
			"GODEBUG=containermaxprocs=0,updatemaxprocs=0",
			"GOTRACEBACK=single",
			// Without this glibc, if the program is linked with it, reserves 64 MiB of address space for each
			// thread, which the limit of the cells' memory would count.
			"MALLOC_ARENA_MAX=1",
		},
	}
	l.attach(cmd)
	confine(cmd, how)
	return cmd, nil
}
