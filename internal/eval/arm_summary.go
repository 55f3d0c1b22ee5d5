package eval

import (
	"context"
	"fmt"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/gorlm/rlm/internal/eval/suite"
	"github.com/gorlm/rlm/internal/kit/search"
	"github.com/gorlm/rlm/internal/kit/text"
)

const (
	mapSystem = "You read one part of a long text and note what in it bears on a question: facts, numbers, names, counts, in their own words. " +
		"Somebody else answers from the notes on all parts. Write the notes only; write \"nothing\" if there is nothing."
	reduceSystem = "You answer a question about a long text from notes on its parts, which stand in the order of the text. " +
		"Give the answer in the form that the question asks for, and nothing else."
	// together is how many parts are read concurrently.
	together = 4
)

// Summary takes notes on each part of the text and answers from the notes. Notes that do not fit are summarised
// again.
func Summary(p PlainModel) Arm {
	return Arm{
		Name: "summary", Settings: p.settings(", notes on parts of whole paragraphs"),
		Answer: func(ctx context.Context, item suite.Item, _ *Attempt) Reply {
			began := time.Now()
			c := newCaller(p.Model, p.Call, p.Prices)
			input := whole(item)
			rounds := 0
			for room := p.room(item.Question); text.CountTokens(input) > room || rounds == 0; rounds++ {
				parts, err := split(input, room)
				if err != nil {
					return c.end(began, "", err)
				}
				notes, err := takeNotes(ctx, p, c, parts, item.Question)
				if err != nil {
					return c.end(began, "", err)
				}
				shorter := strings.Join(notes, "\n\n")
				if rounds > 0 && len(shorter) >= len(input) || rounds == mostRounds {
					input, c.reply.Note = cut(shorter, room)
					break
				}
				input = shorter
				if c.reply.Note == "" {
					c.reply.Note = fmt.Sprintf("notes on %d parts", len(parts))
				}
			}
			answer, err := c.ask(ctx, reduceSystem, "<notes>\n"+input+"\n</notes>\n\nQuestion: "+item.Question)
			return c.end(began, answer, err)
		}, Most: p.mostNotes,
	}
}

// mostRounds is how often notes are summarised again.
const mostRounds = 5

// mostNotes returns the maximal cost of an answer: with notes that are as long as possible in every round.
func (p PlainModel) mostNotes(length int) (float64, bool) {
	room := p.room("")
	prompt, calls := int64(0), 0
	for range mostRounds + 1 {
		parts := (length + room - 1) / room
		prompt, calls = prompt+int64(length+parts*asked), calls+parts
		if length = parts * int(p.longest()); length <= room {
			break
		}
	}
	return p.cost(prompt+int64(min(length, room)+asked), calls+1)
}

// split cuts a text into parts that do not exceed most tokens, at the ends of paragraphs, lines or words.
func split(whole string, most int) ([]string, error) {
	const pieceBytes = 1000
	pieces, err := search.Chunks(whole, pieceBytes, 0)
	if err != nil {
		return nil, fmt.Errorf("cutting the text into parts: %w", err)
	}
	var parts []string
	have, from, at := 0, 0, 0
	for _, piece := range pieces {
		n := text.CountTokens(piece)
		if have > 0 && have+n > most {
			parts = append(parts, whole[from:at])
			have, from = 0, at
		}
		have += n
		at += len(piece)
	}
	return append(parts, whole[from:]), nil
}

// takeNotes asks for notes on each part, a few concurrently. It stops at the first failure.
func takeNotes(ctx context.Context, p PlainModel, c *caller, parts []string, question string) ([]string, error) {
	notes := make([]string, len(parts))
	callers := make([]*caller, len(parts))
	readers, ctx := errgroup.WithContext(ctx)
	readers.SetLimit(together)
	for i := range parts {
		if ctx.Err() != nil {
			break
		}
		readers.Go(func() error {
			callers[i] = newCaller(p.Model, p.Call, p.Prices)
			text, err := callers[i].ask(ctx, mapSystem, fmt.Sprintf(
				"<part number=\"%d\" of=\"%d\">\n%s\n</part>\n\nQuestion: %s", i+1, len(parts), parts[i], question))
			notes[i] = fmt.Sprintf("Part %d of %d:\n%s", i+1, len(parts), text)
			return err
		})
	}
	err := readers.Wait()
	for _, one := range callers {
		if one != nil {
			c.add(one)
		}
	}
	return notes, err
}
