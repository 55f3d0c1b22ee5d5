//go:build amd64 || arm64

package jail

import "golang.org/x/sys/unix"

// argumentRules adds rules for system calls that are allowed only with certain arguments.
func argumentRules(p *program, pid int) {
	p.onArg(unix.SYS_MMAP, mapping)
	p.onArg(unix.SYS_MPROTECT, notExecutable)
	p.onArg(unix.SYS_MADVISE, func(p *program) { // as the runtime and C libraries use it, but no merging of pages
		p.arg(2)
		p.oneOf(unix.MADV_DONTNEED, unix.MADV_FREE, unix.MADV_HUGEPAGE, unix.MADV_NOHUGEPAGE, unix.MADV_COLLAPSE)
	})
	p.onArg(unix.SYS_FUTEX, func(p *program) { // no priority inheritance; of operations on two futexes only requeue
		const flags = 128 | 256 // FUTEX_PRIVATE_FLAG, FUTEX_CLOCK_REALTIME
		p.arg(1)
		p.and(^uint32(flags))
		p.oneOf(futexWait, futexWake, futexRequeue, futexWaitBitset, futexWakeBitset)
	})
	p.onArg(unix.SYS_CLONE, threadsOnly)
	// The flags of clone3 are in memory, which the filter cannot read; libraries fall back to clone.
	p.on(unix.SYS_CLONE3, unknown)
	// Other clock ids denote devices, and CPU clocks of other processes.
	ownClocks := func(p *program) { p.arg(0); p.oneOf(clocks...) }
	p.onArg(unix.SYS_CLOCK_GETTIME, ownClocks)
	p.onArg(unix.SYS_CLOCK_NANOSLEEP, ownClocks)
	p.onArg(unix.SYS_SCHED_GETAFFINITY, func(p *program) { // only for the process itself
		p.arg(0)
		p.oneOf(0)
	})
	p.onArg(unix.SYS_TGKILL, func(p *program) { // the scheduler signals its own threads
		p.arg(0)
		p.oneOf(uint32(pid))
	})
	p.onArg(unix.SYS_PRCTL, func(p *program) { // the runtime names its memory
		p.arg(0)
		p.oneOf(unix.PR_SET_VMA)
	})
	p.onArg(unix.SYS_FCNTL, func(p *program) {
		p.arg(1)
		p.oneOf(unix.F_GETFL)
	})
	p.onArg(unix.SYS_RECVMSG, func(p *program) {
		p.arg(2)
		p.oneOf(0, unix.MSG_CMSG_CLOEXEC)
	})
}

// Operations of futex(2).
const (
	futexWait       = 0
	futexWake       = 1
	futexRequeue    = 3
	futexWaitBitset = 9
	futexWakeBitset = 10
)

var clocks = []uint32{
	unix.CLOCK_REALTIME, unix.CLOCK_MONOTONIC, unix.CLOCK_PROCESS_CPUTIME_ID, unix.CLOCK_THREAD_CPUTIME_ID,
	unix.CLOCK_MONOTONIC_RAW, unix.CLOCK_REALTIME_COARSE, unix.CLOCK_MONOTONIC_COARSE, unix.CLOCK_BOOTTIME,
}

// notExecutable kills a process that asks for executable memory.
func notExecutable(p *program) {
	p.arg(2)
	p.skip(unix.BPF_JSET, unix.PROT_EXEC, 1)
	p.ret(kill)
	p.skip(unix.BPF_JSET, ^uint32(unix.PROT_READ|unix.PROT_WRITE), 1)
	p.ret(deny)
	p.ret(allow)
}

// mapping allows private memory, and shared mappings of a file: the context. Shared memory without a file would
// escape the host, which measures a worker's private memory.
func mapping(p *program) {
	p.arg(2)
	p.skip(unix.BPF_JSET, unix.PROT_EXEC, 1)
	p.ret(kill)
	p.skip(unix.BPF_JSET, ^uint32(unix.PROT_READ|unix.PROT_WRITE), 1)
	p.ret(deny)
	const known = unix.MAP_SHARED | unix.MAP_PRIVATE | unix.MAP_FIXED | unix.MAP_ANONYMOUS |
		unix.MAP_NORESERVE | unix.MAP_STACK
	p.arg(3)
	p.skip(unix.BPF_JSET, ^uint32(known), 1) // huge pages, growing down, locked, …
	p.ret(deny)
	p.and(unix.MAP_ANONYMOUS | unix.MAP_SHARED)
	p.skip(unix.BPF_JEQ, unix.MAP_ANONYMOUS|unix.MAP_SHARED, 1)
	p.ret(deny)
	p.ret(allow)
}

// threadsOnly allows new threads of this process, without a pidfd, and kills the process if it asks for another
// process or a namespace.
func threadsOnly(p *program) {
	const thread = unix.CLONE_THREAD | unix.CLONE_VM | unix.CLONE_SIGHAND
	const namespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC |
		unix.CLONE_NEWUSER |
		unix.CLONE_NEWPID | unix.CLONE_NEWNET
	p.arg(0)
	p.skip(unix.BPF_JSET, namespaces, 1)
	p.ret(kill)
	p.and(thread | unix.CLONE_PIDFD)
	p.on(thread, allow)
	p.on(thread|unix.CLONE_PIDFD, deny)
	p.ret(kill)
}
