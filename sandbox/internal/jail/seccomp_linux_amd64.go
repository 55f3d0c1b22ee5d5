package jail

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_X86_64

var allowedHere = [...]uintptr{unix.SYS_EPOLL_WAIT}

var fatalHere = [...]uintptr{
	unix.SYS_FORK, unix.SYS_VFORK, unix.SYS_KEXEC_FILE_LOAD, unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_MODIFY_LDT,
}

// foreignABI kills a process that uses the x32 ABI, whose numbers are not on the list.
func foreignABI(p *program) {
	const x32 = 0x40000000
	p.skip(unix.BPF_JSET, x32, 1)
	p.ret(kill)
}
