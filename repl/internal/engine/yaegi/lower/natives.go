package lower

import (
	"go/ast"
	"go/token"
	"go/types"
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

// checkHanded refuses what compiled code would fill by the methods of an interface type of a cell: at run time that has none.
func (f *fn) checkHanded(o *types.Func, t types.Type, pos token.Pos) {
	p, ok := t.Underlying().(*types.Pointer)
	switch {
	case decoders[o.FullName()]:
		f.decode(decoding, pos)
	case o.FullName() == "errors.As" && ok && types.IsInterface(p.Elem()) && f.typ(p.Elem(), pos) == "any":
		refuse(pos, "errors.As with an interface type of a cell", "it has no methods here", "use a type assertion")
	}
}

// decode refuses compiled code that fills values in a session in which a cell declares interface types with methods.
func (l *unit) decode(what string, pos token.Pos) {
	remember(l, l.uses, what, true)
	if l.uses[decoding] && l.uses[declaring] {
		refuse(pos, what, "interface types of cells have no methods here, and what is decoded may hold one", "use types without interfaces that have methods")
	}
}

// What cells do that does not go together.
const (
	decoding  = "decoding JSON or XML beside interface types of cells"
	declaring = "an interface type with methods beside the decoding of JSON or XML"
)

// noteInterfaces notes interface types with methods.
func (l *unit) noteInterfaces() {
	ast.Inspect(l.u.File, func(n ast.Node) bool {
		if it, ok := n.(*ast.InterfaceType); ok {
			if t, ok := l.u.Info.TypeOf(it).(*types.Interface); ok && t.NumMethods() > 0 {
				l.decode(declaring, it.Pos())
			}
		}
		return true
	})
}
