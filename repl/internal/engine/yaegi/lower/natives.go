package lower

import (
	"go/token"
	"go/types"

	"github.com/gorlm/rlm/repl/internal/engine/yaegi/dyn"
)

// funcHooks are compiled functions that package dyn stands in for: they print, wait, or have no compiled form.
var funcHooks = map[string]string{
	"slices.overlaps": "rt.Overlaps", "slices.sortOrdered": "rt.SortOrdered", "slices.sortSlice": "rt.SortSlice", "slices.sortSliceStable": "rt.SortSliceStable",
	"fmt.Print": "rt.Print", "fmt.Printf": "rt.Printf", "fmt.Println": "rt.Println",
	"time.AfterFunc": "rt.AfterFunc", "context.AfterFunc": "rt.ContextAfterFunc",
}

// methodHooks are the same for methods of compiled types; the receiver comes first.
var methodHooks = map[string]string{
	"(*sync.WaitGroup).Go": "rt.WaitGroupGo",
	"(*sync.Map).Range":    "rt.SyncMapRange",
	"(*time.Timer).Stop":   "rt.TimerStop",
	"(*time.Timer).Reset":  "rt.TimerReset",
	"(*time.Ticker).Stop":  "rt.TickerStop",
	"(*time.Ticker).Reset": "rt.TickerReset",
}

// decoders are compiled functions that fill what they are handed.
var decoders = map[string]bool{
	"encoding/json.Unmarshal": true, "(*encoding/json.Decoder).Decode": true, "encoding/xml.Unmarshal": true, "(*encoding/xml.Decoder).Decode": true,
	"(*encoding/xml.Decoder).DecodeElement": true, "encoding/gob.Decode": true,
}

// nativeAny takes what compiled code is handed as any. Interface types of cells have no methods at run time, which code that stores in
// places of such types would go by.
func (f *fn) nativeAny(o *types.Func, s string, t types.Type, pos token.Pos) string {
	switch {
	case decoders[o.FullName()] && types.IsInterface(t):
		return "rt.Target(" + s + ")"
	case decoders[o.FullName()] && dyn.OwnInterface(t):
		refuse(pos, o.FullName()+" with a value of type "+typeText(t), "interface types of cells have no methods here", "use a type without interfaces that have methods")
	}
	return s
}
