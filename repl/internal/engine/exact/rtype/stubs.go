package rtype

import (
	"errors"
	"reflect"
	"sync"

	"github.com/gorlm/rlm/repl/internal/engine/exact/mem"
)

// stubCount bounds the methods of all types in a process; the assembly has as many entries.
const stubCount = 8192

// stubTable contains the function values that stubs call; stubsTaken is their number. A stub is machine code, so
// its table must be at a fixed address. This is the only state that the sessions of a process share.
var (
	stubTable  [stubCount]mem.Ptr
	stubsLock  sync.Mutex
	stubsTaken int
)

// ErrStubs means that the process has no method stubs left.
var ErrStubs = errors.New("the cells of this process have declared too many methods")

// stub returns the code address of a stub that calls f, and keeps f alive forever.
func stub(f reflect.Value) (textOff, error) {
	stubsLock.Lock()
	defer stubsLock.Unlock()
	if stubsTaken == stubCount || stubSize == 0 {
		return 0, ErrStubs
	}
	i := stubsTaken
	stubsTaken++
	stubTable[i] = mem.FuncOf(f)
	return textOff(mem.Keep(mem.Code(stubAddress() + uintptr(i)*stubSize))), nil
}
