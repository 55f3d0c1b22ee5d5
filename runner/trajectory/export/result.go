package export

import (
	"encoding/json"

	"github.com/gorlm/rlm/internal/bundle"
	"github.com/gorlm/rlm/runner/trajectory"
)

// cellResult is what an export shows of a cell's result; the log holds more.
type cellResult struct {
	Value string
	Error *struct {
		Kind, Message string
	}
	Final *struct {
		Type, Answer string
	}
	Changed []struct {
		Name, Type, Size, Preview string
	}
	Notes []string
	Items []bundle.Item
}

// resultOf reads a result; one that is not understood shows nothing.
func resultOf(d *trajectory.CellEnded) cellResult {
	var r cellResult
	if json.Unmarshal(d.Result, &r) != nil {
		return cellResult{}
	}
	return r
}
