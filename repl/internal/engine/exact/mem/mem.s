// The functions without a body in mem.go are the runtime's; this file lets the compiler know that they have one somewhere.
