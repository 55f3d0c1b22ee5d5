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
		worked("privilege.dumpable", "become dumpable", func(int) error { return unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0) }),
		worked("privilege.orphan", "survive the host", func(int) error { return unix.Prctl(unix.PR_SET_PDEATHSIG, 0, 0, 0, 0) }),
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
		worked("kernel.landlock", "make a landlock ruleset", call(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)),
		worked("kernel.future", "make a system call that is newer than this program", call(unix.SYS_RSEQ_SLICE_YIELD+30)),
	}
}
