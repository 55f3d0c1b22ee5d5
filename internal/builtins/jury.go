package builtins

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gorlm/rlm/internal/builtins/internal/typed"
	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/repl"
)

// jury asks about the items of one call.
type jury struct {
	*factory
	site     *repl.Site
	name     string
	items    []string
	question string
	labels   []string
	opts     []Option
	schema   typed.Schema
	errs     []error
}

// ask asks about some items, and again about those that the replies leave out. The result has an entry for each
// item of the jury.
func (j *jury) ask(vote int, which []int) []string {
	out := make([]string, len(j.items))
	for round := 0; round < mostRounds && len(which) > 0; round++ {
		prompts, listed := j.prompts(vote, which)
		call := func(i int) Call { return j.jsonCall(j.name, prompts[i], j.schema, j.opts) }
		asked := j.all
		if vote == 0 && round == 0 {
			asked = j.many // if the budget is gone, the cell ends: there are no verdicts to keep
		}
		replies, errs := asked(j.site, len(prompts), call)
		refused := 0
		for i, err := range errs {
			if err != nil {
				j.errs = append(j.errs, errors.New(reason(err)))
				refused++
				continue
			}
			j.errs = append(j.errs, nil)
			j.read(string(replies[i]), listed[i], out)
		}
		which = slices.DeleteFunc(slices.Clone(which), func(i int) bool { return out[i] != "" })
		if refused == len(prompts) {
			break
		}
	}
	return out
}

// prompts splits items into prompts; listed has the items of each prompt by number.
func (j *jury) prompts(vote int, which []int) (prompts []string, listed [][]int) {
	most := mostJudged
	if vote == mostVotes-1 {
		most = closeLook
	}
	var list strings.Builder
	var in []int
	flush := func() {
		if len(in) > 0 {
			prompts, listed = append(prompts, j.wording(vote, len(in))+list.String()), append(listed, in)
		}
		list.Reset()
		in = nil
	}
	for _, i := range which {
		if len(in) == most || len(in) > 0 && list.Len()+len(j.items[i]) > mostListed {
			flush()
		}
		in = append(in, i)
		// A continued line begins with a space, so that a number inside an item does not look like the next item.
		fmt.Fprintf(&list, "\n%d: %s", len(in), strings.ReplaceAll(strings.TrimSpace(j.items[i]), "\n", "\n  "))
	}
	flush()
	return prompts, listed
}

// wording returns the question about n items, worded differently for each vote.
func (j *jury) wording(vote, n int) string {
	labels := slices.Clone(j.labels)
	if vote == 1 {
		slices.Reverse(labels)
	}
	choice := strings.Join(labels, " | ")
	switch vote {
	case 1:
		return fmt.Sprintf("Below are %s with numbers. Read each by itself, whatever stands beside it, and choose what fits it "+
			"best: %s\nThis is what is asked of each: %s\nThe reply has one entry for every number from 1 to %d.\n",
			units.Of(n, "item"), choice, j.question, n)
	case mostVotes - 1:
		return fmt.Sprintf("Two readers disagree about each of these %s, so look closely before you decide. They were asked: "+
			"%s\nThe possible verdicts: %s\nDecide every one, from number 1 to %d.\n", units.Of(n, "item"), j.question,
			choice, n)
	}
	return fmt.Sprintf("%s\nAnswer this for each of the following %s with one of these labels: %s\n"+
		"Give the number and the label of every item, from 1 to %d, and leave none out.\n",
		j.question, units.Of(n, "numbered item"), choice, n)
}

// read extracts the verdicts from a reply. An item with an unknown number, an unknown label, or two labels counts
// as left out.
func (j *jury) read(reply string, listed []int, out []string) {
	tree, err := typed.Parse(reply)
	if err != nil {
		return
	}
	if m, ok := tree.(map[string]any); ok {
		tree = m["verdicts"]
	}
	entries, _ := tree.([]any)
	given := map[int]string{}
	for _, entry := range entries {
		m, _ := entry.(map[string]any)
		n, ok := itemNumber(m["n"])
		text, _ := m["label"].(string)
		at := slices.IndexFunc(j.labels, func(l string) bool { return folded(l) == folded(text) })
		if !ok || n < 1 || n > len(listed) || at < 0 {
			continue
		}
		if before, twice := given[n]; twice && before != j.labels[at] {
			given[n] = ""
			continue
		}
		given[n] = j.labels[at]
	}
	for n, label := range given {
		out[listed[n-1]] = label
	}
}

// itemNumber reads a number, plain or in quotes.
func itemNumber(v any) (int, bool) {
	switch v := v.(type) {
	case float64:
		return int(v), v == math.Trunc(v) && math.Abs(v) < 1e9
	case string:
		n, err := strconv.Atoi(strings.TrimSpace(v))
		return n, err == nil
	}
	return 0, false
}

// verdictSchema returns the schema of the replies.
func verdictSchema(labels []string) (typed.Schema, error) {
	const head = `{"type":"object","properties":{"verdicts":{"type":"array","items":{"type":"object","properties":` +
		`{"n":{"type":"integer"},"label":{"type":"string","enum":`
	const tail = `}},"required":["n","label"],"additionalProperties":false}}},` +
		`"required":["verdicts"],"additionalProperties":false}`
	enum, err := json.Marshal(labels)
	return typed.Schema{Name: "verdicts", JSON: []byte(head + string(enum) + tail)}, err
}
