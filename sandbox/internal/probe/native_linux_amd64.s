#include "textflag.h"

// func int80(nr uintptr) int32
TEXT ·int80(SB), NOSPLIT, $0-12
	MOVQ nr+0(FP), AX
	INT  $0x80
	MOVL AX, ret+8(FP)
	RET

// func spawn(nr uintptr) int64
TEXT ·spawn(SB), NOSPLIT, $0-16
	MOVQ nr+0(FP), AX
	XORQ DI, DI
	SYSCALL
	TESTQ AX, AX
	JEQ  child
	MOVQ AX, ret+8(FP)
	RET
child: // it may share the stack with its parent, so it must not return
	MOVQ $231, AX // exit_group
	XORQ DI, DI
	SYSCALL
	JMP  child

// func thread(flags, stack uintptr, sleep *unix.Timespec) int64
TEXT ·thread(SB), NOSPLIT, $0-32
	MOVQ flags+0(FP), DI
	MOVQ stack+8(FP), SI
	MOVQ sleep+16(FP), R12
	XORQ DX, DX
	XORQ R10, R10
	XORQ R8, R8
	MOVQ $56, AX // clone
	SYSCALL
	TESTQ AX, AX
	JEQ  sleeps
	MOVQ AX, ret+24(FP)
	RET
sleeps:
	MOVQ R12, DI
	XORQ SI, SI
	MOVQ $35, AX // nanosleep
	SYSCALL
	JMP  sleeps
