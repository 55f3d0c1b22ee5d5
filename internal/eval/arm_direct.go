package eval

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/gorlm/rlm/internal/eval/suite"
	"github.com/gorlm/rlm/internal/kit/text"
	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/runner/llm"
)

// PlainModel is the common part of arms without a notebook.
type PlainModel struct {
	Model  llm.Model
	Call   CallSettings
	Prices llm.Prices
	// Window is how many tokens the model accepts, prompt and reply together.
	Window int
}

const plainSystem = "You answer a question about a text. Give the answer in the form that the question asks for, and nothing else."

// room returns how many tokens of a text fit beside a question. A tenth is kept free, because token counts are
// estimates.
func (p PlainModel) room(question string) int {
	reply := p.Call.MaxTokens
	if reply == 0 {
		reply = min(4096, p.Window/4)
	}
	return max(200, p.Window*9/10-reply-text.CountTokens(question)-text.CountTokens(plainSystem)-50)
}

// cost returns the maximal cost of calls whose prompts have prompt tokens in all; false if there is no price.
// Estimated token counts may be a quarter too low.
func (p PlainModel) cost(prompt int64, calls int) (usd float64, known bool) {
	usd = math.NaN()
	if c := p.Prices.Cost(p.Model.Name(),
		llm.Usage{Prompt: prompt * 5 / 4, Completion: p.longest() * int64(calls)}); c != nil {
		usd = *c
	}
	return usd, !math.IsNaN(usd)
}

// longest returns how many tokens a reply can have.
func (p PlainModel) longest() int64 {
	switch known := llm.FactsOf(p.Model).Output; {
	case p.Call.MaxTokens > 0:
		return int64(p.Call.MaxTokens)
	case known > 0:
		return known
	}
	return int64(p.Window / 4)
}

// asked is how many tokens a prompt has besides the text, for the question and the instructions.
const asked = 1000

func (p PlainModel) settings(more string) string {
	temperature := "default"
	if p.Call.Temperature != nil {
		temperature = fmt.Sprint(*p.Call.Temperature)
	}
	return fmt.Sprintf("model %s, window %d, temperature %s, reply %d, effort %q%s", p.Model.Name(), p.Window,
		temperature, p.Call.MaxTokens, p.Call.ReasoningEffort, more)
}

// Direct puts the whole text into the prompt. The middle of a text that does not fit is cut out; prompt and reply
// mention it.
func Direct(p PlainModel) Arm {
	return Arm{
		Name: "direct", Settings: p.settings(""),
		Answer: func(ctx context.Context, item suite.Item, _ *Attempt) Reply {
			began := time.Now()
			c := newCaller(p.Model, p.Call, p.Prices)
			text, note := cut(whole(item), p.room(item.Question))
			c.reply.Note = note
			answer, err := c.ask(ctx, plainSystem, prompt(text, item.Question))
			return c.end(began, answer, err)
		}, Most: func(tokens int) (float64, bool) { return p.cost(int64(min(tokens, p.Window)+asked), 1) },
	}
}

func prompt(text, question string) string {
	return "<text>\n" + text + "\n</text>\n\nQuestion: " + question
}

// cut shortens a text to about most tokens by leaving out its middle.
func cut(whole string, most int) (short, note string) {
	have := text.CountTokens(whole)
	if have <= most {
		return whole, ""
	}
	half := int(float64(len(whole)) * float64(most) / float64(have) / 2)
	for {
		head, tail := text.Ends(whole, 2*half)
		short = fmt.Sprintf("%s\n[… %s are left out here …]\n%s", head,
			units.Bytes(int64(len(whole)-len(head)-len(tail))), tail)
		if text.CountTokens(short) <= most || half < 100 {
			return short, fmt.Sprintf("the text was cut in the middle: %s of %s fit", units.About(int64(most), "token"),
				units.Count(int64(have)))
		}
		half = half * 95 / 100
	}
}
