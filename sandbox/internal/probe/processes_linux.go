package probe

import (
	"errors"
	"os"
	"runtime"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

func processes() []Probe {
	return []Probe{
		worked("process.fork", "fork", func(int) error { return fork(uintptr(unix.SIGCHLD)) }),
		worked("process.clone.vm", "clone without being a thread", func(int) error {
			return fork(uintptr(unix.SIGCHLD) | unix.CLONE_FILES)
		}),
		reached("process.clone.thread", "start a thread in another user namespace",
			call(unix.SYS_CLONE, unix.CLONE_THREAD|unix.CLONE_VM|unix.CLONE_SIGHAND|unix.CLONE_NEWUSER, 0, 0, 0, 0)),
		reached("process.clone.pidfd", "start a thread with a descriptor for it",
			call(unix.SYS_CLONE, unix.CLONE_THREAD|unix.CLONE_VM|unix.CLONE_SIGHAND|unix.CLONE_PIDFD, 0, 0, 0, 0)),
		worked("process.thread.late", "make a memory file from a thread that started after the lock-down", lateThread),
		worked("process.clone.user", "clone into another user namespace", func(int) error {
			return fork(uintptr(unix.SIGCHLD) | unix.CLONE_NEWUSER)
		}),
		reached("process.clone3", "clone by clone3", call(unix.SYS_CLONE3, 0, 0)),
		reached("process.exec", "execute a program", func(int) error {
			return unix.Exec("/nowhere", []string{"x"}, nil)
		}),
		reached("process.execveat", "execute a descriptor",
			call(unix.SYS_EXECVEAT, minus1, 0, 0, 0, unix.AT_EMPTY_PATH)),
		worked("process.start", "start /bin/true", func(int) error {
			p, err := os.StartProcess("/bin/true", []string{"true"}, &os.ProcAttr{})
			if err == nil {
				_, err = p.Wait()
			}
			return err
		}),
		worked("process.signal.host", "signal the host", func(host int) error { return unix.Kill(host, 0) }),
		worked("process.signal.thread", "signal a thread of the host", func(host int) error {
			return unix.Tgkill(host, host, 0)
		}),
		worked("process.signal.tkill", "signal a thread of the host by tkill", func(host int) error {
			return raw(unix.SYS_TKILL, uintptr(host), 0)
		}),
		reached("process.signal.pidfd", "signal by a pidfd", call(unix.SYS_PIDFD_SEND_SIGNAL, minus1, 0, 0, 0)),
		worked("process.signal.all", "signal everybody", func(int) error { return unix.Kill(-1, 0) }),
		worked("process.signal.queue", "queue a signal for the host", func(host int) error {
			var info [128]byte
			return raw(unix.SYS_RT_SIGQUEUEINFO, uintptr(host), 0, uintptr(unsafe.Pointer(&info[0])))
		}),
		worked("process.pidfd", "get hold of the host by a pidfd", func(host int) error {
			return opened(unix.PidfdOpen(host, 0))
		}),
		reached("process.pidfd.getfd", "take a descriptor of the host by a pidfd",
			call(unix.SYS_PIDFD_GETFD, minus1, 0, 0)),
		worked("process.clock", "read how much CPU time the host used", func(host int) error {
			const process = 2 // CPUCLOCK_SCHED
			var ts unix.Timespec
			return raw(unix.SYS_CLOCK_GETTIME, ^uintptr(host)<<3|process, uintptr(unsafe.Pointer(&ts)))
		}),
		worked("process.affinity.read", "find out whether the host is there by its processors", func(host int) error {
			var set unix.CPUSet
			return raw(unix.SYS_SCHED_GETAFFINITY, uintptr(host), unsafe.Sizeof(set), uintptr(unsafe.Pointer(&set)))
		}),
		worked("process.ptrace", "trace the host", func(host int) error {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			if err := unix.PtraceSeize(host); err != nil {
				return err
			}
			return unix.PtraceDetach(host)
		}),
		reached("process.ptrace.me", "ask to be traced with a bad request", call(unix.SYS_PTRACE, 0x7fff, 0, 0, 0)),
		worked("process.vm.read", "read the host's memory", func(host int) error { return readMemory(host) }),
		reached("process.vm.write", "write the host's memory", func(host int) error {
			return raw(unix.SYS_PROCESS_VM_WRITEV, uintptr(host), 0, 0, 0, 0, minus1)
		}),
		reached("process.priority", "change the host's priority", func(host int) error {
			return raw(unix.SYS_SETPRIORITY, 99, uintptr(host), 0)
		}),
		reached("process.affinity", "move the host to another processor", func(host int) error {
			return raw(unix.SYS_SCHED_SETAFFINITY, uintptr(host), 0, 0)
		}),
		worked("process.session", "change the process group", func(int) error { return unix.Setpgid(0, 0) }),
		reached("process.wait", "wait for other processes", call(unix.SYS_WAITID, 99, 0, 0, 0, 0)),
	}
}

// lateThread runs several goroutines, each locked to a thread, so that some of the threads are new.
func lateThread(int) error {
	const threads = 24
	var began, done sync.WaitGroup
	began.Add(threads)
	errs := make(chan error, threads)
	for range threads {
		done.Go(func() {
			runtime.LockOSThread() // the thread ends with the goroutine
			began.Done()
			began.Wait()
			errs <- opened(unix.MemfdCreate("x", 0))
		})
	}
	done.Wait()
	for range threads {
		if err := <-errs; err == nil {
			return nil
		}
	}
	return unix.EPERM
}

// fork clones a child that exits immediately.
func fork(flags uintptr) error {
	pid, _, errno := unix.RawSyscall6(unix.SYS_CLONE, flags, 0, 0, 0, 0, 0)
	if errno != 0 {
		return errno
	}
	if pid == 0 {
		for {
			_, _, _ = unix.RawSyscall(unix.SYS_EXIT_GROUP, 0, 0, 0)
		}
	}
	var ws unix.WaitStatus
	_, _ = unix.Wait4(int(pid), &ws, 0, nil)
	return nil
}

// readMemory reads a byte of the host at an address that is valid in this process. If the host has nothing mapped
// there, the error EFAULT still shows that the kernel tried to read.
func readMemory(host int) error {
	var b [1]byte
	local := []unix.Iovec{{Base: &b[0]}}
	local[0].SetLen(1)
	_, err := unix.ProcessVMReadv(host, local, []unix.RemoteIovec{{Base: uintptr(unsafe.Pointer(&b[0])), Len: 1}}, 0)
	if errors.Is(err, unix.EFAULT) {
		return nil
	}
	return err
}
