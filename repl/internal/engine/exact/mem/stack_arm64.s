#include "textflag.h"

// A goroutine's descriptor begins with the bounds of its stack, the lower one first.
TEXT ·StackUsed(SB), NOSPLIT|NOFRAME, $0-8
	MOVD 8(g), R0
	MOVD RSP, R1
	SUB  R1, R0, R0
	MOVD R0, ret+0(FP)
	RET
