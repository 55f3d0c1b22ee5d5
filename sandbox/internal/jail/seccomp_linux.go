//go:build amd64 || arm64

package jail

import (
	"encoding/binary"
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Actions of the filter. A denied call fails with EPERM, so that an accident (a package that looks for a file) is
// an ordinary error; a call that can only be an attempt to break out kills the process, which the host notices. A
// call newer than this table fails with ENOSYS, which makes run-time libraries fall back to an older one.
const (
	allow   = unix.SECCOMP_RET_ALLOW
	kill    = unix.SECCOMP_RET_KILL_PROCESS
	deny    = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	unknown = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
)

// newestCall was the highest system call number when this table was written (numbers above 424 are the same on all
// architectures).
const newestCall = unix.SYS_RSEQ_SLICE_YIELD

// allowed lists the calls that the Go runtime and reading from sockets need, found with strace and by removing
// calls one by one.
var allowed = [...]uintptr{
	unix.SYS_READ, unix.SYS_WRITE, unix.SYS_READV, unix.SYS_WRITEV,
	unix.SYS_EPOLL_PWAIT, unix.SYS_EPOLL_CTL, unix.SYS_NANOSLEEP, unix.SYS_SCHED_YIELD,
	unix.SYS_MUNMAP, unix.SYS_MINCORE, unix.SYS_GETRANDOM,
	unix.SYS_RT_SIGPROCMASK, unix.SYS_RT_SIGRETURN, unix.SYS_RT_SIGACTION, unix.SYS_SIGALTSTACK,
	unix.SYS_RESTART_SYSCALL,
	unix.SYS_GETPID, unix.SYS_GETTID, unix.SYS_CLOSE, unix.SYS_EXIT, unix.SYS_EXIT_GROUP,
	// Calls at the start of a thread in a binary that links C.
	unix.SYS_RSEQ, unix.SYS_SET_ROBUST_LIST,
}

// fatal lists calls that nothing in a worker makes by accident. Opening a socket is not among them: a goroutine
// started in the init function of some package (metrics, licences) may do that at any time, and the cell would be
// blamed.
var fatal = [...]uintptr{
	unix.SYS_EXECVE, unix.SYS_EXECVEAT, unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV,
	unix.SYS_BPF,
	unix.SYS_MOUNT, unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_IO_URING_SETUP, unix.SYS_USERFAULTFD,
	unix.SYS_PERF_EVENT_OPEN,
	unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_KEXEC_LOAD,
	unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
}

// Offsets in struct seccomp_data. Arguments are 64 bits wide; on the little-endian systems supported here the
// lower half comes first.
const (
	dataNr   = 0
	dataArch = 4
	dataArgs = 16
)

// program assembles a filter. A rule that does not match falls through to the next one, so no jump is longer than
// the few instructions of its rule.
type program []unix.SockFilter

func (p *program) load(offset uint32) {
	*p = append(*p, unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset})
}

func (p *program) ret(action uint32) {
	*p = append(*p, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: action})
}

// skip jumps over the next n instructions unless the test succeeds.
func (p *program) skip(test uint16, k uint32, n uint8) {
	*p = append(*p, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_K | test, Jf: n, K: k})
}

// on makes the filter apply action to system call nr.
func (p *program) on(nr uintptr, action uint32) {
	p.skip(unix.BPF_JEQ, uint32(nr), 1)
	p.ret(action)
}

// arg loads the lower half of argument n; the kernel reads only 32 bits of every argument that a rule tests.
func (p *program) arg(n uint32) { p.load(dataArgs + 8*n) }

// and clears all bits that are not in the mask.
func (p *program) and(mask uint32) {
	*p = append(*p, unix.SockFilter{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: mask})
}

// oneOf allows the values and denies all others.
func (p *program) oneOf(values ...uint32) {
	for _, v := range values {
		p.on(uintptr(v), allow)
	}
	p.ret(deny)
}

// onArg makes the filter decide on system call nr with rule, which must return on every path.
func (p *program) onArg(nr uintptr, rule func(p *program)) {
	var body program
	rule(&body)
	p.skip(unix.BPF_JEQ, uint32(nr), uint8(len(body)))
	*p = append(*p, body...)
}

// filter returns the whole allow-list for a process whose id, in its own namespace, is pid. reads also allows
// reading files.
func filter(pid int, reads bool) program {
	var p program
	p.load(dataArch)
	p.skip(unix.BPF_JEQ, auditArch, 1) // the calls of another architecture have other numbers
	p = append(p, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JA, K: 1})
	p.ret(kill)
	p.load(dataNr)
	foreignABI(&p)
	for _, nr := range allowed {
		p.on(nr, allow)
	}
	for _, nr := range allowedHere {
		p.on(nr, allow)
	}
	if reads {
		p.on(unix.SYS_PREAD64, allow)
	}
	argumentRules(&p, pid)
	for _, nr := range fatal {
		p.on(nr, kill)
	}
	for _, nr := range fatalHere {
		p.on(nr, kill)
	}
	p.skip(unix.BPF_JGT, newestCall, 1)
	p.ret(unknown)
	p.ret(deny)
	return p
}

// installFilter puts the filter on all threads of the process in one step; later threads inherit it.
func installFilter(reads bool) error {
	if binary.NativeEndian.Uint16([]byte{1, 0}) != 1 {
		return fmt.Errorf("the filter is written for little-endian machines")
	}
	runtime.LockOSThread() // no_new_privs applies to the calling thread; TSYNC spreads it
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no new privileges: %w", err)
	}
	code := filter(os.Getpid(), reads)
	prog := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	thread, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC,
		uintptr(unsafe.Pointer(&prog)))
	if errno != 0 {
		return errno
	}
	if thread != 0 {
		return fmt.Errorf("thread %d has another filter", thread)
	}
	if _, err := unix.FcntlInt(0, unix.F_GETFD, 0); err != unix.EPERM {
		return fmt.Errorf("the filter does not hold: %v", err)
	}
	return nil
}
