package grid

import (
	"strconv"
	"strings"

	"github.com/gorlm/rlm/internal/kit/units"
)

// Hidden returns a note that lists the numbers of hidden sheets, which are read as well; empty if there are none.
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
