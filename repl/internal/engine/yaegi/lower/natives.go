package lower

import (
	"go/token"
	"go/types"
)

// funcHooks are compiled functions that package dyn stands in for: they print, wait, or have no compiled form.
var funcHooks = map[string]string{
	"slices.overlaps": "rt.Overlaps", "slices.sortOrdered": "rt.SortOrdered", "slices.sortSlice": "rt.SortSlice", "slices.sortSliceStable": "rt.SortSliceStable",
	"fmt.Print": "rt.Print", "fmt.Printf": "rt.Printf", "fmt.Println": "rt.Println",
}

// concurrent are compiled functions that start goroutines, fire timers or serve goroutines only.
var concurrent = map[string]bool{
	"(*sync.WaitGroup).Go": true, "iter.Pull": true, "iter.Pull2": true, "time.After": true, "time.AfterFunc": true, "time.NewTimer": true,
	"time.NewTicker": true, "time.Tick": true, "context.AfterFunc": true, "(*sync.Map).Range": true,
}

// refuseNative refuses compiled functions that the interpreter does not go together with.
func refuseNative(o *types.Func, pos token.Pos) {
	if concurrent[o.FullName()] {
		refuseConcurrent(pos, "they are what "+o.FullName()+" is for")
	}
	if o.Pkg() != nil {
		refuseTemplates(o.Pkg().Path(), pos)
	}
}
