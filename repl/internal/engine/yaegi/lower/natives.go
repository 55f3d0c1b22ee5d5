package lower

import (
	"go/token"
	"go/types"
)

// funcHooks maps functions that print, or that have no compiled form that cells can call, to their replacements in
// package dyn.
var funcHooks = map[string]string{
	"slices.overlaps": "rt.Overlaps", "slices.sortOrdered": "rt.SortOrdered", "slices.sortSlice": "rt.SortSlice",
	"slices.sortSliceStable": "rt.SortSliceStable",
	"fmt.Print":              "rt.Print", "fmt.Printf": "rt.Printf", "fmt.Println": "rt.Println",
}

// concurrent contains compiled functions that start goroutines, use timers or are useful only with goroutines.
var concurrent = map[string]bool{
	"(*sync.WaitGroup).Go": true, "iter.Pull": true, "iter.Pull2": true, "time.After": true, "time.AfterFunc": true,
	"time.NewTimer":  true,
	"time.NewTicker": true, "time.Tick": true, "context.AfterFunc": true, "(*sync.Map).Range": true,
}

// refuseNative refuses compiled functions that do not work with the interpreter.
func refuseNative(o *types.Func, pos token.Pos) {
	if concurrent[o.FullName()] {
		refuseConcurrent(pos, "they are what "+o.FullName()+" is for")
	}
	if o.Pkg() != nil {
		refuseTemplates(o.Pkg().Path(), pos)
	}
}
