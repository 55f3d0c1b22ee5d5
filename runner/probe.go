package runner

import (
	"context"
	"fmt"
	"strings"

	"github.com/gorlm/rlm/termination"
	"github.com/gorlm/rlm/termination/reply"
)

// lookup gets the value of a variable as an answer would show it, by way of a cell of its own.
func (r *run) lookup(ctx context.Context, name string) (string, bool, error) {
	if r.policy.Names.FinalVar == "" {
		return "", false, nil
	}
	res, err := r.runCell(ctx, reply.Cell{Source: fmt.Sprintf("%s(%q)", r.policy.Names.FinalVar, name), Lang: "go"})
	if err != nil || res.Final == nil {
		return "", false, err
	}
	return res.Final.Answer, true, nil
}

// draft looks at the answer that the cells of a turn left unfinished in the answer variable: it is the best partial answer there is.
func (r *run) draft(ctx context.Context, t *termination.Turn) error {
	name := ""
	for _, s := range r.specs {
		if s.Impl == implAnswer {
			name = s.Name
		}
	}
	touched := false
	for _, c := range t.Cells {
		if c.Final != nil {
			return nil
		}
		touched = touched || strings.HasPrefix(c.Changed, name+" map[string]") || strings.Contains(c.Changed, "\n"+name+" map[string]")
	}
	if name == "" || !touched || r.policy.Names.Final == "" {
		return nil
	}
	source := fmt.Sprintf("if draft_ := fmt.Sprint(%s[\"content\"]); draft_ != \"\" { %s(draft_) }", name, r.policy.Names.Final)
	res, err := r.runCell(ctx, reply.Cell{Source: source, Lang: "go"})
	if err == nil && res.Final != nil {
		t.Draft = res.Final.Answer
	}
	return err
}
