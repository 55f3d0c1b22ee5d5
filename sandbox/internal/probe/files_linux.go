package probe

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

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
		worked("file.access", "ask for access to /etc/passwd", func(int) error {
			return unix.Faccessat(unix.AT_FDCWD, "/etc/passwd", unix.R_OK, 0)
		}),
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
		reached("file.rename", "rename a file", func(int) error {
			return unix.Renameat(unix.AT_FDCWD, "", unix.AT_FDCWD, "")
		}),
		reached("file.chmod", "change a file's mode", func(int) error {
			return unix.Fchmodat(unix.AT_FDCWD, "", 0, 0)
		}),
		reached("file.mknod", "make a device", func(int) error {
			return unix.Mknodat(unix.AT_FDCWD, "", unix.S_IFCHR, 0)
		}),
		reached("file.handle", "open a file by its handle", call(unix.SYS_OPEN_BY_HANDLE_AT, minus1, 0, 0)),
		worked("file.inotify", "watch files", func(int) error { return opened(unix.InotifyInit1(0)) }),
		reached("file.truncate", "truncate a descriptor", call(unix.SYS_FTRUNCATE, minus1, 0)),
		worked("file.dup", "duplicate a descriptor", func(int) error {
			return opened(unix.Dup(2))
		}),
		reached("file.dup3", "put a descriptor in the place of another", call(unix.SYS_DUP3, minus1, 99, 0)),
		worked("file.fcntl.dup", "duplicate a descriptor by fcntl", func(int) error {
			return opened(unix.FcntlInt(2, unix.F_DUPFD, 0))
		}),
		worked("file.fcntl.dup.high", "the same with bits that the kernel ignores", func(int) error {
			fd, _, errno := unix.RawSyscall(unix.SYS_FCNTL, 2, high|unix.F_DUPFD, 0)
			if errno != 0 {
				return errno
			}
			return unix.Close(int(fd))
		}),
		reached("file.fcntl.flags", "change the flags of a descriptor", call(unix.SYS_FCNTL, minus1, unix.F_SETFL, 0)),
		reached("file.fcntl.owner", "have signals sent by a descriptor",
			call(unix.SYS_FCNTL, minus1, unix.F_SETOWN, 0)),
		worked("file.pipe", "make a pipe", func(int) error {
			var p [2]int
			if err := unix.Pipe2(p[:], 0); err != nil {
				return err
			}
			_, _ = unix.Close(p[0]), unix.Close(p[1])
			return nil
		}),
		reached("file.splice", "move bytes between descriptors", call(unix.SYS_SPLICE, minus1, 0, minus1, 0, 1, 0)),
		reached("file.tee", "copy bytes between pipes", call(unix.SYS_TEE, minus1, minus1, 1, 0)),
		reached("file.vmsplice", "move memory into a pipe", call(unix.SYS_VMSPLICE, minus1, 0, 0, 0)),
		reached("file.sendfile", "send a file", call(unix.SYS_SENDFILE, minus1, minus1, 0, 1)),
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
		{
			Name: "secrets.descriptors", Tried: "find descriptors that the host left open", Always: true,
			try: descriptors,
		},
		worked("secrets.log", "read the kernel's log", func(int) error { _, err := unix.Klogctl(10, nil); return err }),
	}
}

// descriptors counts the open descriptors: the standard three, the connection to the host, and the runtime's epoll
// and eventfd.
func descriptors(int) (bool, string) {
	var open []int
	for fd := range 1024 {
		if _, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0); err == nil {
			open = append(open, fd)
		}
	}
	return len(open) > 6, fmt.Sprintf("open: %v", open)
}
