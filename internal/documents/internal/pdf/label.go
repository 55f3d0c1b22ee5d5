package pdf

import (
	"slices"
	"strconv"

	"github.com/gorlm/rlm/internal/documents/internal/markdown"
	"github.com/gorlm/rlm/internal/documents/internal/pdf/internal/syntax"
)

// labels are the names of pages that differ from their numbers: "iii", "A-2".
type labels []labelRange

type labelRange struct {
	from   int // the first page, from 1
	style  syntax.Name
	prefix string
	start  int
}

const maxLabels = 10_000

// readLabels reads the tree of page labels.
func readLabels(f *syntax.File, o any) labels {
	var out labels
	queue, seen := []any{o}, 0
	for len(queue) > 0 && seen < maxLabels {
		node := f.Dict(queue[0])
		queue = queue[1:]
		seen++
		if kids := f.Array(node["Kids"]); len(queue)+len(kids) < maxLabels {
			queue = append(queue, kids...)
		}
		nums := f.Array(node["Nums"])
		for i := 0; i+1 < len(nums) && len(out) < maxLabels; i += 2 {
			d := f.Dict(nums[i+1])
			r := labelRange{from: f.Int(nums[i]) + 1, style: f.Name(d["S"]), start: 1}
			prefix := f.String(d["P"])
			r.prefix = textString(prefix[:min(len(prefix), 64)])
			if d["St"] != nil {
				r.start = f.Int(d["St"])
			}
			out = append(out, r)
		}
	}
	slices.SortStableFunc(out, func(a, b labelRange) int { return a.from - b.from })
	return out
}

// name returns the name of a page; empty if it is the page's number.
func (l labels) name(page int) string {
	i, found := slices.BinarySearchFunc(l, page, func(r labelRange, p int) int { return r.from - p })
	if !found {
		i--
	}
	if i < 0 {
		return ""
	}
	r := l[i]
	n := r.start + page - r.from
	text := r.prefix
	if r.style != "" {
		text += markdown.Ordinal(n, string(r.style))
	}
	if text == strconv.Itoa(page) {
		return ""
	}
	return text
}
