package probe

import (
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// int80 makes a system call with the numbers of 32-bit programs; spawn makes one that starts a process, which exits
// immediately; thread starts a thread that sleeps for ever. The Go runtime does not know of any of these.
func int80(nr uintptr) int32
func spawn(nr uintptr) int64
func thread(flags, stack uintptr, sleep *unix.Timespec) int64

func nativeHere() []Probe {
	const x32 = 0x40000000
	return []Probe{
		// 20 is getpid.
		worked("kernel.int80", "call by int 0x80 and the 32-bit numbers", func(int) error {
			return errnoOf(int64(int80(20)))
		}),
		worked("process.fork.raw", "fork by its own call", func(int) error { return spawned(unix.SYS_FORK) }),
		worked("process.vfork", "vfork", func(int) error { return spawned(unix.SYS_VFORK) }),
		worked("process.threads", "start 2 000 threads", func(int) error { return threads(2000) }),
		worked("file.open.legacy", "open /etc/passwd by its old call", func(int) error {
			path := [...]byte{'/', 'e', 't', 'c', '/', 'p', 'a', 's', 's', 'w', 'd', 0}
			fd, _, errno := unix.RawSyscall(unix.SYS_OPEN, uintptr(unsafe.Pointer(&path[0])), unix.O_RDONLY, 0)
			if errno != 0 {
				return errno
			}
			return unix.Close(int(fd))
		}),
		reached("file.dup2", "put a descriptor in the place of another by its old call",
			call(unix.SYS_DUP2, minus1, 99)),
		worked("kernel.x32", "call by the x32 numbers", call(x32|unix.SYS_GETPID)),
		reached("kernel.iopl", "get at I/O ports", call(unix.SYS_IOPL, 99)),
		reached("kernel.ldt", "change the descriptor table", call(unix.SYS_MODIFY_LDT, 99, 0, 0)),
		reached("privilege.segment", "read the thread's segment", call(unix.SYS_ARCH_PRCTL, 0x1003, 0)),
	}
}

// errnoOf turns the kernel's return value into an error.
func errnoOf(r int64) error {
	if r < 0 && r > -4096 {
		return unix.Errno(-r)
	}
	return nil
}

func spawned(nr uintptr) error {
	pid := spawn(nr)
	if err := errnoOf(pid); err != nil {
		return err
	}
	var ws unix.WaitStatus
	_, _ = unix.Wait4(int(pid), &ws, 0, nil)
	return nil
}

// threads starts n threads that the Go runtime does not know of.
func threads(n int) error {
	const stack = 4096
	stacks, err := unix.Mmap(-1, 0, n*stack, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return err
	}
	const flags = unix.CLONE_VM | unix.CLONE_FS | unix.CLONE_FILES | unix.CLONE_SIGHAND |
		unix.CLONE_THREAD | unix.CLONE_SYSVSEM
	sleep := &unix.Timespec{Sec: 1 << 30}
	for i := range n {
		top := uintptr(unsafe.Pointer(&stacks[0])) + uintptr(i+1)*stack
		if err := errnoOf(thread(flags, top, sleep)); err != nil {
			return err
		}
	}
	time.Sleep(time.Second) // so that the host notices
	return nil
}
