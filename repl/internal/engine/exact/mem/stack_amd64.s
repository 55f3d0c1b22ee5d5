#include "textflag.h"

// A goroutine's descriptor begins with the bounds of its stack, the lower one first.
TEXT ·StackUsed(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ (TLS), AX
	MOVQ 8(AX), AX
	SUBQ SP, AX
	MOVQ AX, ret+0(FP)
	RET
