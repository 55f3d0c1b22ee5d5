package rtype

import (
	"errors"
	"reflect"
	"sync"

	"github.com/gorlm/rlm/repl/internal/engine/exact/mem"
)

// stubCount is how many methods the types of a process can have; the assembly has as many entries.
const stubCount = 8192

// stubTable are the function values that stubs call, and stubsTaken how many are. A stub is machine code, so that its table must stand at a
// fixed place: this is the one state that sessions of a process share.
var (
	stubTable  [stubCount]mem.Ptr
	stubsLock  sync.Mutex
	stubsTaken int
)

// ErrStubs says that the process has no method stubs left.
var ErrStubs = errors.New("the cells of this process have declared too many methods")

// stub makes a code address that calls a function value. f stays referenced for good.
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
