package jail

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_AARCH64

var allowedHere = [...]uintptr{}

var fatalHere = [...]uintptr{unix.SYS_KEXEC_FILE_LOAD}

// foreignABI does nothing: 32-bit calls are reported with another architecture, which the filter rejects.
func foreignABI(*program) {}
