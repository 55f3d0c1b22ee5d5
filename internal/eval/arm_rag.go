package eval

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/eval/suite"
	"github.com/gorlm/rlm/internal/kit/search"
	"github.com/gorlm/rlm/internal/kit/text"
)

const (
	ragTokens   = 16_000 // tokens of all passages in a prompt
	ragPassages = 1000   // number of candidates, which is more than fit
)

// RAG puts into the prompt the passages that the notebook's own search ranks highest for the question, in the
// order of the text.
func RAG(p PlainModel) Arm {
	settings := p.settings(fmt.Sprintf(", passages of the notebook's search, %d tokens in all", ragTokens))
	return Arm{Name: "rag", Settings: settings, Answer: func(ctx context.Context, item suite.Item, _ *Attempt) Reply {
		began := time.Now()
		c := newCaller(p.Model, p.Call, p.Prices)
		all, room := whole(item), min(ragTokens, p.room(item.Question))
		if text.CountTokens(all) <= room { // everything fits
			answer, err := c.ask(ctx, plainSystem, prompt(all, item.Question))
			return c.end(began, answer, err)
		}
		found := search.NewIndex(all).Search(item.Question, ragPassages)
		taken := found[:0]
		for _, passage := range found {
			if room -= text.CountTokens(passage.Text) + 5; room < 0 {
				break
			}
			taken = append(taken, passage)
		}
		slices.SortFunc(taken, func(a, b search.Passage) int { return cmp.Compare(a.Offset, b.Offset) })
		var parts []string
		for _, passage := range taken {
			parts = append(parts, passage.Text)
		}
		c.reply.Note = fmt.Sprintf("%d of %d passages that match", len(taken), len(found))
		answer, err := c.ask(ctx, plainSystem, prompt(strings.Join(parts, "\n[…]\n"), item.Question))
		return c.end(began, answer, err)
	}, Most: func(tokens int) (float64, bool) { return p.cost(int64(min(tokens, ragTokens)+asked), 1) }}
}
