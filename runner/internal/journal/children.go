package journal

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/gorlm/rlm/internal/builtins"
	"github.com/gorlm/rlm/runner/trajectory"
)

// childNumbers assigns paths to child runs: "1.3/2" is the second child run of cell 3 of run 1, and "1.3/2.1/1" the
// first child run of cell 1 of "1.3/2". Children of a batch are numbered in the order of their prompts, whichever
// starts first.
type childNumbers struct {
	highest map[string]int // by path and cell
	before  map[string]int // by path, cell and batch: the number before the batch's first child
}

func newChildNumbers() childNumbers {
	return childNumbers{highest: map[string]int{}, before: map[string]int{}}
}

// Child returns the path of a sub-call's child run: the recorded one, or the next free one below the cell.
func (j *Journal) Child(k Key, run int, b builtins.Batch) string {
	j.mu.Lock()
	defer j.mu.Unlock()
	if s, ok := j.starts[k]; ok && s.child != "" {
		return s.child
	}
	at := fmt.Sprintf("%s.%d", k.Path, k.Cell)
	if k.Path == "" {
		at = fmt.Sprintf("%d.%d", run, k.Cell)
	}
	return fmt.Sprintf("%s/%d", at, j.numbers.next(at, b))
}

func (n childNumbers) next(at string, b builtins.Batch) int {
	if b.Size == 0 {
		n.highest[at]++
		return n.highest[at]
	}
	block := batchAt(at, b.ID)
	if _, ok := n.before[block]; !ok {
		n.before[block] = n.highest[at]
		n.highest[at] += b.Size
	}
	return n.before[block] + b.Index + 1
}

// taken records the number of a recorded child run.
func (n childNumbers) taken(d trajectory.SubCallStarted) {
	at, last := path.Split(d.Child)
	number, err := strconv.Atoi(last)
	if err != nil { // no child, as in most calls
		return
	}
	at = strings.TrimSuffix(at, "/")
	if d.Size > 0 {
		n.before[batchAt(at, d.Batch)] = number - 1 - d.Index
		number += d.Size - 1 - d.Index
	}
	n.highest[at] = max(n.highest[at], number)
}

func batchAt(at string, batch int) string { return fmt.Sprintf("%s %d", at, batch) }

// Above returns the path of the run above a child run.
func Above(path string) string {
	cell := path[:strings.LastIndexByte(path, '/')]
	if !strings.Contains(cell, "/") {
		return ""
	}
	return cell[:strings.LastIndexByte(cell, '.')]
}
