package lower

import (
	"go/token"
	"go/types"
	"strings"

	"github.com/gorlm/rlm/repl/internal/engine"
)

// funcHooks are compiled functions that look at the types of their arguments: they are answered by package dyn,
// which knows the types that the interpreter loses.
var funcHooks = map[string]string{
	"slices.overlaps": "rt.Overlaps", "slices.sortOrdered": "rt.SortOrdered", "slices.sortSlice": "rt.SortSlice", "slices.sortSliceStable": "rt.SortSliceStable",
	"fmt.Sprint": "rt.Sprint", "fmt.Sprintf": "rt.Sprintf", "fmt.Sprintln": "rt.Sprintln",
	"fmt.Print": "rt.Print", "fmt.Printf": "rt.Printf", "fmt.Println": "rt.Println",
	"fmt.Fprint": "rt.Fprint", "fmt.Fprintf": "rt.Fprintf", "fmt.Fprintln": "rt.Fprintln",
	"fmt.Append": "rt.Append", "fmt.Appendf": "rt.Appendf", "fmt.Appendln": "rt.Appendln",
	"fmt.Errorf": "rt.Errorf", "time.AfterFunc": "rt.AfterFunc", "context.AfterFunc": "rt.ContextAfterFunc",
	"errors.Is": "rt.ErrorsIs", "errors.As": "rt.ErrorsAs", "errors.Unwrap": "rt.ErrorsUnwrap",
	"encoding/json.Marshal": "rt.JSONMarshal", "encoding/json.MarshalIndent": "rt.JSONMarshalIndent", "encoding/json.Unmarshal": "rt.JSONUnmarshal",
}

// methodHooks are the same for methods of compiled types; the receiver comes first.
var methodHooks = map[string]string{
	"(*sync.WaitGroup).Go":            "rt.WaitGroupGo",
	"(*sync.Map).Range":               "rt.SyncMapRange",
	"(*time.Timer).Stop":              "rt.TimerStop",
	"(*time.Timer).Reset":             "rt.TimerReset",
	"(*time.Ticker).Stop":             "rt.TickerStop",
	"(*time.Ticker).Reset":            "rt.TickerReset",
	"(*encoding/json.Encoder).Encode": "rt.JSONEncode",
	"(*encoding/json.Decoder).Decode": "rt.JSONDecode",
}

// rawAny are compiled functions that take any and use reflection on the shape of the value alone: they
// get the lowered value itself.
var rawAny = map[string]bool{
	"slices.overlaps": true, "slices.sortOrdered": true, "slices.sortSlice": true, "slices.sortSliceStable": true,
	"sort.Slice": true, "sort.SliceStable": true, "sort.SliceIsSorted": true,
}

// carriesAny are compiled functions that only keep or compare what they get as any.
var carriesAny = map[string]bool{
	"container/heap.Push": true, "context.WithValue": true, "(context.Context).Value": true, "(*sync.Pool).Put": true,
	"(*container/list.List).PushBack": true, "(*container/list.List).PushFront": true,
	"(*container/list.List).InsertBefore": true, "(*container/list.List).InsertAfter": true,
	"(*container/list.List).Remove": true,
	"(*sync.Map).Store":             true, "(*sync.Map).Load": true, "(*sync.Map).LoadOrStore": true, "(*sync.Map).Delete": true,
	"(*sync.Map).LoadAndDelete": true, "(*sync.Map).Swap": true, "(*sync.Map).CompareAndSwap": true,
}

// checkAny refuses to hand a value whose type the interpreter does not keep to compiled code that would look at it.
func (f *fn) checkAny(o *types.Func, i int, t types.Type, pos token.Pos) {
	name := o.FullName()
	if funcHooks[name] != "" || methodHooks[name] != "" || rawAny[name] || carriesAny[name] || o.Pkg().Path() == engine.HostPath || f.run.Faithful(t) {
		return
	}
	if strings.HasPrefix(name, "log.") || strings.HasPrefix(name, "(*log.Logger)") {
		return
	}
	refuse(pos, name+" with a value of type "+typeText(t),
		"the standard library would look into a type that a cell declared, and cannot here",
		"hand it plain values (strings, numbers, slices and maps of them), or use encoding/json or fmt")
}
