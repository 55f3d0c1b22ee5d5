package eval

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/gorlm/rlm/internal/eval/suite"
	"github.com/gorlm/rlm/internal/tokens"
)

const (
	mapSystem = "You read one part of a long text and note what in it bears on a question: facts, numbers, names, counts, in their own words. " +
		"Somebody else answers from the notes on all parts. Write the notes only; write \"nothing\" if there is nothing."
	reduceSystem = "You answer a question about a long text from notes on its parts, which stand in the order of the text. " +
		"Give the answer in the form that the question asks for, and nothing else."
	// together is how many parts are read at once.
	together = 4
)

// Summary takes notes on each part of the text and answers from the notes. Notes that do not fit are noted once more.
func Summary(p Plain) Arm {
	return Arm{Name: "summary", Settings: p.settings(", notes on parts"), Answer: func(ctx context.Context, item suite.Item) Reply {
		began := time.Now()
		c := newCaller(p.Model, p.Call, p.Prices)
		text := whole(item)
		rounds := 0
		for room := p.room(item.Question); tokens.Count(text) > room || rounds == 0; rounds++ {
			parts := split(text, room)
			notes, err := takeNotes(ctx, p, c, parts, item.Question)
			if err != nil {
				return c.end(began, "", err)
			}
			shorter := strings.Join(notes, "\n\n")
			if rounds > 0 && len(shorter) >= len(text) || rounds == 5 {
				text, c.reply.Note = cut(shorter, room)
				break
			}
			text = shorter
			if c.reply.Note == "" {
				c.reply.Note = fmt.Sprintf("notes on %d parts", len(parts))
			}
		}
		answer, err := c.ask(ctx, reduceSystem, "<notes>\n"+text+"\n</notes>\n\nQuestion: "+item.Question)
		return c.end(began, answer, err)
	}}
}

// split cuts a text into parts of at most so many tokens.
func split(text string, most int) []string {
	var parts []string
	var b strings.Builder
	have := 0
	for _, piece := range passages(text) {
		n := tokens.Count(piece)
		if have > 0 && have+n > most {
			parts = append(parts, b.String())
			b.Reset()
			have = 0
		}
		b.WriteString(piece)
		have += n
	}
	return append(parts, b.String())
}

// takeNotes asks for notes on each part, a few at once. The first failure ends it.
func takeNotes(ctx context.Context, p Plain, c *caller, parts []string, question string) ([]string, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	notes := make([]string, len(parts))
	callers := make([]*caller, len(parts))
	next := make(chan int)
	var readers sync.WaitGroup
	for range min(together, len(parts)) {
		readers.Go(func() {
			for i := range next {
				callers[i] = newCaller(p.Model, p.Call, p.Prices)
				text, err := callers[i].ask(ctx, mapSystem, fmt.Sprintf("<part number=\"%d\" of=\"%d\">\n%s\n</part>\n\nQuestion: %s", i+1, len(parts), parts[i], question))
				if err != nil {
					cancel(err)
				}
				notes[i] = fmt.Sprintf("Part %d of %d:\n%s", i+1, len(parts), text)
			}
		})
	}
	for i := range parts {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	readers.Wait()
	for _, one := range callers {
		if one != nil {
			c.add(one)
		}
	}
	return notes, context.Cause(ctx)
}

// add adds what another caller counted.
func (c *caller) add(o *caller) {
	c.reply.Calls += o.reply.Calls
	c.reply.Wasted += o.reply.Wasted
	c.reply.Prompt += o.reply.Prompt
	c.reply.Completion += o.reply.Completion
	c.reply.ModelTime += o.reply.ModelTime
	*c.reply.Cost += *o.reply.Cost
	c.priced = c.priced && o.priced
}
