package probe

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

func memory() []Probe {
	anonymous := func(prot int) ([]byte, error) {
		return unix.Mmap(-1, 0, 4096, prot, unix.MAP_ANON|unix.MAP_PRIVATE)
	}
	return []Probe{
		worked("memory.execute", "map executable memory", func(int) error {
			_, err := anonymous(unix.PROT_READ | unix.PROT_EXEC)
			return err
		}),
		worked("memory.protect", "make memory executable", func(int) error {
			b, err := anonymous(unix.PROT_READ | unix.PROT_WRITE)
			if err != nil {
				return err
			}
			return unix.Mprotect(b, unix.PROT_READ|unix.PROT_EXEC)
		}),
		worked("memory.execute.high", "map executable memory with bits that the kernel ignores", func(int) error {
			return raw(unix.SYS_MMAP, 0, 4096, high|unix.PROT_READ|unix.PROT_EXEC, unix.MAP_ANON|unix.MAP_PRIVATE,
				minus1, 0)
		}),
		worked("memory.protect.key", "make memory executable by pkey_mprotect", func(int) error {
			b, err := anonymous(unix.PROT_READ | unix.PROT_WRITE)
			if err != nil {
				return err
			}
			return raw(unix.SYS_PKEY_MPROTECT, uintptr(unsafe.Pointer(&b[0])), 4096, unix.PROT_READ|unix.PROT_EXEC,
				minus1)
		}),
		worked("memory.shared", "map shared memory, which its host does not count",
			mapped(unix.MAP_ANON|unix.MAP_SHARED)),
		worked("memory.huge", "map huge pages", mapped(unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_HUGETLB)),
		worked("memory.down", "map memory that grows down", mapped(unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_GROWSDOWN)),
		worked("memory.locked", "map locked memory", mapped(unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_LOCKED)),
		worked("memory.merge", "have equal pages merged with those of others", func(int) error {
			b, err := anonymous(unix.PROT_READ | unix.PROT_WRITE)
			if err != nil {
				return err
			}
			return unix.Madvise(b, unix.MADV_MERGEABLE)
		}),
		reached("memory.remap.file", "rearrange the pages of a file", call(unix.SYS_REMAP_FILE_PAGES, 1, 0, 0, 0, 0)),
		worked("memory.futex.pi", "lend priority by a futex", func(int) error {
			const lockPI = 6
			word := new(uint32)
			return raw(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), lockPI, 0, 0, 0, 0)
		}),
		worked("memory.file", "make a memory file", func(int) error { _, err := unix.MemfdCreate("x", 0); return err }),
		worked("memory.secret", "make a secret memory file", call(unix.SYS_MEMFD_SECRET, 0)),
		worked("memory.lock", "lock memory", call(unix.SYS_MLOCKALL, unix.MCL_FUTURE)),
		reached("memory.shm", "share memory with other processes", call(unix.SYS_SHMGET, 0, 0, 0)),
		reached("memory.sem", "share semaphores", call(unix.SYS_SEMGET, 0, minus1, 0)),
		worked("memory.msg", "share message queues", call(unix.SYS_MSGGET, 0, 0o1000)),
		reached("memory.mq", "open a POSIX message queue", call(unix.SYS_MQ_OPEN, 0, 0, 0, 0)),
		worked("memory.userfaultfd", "handle page faults", call(unix.SYS_USERFAULTFD, unix.O_CLOEXEC|1)),
		reached("memory.remap", "move memory", call(unix.SYS_MREMAP, 1, 0, 0, 0, 0)),
		worked("memory.keys", "allocate protection keys", call(unix.SYS_PKEY_ALLOC, 0, 0)),
	}
}

func mapped(flags int) func(int) error {
	return func(int) error {
		b, err := unix.Mmap(-1, 0, 2<<20, unix.PROT_READ|unix.PROT_WRITE, flags)
		if err == nil {
			err = unix.Munmap(b)
		}
		return err
	}
}

func privileges() []Probe {
	limit := func(what int) func(int) error {
		return func(int) error {
			inf := unix.Rlimit{Cur: unix.RLIM_INFINITY, Max: unix.RLIM_INFINITY}
			return unix.Prlimit(0, what, &inf, nil)
		}
	}
	return []Probe{
		worked("privilege.limit.memory", "lift the memory limit", limit(unix.RLIMIT_AS)),
		worked("privilege.limit.files", "lift the limit on file size", limit(unix.RLIMIT_FSIZE)),
		worked("privilege.setuid", "change the user", call(unix.SYS_SETRESUID, minus1, minus1, minus1)),
		worked("privilege.setgid", "change the group", call(unix.SYS_SETRESGID, minus1, minus1, minus1)),
		reached("privilege.setgroups", "change the groups", call(unix.SYS_SETGROUPS, minus1, 0)),
		reached("privilege.capset", "get capabilities", call(unix.SYS_CAPSET, 0, 0)),
		worked("privilege.dumpable", "become dumpable", func(int) error {
			return unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0)
		}),
		worked("privilege.dumpable.high", "become dumpable with bits that the kernel ignores",
			call(unix.SYS_PRCTL, high|unix.PR_SET_DUMPABLE, 1, 0, 0, 0)),
		worked("privilege.orphan", "survive the host", func(int) error {
			return unix.Prctl(unix.PR_SET_PDEATHSIG, 0, 0, 0, 0)
		}),
		reached("privilege.seccomp", "install another filter", call(unix.SYS_SECCOMP, 99, 0, 0)),
		worked("privilege.unshare", "leave a namespace", call(unix.SYS_UNSHARE, 0)),
		worked("privilege.userns", "make a user namespace", call(unix.SYS_UNSHARE, unix.CLONE_NEWUSER)),
		reached("privilege.setns", "enter a namespace", call(unix.SYS_SETNS, minus1, 0)),
		reached("privilege.mount", "mount a file system", call(unix.SYS_MOUNT, 0, 0, 0, 0, 0)),
		reached("privilege.umount", "unmount a file system", call(unix.SYS_UMOUNT2, 0, 0)),
		reached("privilege.pivot", "change the root of all", call(unix.SYS_PIVOT_ROOT, 0, 0)),
		reached("privilege.chroot", "change the root", call(unix.SYS_CHROOT, 0)),
		reached("privilege.fsopen", "open a file system", call(unix.SYS_FSOPEN, 0, 0)),
		reached("privilege.keyctl", "use the keyring", call(unix.SYS_KEYCTL, 999, 0, 0, 0, 0)),
		reached("privilege.addkey", "add a key", call(unix.SYS_ADD_KEY, 0, 0, 0, 0, 0)),
		reached("privilege.scheduler", "become real-time", call(unix.SYS_SCHED_SETSCHEDULER, 0, 99, 0)),
		reached("privilege.timer", "use interval timers", call(unix.SYS_SETITIMER, 99, 0, 0)),
	}
}

func kernel() []Probe {
	return []Probe{
		reached("kernel.bpf", "load a BPF program", call(unix.SYS_BPF, 0, 0, 0)),
		reached("kernel.perf", "use performance events", call(unix.SYS_PERF_EVENT_OPEN, 0, 0, minus1, minus1, 0)),
		reached("kernel.io_uring", "use io_uring", call(unix.SYS_IO_URING_SETUP, 0, 0)),
		reached("kernel.io_uring.enter", "enter an io_uring", call(unix.SYS_IO_URING_ENTER, minus1, 0, 0, 0, 0, 0)),
		reached("kernel.module", "load a kernel module", call(unix.SYS_INIT_MODULE, 0, 0, 0)),
		reached("kernel.kexec", "load another kernel", call(unix.SYS_KEXEC_LOAD, 0, 99, 0, 0)),
		reached("kernel.reboot", "reboot", call(unix.SYS_REBOOT, 0, 0, 0, 0)),
		reached("kernel.hostname", "rename the machine", call(unix.SYS_SETHOSTNAME, 0, minus1)),
		reached("kernel.clock", "set the clock", func(int) error {
			var ts unix.Timespec
			return raw(unix.SYS_CLOCK_SETTIME, 999, uintptr(unsafe.Pointer(&ts)))
		}),
		reached("kernel.swap", "swap on a file", call(unix.SYS_SWAPON, 0, 0)),
		reached("kernel.acct", "switch process accounting", call(unix.SYS_ACCT, 1)),
		reached("kernel.quota", "change quotas", call(unix.SYS_QUOTACTL, minus1, 0, 0, 0)),
		reached("kernel.personality", "change the personality", call(unix.SYS_PERSONALITY, 0xffffffff)),
		worked("kernel.landlock", "make a landlock ruleset",
			call(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)),
		worked("kernel.number.high", "make a system call by a number with bits that the kernel ignores",
			call(high|unix.SYS_GETPPID)),
		worked("kernel.future", "make a system call that is newer than this program",
			call(unix.SYS_RSEQ_SLICE_YIELD+30)),
	}
}
