package probe

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// worked makes a probe of an attack that has done its harm only when it succeeds.
func worked(name, tried string, attack func(host int) error) Probe {
	return Probe{Name: name, Tried: tried, try: func(host int) (bool, string) {
		if err := attack(host); err != nil {
			return false, reason(err)
		}
		return true, "worked"
	}}
}

// reached makes a probe of an attack with arguments that cannot succeed: the door is open when the kernel complains about them.
func reached(name, tried string, attack func(host int) error) Probe {
	return Probe{Name: name, Tried: tried, try: func(host int) (bool, string) {
		err := attack(host)
		var errno unix.Errno
		if errors.As(err, &errno) && (errno == unix.EPERM || errno == unix.EACCES || errno == unix.ENOSYS) {
			return false, reason(err)
		}
		if err == nil {
			return true, "worked"
		}
		return true, "the kernel looked at it: " + reason(err)
	}}
}

func reason(err error) string {
	var errno unix.Errno
	if errors.As(err, &errno) {
		return fmt.Sprintf("%s (%s)", errno.Error(), unix.ErrnoName(errno))
	}
	return err.Error()
}

// call makes a system call with the arguments as they are.
func call(nr uintptr, args ...uintptr) func(int) error {
	return func(int) error { return raw(nr, args...) }
}

func raw(nr uintptr, args ...uintptr) error {
	var a [6]uintptr
	copy(a[:], args)
	if _, _, errno := unix.RawSyscall6(nr, a[0], a[1], a[2], a[3], a[4], a[5]); errno != 0 {
		return errno
	}
	return nil
}

// opened closes what an attack opened.
func opened(fd int, err error) error {
	if err == nil {
		_ = unix.Close(fd)
	}
	return err
}

const minus1 = ^uintptr(0)

// native is everything that is tried on Linux.
func native() []Probe {
	all := files()
	all = append(all, secrets()...)
	all = append(all, network()...)
	all = append(all, processes()...)
	all = append(all, memory()...)
	all = append(all, privileges()...)
	all = append(all, kernel()...)
	return append(all, nativeHere()...)
}

func files() []Probe {
	open := func(path string, flags int) func(int) error {
		return func(int) error {
			return opened(unix.Open(path, flags, 0o600))
		}
	}
	return []Probe{
		worked("file.open", "open /etc/passwd", open("/etc/passwd", unix.O_RDONLY)),
		worked("file.openat2", "open /etc/passwd by openat2", func(int) error {
			return opened(unix.Openat2(unix.AT_FDCWD, "/etc/passwd", &unix.OpenHow{}))
		}),
		worked("file.stat", "look whether /etc/passwd is there", func(int) error {
			var st unix.Stat_t
			return unix.Stat("/etc/passwd", &st)
		}),
		worked("file.access", "ask for access to /etc/passwd", func(int) error { return unix.Faccessat(unix.AT_FDCWD, "/etc/passwd", unix.R_OK, 0) }),
		worked("file.list", "list the root folder", func(int) error {
			names, err := os.ReadDir("/")
			if err == nil && len(names) == 0 {
				return errors.New("it is empty")
			}
			return err
		}),
		worked("file.write", "create a file in /tmp", open("/tmp", unix.O_TMPFILE|unix.O_RDWR)),
		worked("file.device", "open /dev/null for writing", open("/dev/null", unix.O_WRONLY)),
		worked("file.readlink", "read where /proc/self/exe leads", func(int) error {
			_, err := unix.Readlink("/proc/self/exe", make([]byte, 4096))
			return err
		}),
		worked("file.folder", "ask for the working folder", func(int) error {
			wd, err := unix.Getwd()
			if err == nil && wd == "/" {
				return errors.New("it is /")
			}
			return err
		}),
		reached("file.mkdir", "make a folder", func(int) error { return unix.Mkdirat(unix.AT_FDCWD, "", 0o700) }),
		reached("file.unlink", "remove a file", func(int) error { return unix.Unlinkat(unix.AT_FDCWD, "", 0) }),
		reached("file.rename", "rename a file", func(int) error { return unix.Renameat(unix.AT_FDCWD, "", unix.AT_FDCWD, "") }),
		reached("file.chmod", "change a file's mode", func(int) error { return unix.Fchmodat(unix.AT_FDCWD, "", 0, 0) }),
		reached("file.mknod", "make a device", func(int) error { return unix.Mknodat(unix.AT_FDCWD, "", unix.S_IFCHR, 0) }),
		reached("file.handle", "open a file by its handle", call(unix.SYS_OPEN_BY_HANDLE_AT, minus1, 0, 0)),
		worked("file.inotify", "watch files", func(int) error { return opened(unix.InotifyInit1(0)) }),
		reached("file.truncate", "truncate a descriptor", call(unix.SYS_FTRUNCATE, minus1, 0)),
		worked("file.dup", "duplicate a descriptor", func(int) error {
			return opened(unix.Dup(2))
		}),
		reached("file.ioctl", "push a character into the terminal", call(unix.SYS_IOCTL, 0, unix.TIOCSTI, 0)),
	}
}

func secrets() []Probe {
	of := func(what string) func(host int) error {
		return func(host int) error {
			_, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", host, what))
			return err
		}
	}
	return []Probe{
		worked("secrets.host.environ", "read the host's environment from /proc", of("environ")),
		worked("secrets.host.cmdline", "read the host's command line from /proc", of("cmdline")),
		worked("secrets.host.maps", "read the host's memory map from /proc", of("maps")),
		worked("secrets.host.files", "list the host's open files in /proc", func(host int) error {
			_, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", host))
			return err
		}),
		worked("secrets.own.environ", "read the worker's first environment from /proc", func(int) error {
			_, err := os.ReadFile("/proc/self/environ")
			return err
		}),
		worked("secrets.hostname", "ask for the machine's name", func(int) error {
			var u unix.Utsname
			return unix.Uname(&u)
		}),
		{Name: "secrets.descriptors", Tried: "find descriptors that the host left open", Always: true, try: descriptors},
		worked("secrets.log", "read the kernel's log", func(int) error { _, err := unix.Klogctl(10, nil); return err }),
	}
}

// descriptors counts what is open: the standard three, the connection to the host, and the runtime's epoll and eventfd.
func descriptors(int) (bool, string) {
	var open []int
	for fd := range 1024 {
		if _, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0); err == nil {
			open = append(open, fd)
		}
	}
	return len(open) > 6, fmt.Sprintf("open: %v", open)
}

func network() []Probe {
	socket := func(family, kind, proto int) func(int) error {
		return func(int) error {
			return opened(unix.Socket(family, kind, proto))
		}
	}
	return []Probe{
		worked("net.tcp", "open a TCP socket", socket(unix.AF_INET, unix.SOCK_STREAM, 0)),
		worked("net.udp", "open a UDP socket", socket(unix.AF_INET, unix.SOCK_DGRAM, 0)),
		worked("net.tcp6", "open a TCP socket over IPv6", socket(unix.AF_INET6, unix.SOCK_STREAM, 0)),
		worked("net.unix", "open a Unix socket", socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)),
		worked("net.netlink", "open a netlink socket", socket(unix.AF_NETLINK, unix.SOCK_RAW, 0)),
		worked("net.packet", "open a packet socket", socket(unix.AF_PACKET, unix.SOCK_RAW, 0)),
		worked("net.vsock", "open a socket to the hypervisor", socket(unix.AF_VSOCK, unix.SOCK_STREAM, 0)),
		worked("net.alg", "open a socket to the kernel's ciphers", socket(unix.AF_ALG, unix.SOCK_SEQPACKET, 0)),
		worked("net.pair", "make a pair of sockets", func(int) error { _, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0); return err }),
		reached("net.connect", "connect a descriptor", call(unix.SYS_CONNECT, minus1, 0, 0)),
		reached("net.bind", "bind a descriptor", call(unix.SYS_BIND, minus1, 0, 0)),
		reached("net.accept", "accept a connection", call(unix.SYS_ACCEPT4, minus1, 0, 0, 0)),
		reached("net.sendmsg", "send descriptors to the host", call(unix.SYS_SENDMSG, minus1, 0, 0)),
		reached("net.sendto", "send a datagram", call(unix.SYS_SENDTO, minus1, 0, 0, 0, 0, 0)),
		reached("net.setsockopt", "change the host's socket", call(unix.SYS_SETSOCKOPT, minus1, 0, 0, 0, 0)),
	}
}

func processes() []Probe {
	return []Probe{
		worked("process.fork", "fork", func(int) error { return fork(uintptr(unix.SIGCHLD)) }),
		worked("process.clone.vm", "clone without being a thread", func(int) error { return fork(uintptr(unix.SIGCHLD) | unix.CLONE_FILES) }),
		worked("process.clone.user", "clone into another user namespace", func(int) error { return fork(uintptr(unix.SIGCHLD) | unix.CLONE_NEWUSER) }),
		reached("process.clone3", "clone by clone3", call(unix.SYS_CLONE3, 0, 0)),
		reached("process.exec", "execute a program", func(int) error {
			return unix.Exec("/nowhere", []string{"x"}, nil)
		}),
		reached("process.execveat", "execute a descriptor", call(unix.SYS_EXECVEAT, minus1, 0, 0, 0, unix.AT_EMPTY_PATH)),
		worked("process.start", "start /bin/true", func(int) error {
			p, err := os.StartProcess("/bin/true", []string{"true"}, &os.ProcAttr{})
			if err == nil {
				_, err = p.Wait()
			}
			return err
		}),
		worked("process.signal.host", "signal the host", func(host int) error { return unix.Kill(host, 0) }),
		worked("process.signal.thread", "signal a thread of the host", func(host int) error { return unix.Tgkill(host, host, 0) }),
		worked("process.signal.all", "signal everybody", func(int) error { return unix.Kill(-1, 0) }),
		worked("process.signal.queue", "queue a signal for the host", func(host int) error {
			var info [128]byte
			return raw(unix.SYS_RT_SIGQUEUEINFO, uintptr(host), 0, uintptr(unsafe.Pointer(&info[0])))
		}),
		worked("process.pidfd", "get hold of the host by a pidfd", func(host int) error {
			return opened(unix.PidfdOpen(host, 0))
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
		reached("process.priority", "change the host's priority", func(host int) error { return raw(unix.SYS_SETPRIORITY, 99, uintptr(host), 0) }),
		reached("process.affinity", "move the host to another processor", func(host int) error { return raw(unix.SYS_SCHED_SETAFFINITY, uintptr(host), 0, 0) }),
		worked("process.session", "change the process group", func(int) error { return unix.Setpgid(0, 0) }),
		reached("process.wait", "wait for other processes", call(unix.SYS_WAITID, 99, 0, 0, 0, 0)),
	}
}

// fork clones and has the child end at once.
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

// readMemory reads a byte at an address that this process has too. Where the host has nothing there, the kernel
// still lets on (EFAULT) that it would read.
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
