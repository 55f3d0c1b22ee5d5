package grid

import (
	"strconv"
	"strings"

	"github.com/gorlm/rlm/internal/kit/units"
)

// Hidden is the note on sheets that are hidden, and are read as well, by their numbers; empty without any.
func Hidden(sheets []int) string {
	if len(sheets) == 0 {
		return ""
	}
	var list []string
	for _, n := range sheets[:min(len(sheets), 100)] {
		list = append(list, strconv.Itoa(n))
	}
	return units.Of(len(sheets), "hidden sheet") + " read as well: " + strings.Join(list, ", ")
}
