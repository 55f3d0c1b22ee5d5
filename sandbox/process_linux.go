package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/gorlm/rlm/sandbox/internal/jail"
)

// canNamespace says that workers can be started in namespaces of their own, if the system lets this user.
const canNamespace = !raceEnabled

// executable is the running program, also when its file was replaced or deleted meanwhile.
func executable() (string, error) { return "/proc/self/exe", nil }

// confine starts the worker in namespaces of its own, where it is root of nothing, and has it die with its host.
func confine(cmd *exec.Cmd, how start) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	if how != namespaced {
		return
	}
	cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET | syscall.CLONE_NEWPID | syscall.CLONE_NEWNS |
		syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS | syscall.CLONE_NEWCGROUP
	cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}
	cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
}

// dumpable guards a property of the whole process, which more than one pool may have to change.
var dumpable sync.Mutex

// startProcess starts a command. Namespaces for an ordinary user need the process to be dumpable for that moment: the kernel
// keeps the id maps of a child out of reach of a parent that protects itself (see Harden).
func startProcess(cmd *exec.Cmd) error {
	if cmd.SysProcAttr.Cloneflags == 0 || os.Getuid() == 0 {
		return cmd.Start()
	}
	dumpable.Lock()
	defer dumpable.Unlock()
	if d, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0); err != nil || d != 0 {
		return cmd.Start()
	}
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0); err != nil {
		return os.NewSyscallError("prctl", err)
	}
	err := cmd.Start()
	if perr := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); perr != nil {
		return fmt.Errorf("protect the process again: %w", errors.Join(perr, err))
	}
	return err
}

// verifyLayers takes away from a worker's own report what the kernel does not confirm.
func verifyLayers(pid int, l *jail.Layers) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		l.Why = append(l.Why, "verification: "+err.Error())
		*l = jail.Layers{Why: l.Why}
		return
	}
	confirm := func(layer *bool, line string) {
		if *layer && !strings.Contains(string(status), "\n"+line+"\n") {
			*layer = false
			l.Why = append(l.Why, "verification: the kernel does not report "+strings.ReplaceAll(line, "\t", " "))
		}
	}
	confirm(&l.Seccomp, "Seccomp:\t2")
	confirm(&l.NoNewPrivs, "NoNewPrivs:\t1")
	confirm(&l.NoCaps, "CapEff:\t0000000000000000")
}

// shareable opens the file again for reading only: a mapping of that can never become writable, whether the file is sealed or not.
func (p *process) shareable(f *os.File) (*os.File, uint64, error) {
	again, err := os.Open(fmt.Sprintf("/proc/self/fd/%d", f.Fd()))
	if err != nil {
		return f, 0, nil // no /proc here: the caller's seals must do
	}
	return again, 0, nil
}
