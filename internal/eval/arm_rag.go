package eval

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/gorlm/rlm/internal/eval/suite"
	"github.com/gorlm/rlm/internal/tokens"
)

const (
	passageTokens = 250    // of one passage
	ragTokens     = 16_000 // of all passages in a prompt
)

// RAG puts the passages into the prompt that share most with the question, by BM25, in the order of the text.
func RAG(p Plain) Arm {
	settings := p.settings(fmt.Sprintf(", passages of %d tokens, %d in all", passageTokens, ragTokens))
	return Arm{Name: "rag", Settings: settings, Answer: func(ctx context.Context, item suite.Item, _ *Attempt) Reply {
		began := time.Now()
		c := newCaller(p.Model, p.Call, p.Prices)
		all := passages(whole(item))
		best := rank(all, item.Question)
		room := min(ragTokens, p.room(item.Question))
		var taken []int
		for _, i := range best {
			if room -= tokens.Count(all[i]) + 5; room < 0 {
				break
			}
			taken = append(taken, i)
		}
		slices.Sort(taken)
		var text []string
		for _, i := range taken {
			text = append(text, all[i])
		}
		c.reply.Note = fmt.Sprintf("%d of %d passages", len(taken), len(all))
		answer, err := c.ask(ctx, plainSystem, prompt(strings.Join(text, "\n[…]\n"), item.Question))
		return c.end(began, answer, err)
	}, Most: func(tokens int) (float64, bool) { return p.cost(int64(min(tokens, ragTokens)+asked), 1) }}
}

// passages cuts a text into pieces at ends of lines, or of sentences where lines are long.
func passages(text string) []string {
	var out []string
	var b strings.Builder
	have := 0
	add := func(piece string) {
		n := tokens.Count(piece)
		if have > 0 && have+n > passageTokens {
			out = append(out, b.String())
			b.Reset()
			have = 0
		}
		b.WriteString(piece)
		have += n
	}
	for line := range strings.Lines(text) {
		if tokens.Count(line) <= passageTokens {
			add(line)
			continue
		}
		for _, s := range strings.SplitAfter(line, ". ") {
			for len(s) > 8*passageTokens { // no sentence
				add(s[:4*passageTokens])
				s = s[4*passageTokens:]
			}
			add(s)
		}
	}
	if have > 0 {
		out = append(out, b.String())
	}
	return out
}

// rank orders passages by BM25 with the usual constants (k1 = 1.2, b = 0.75), the best first.
func rank(all []string, question string) []int {
	terms := map[string]bool{}
	for _, w := range words(question) {
		terms[w] = true
	}
	counts := make([]map[string]int, len(all))
	length := make([]int, len(all))
	in := map[string]int{}
	total := 0
	for i, p := range all {
		counts[i] = map[string]int{}
		for _, w := range words(p) {
			length[i]++
			if terms[w] {
				if counts[i][w]++; counts[i][w] == 1 {
					in[w]++
				}
			}
		}
		total += length[i]
	}
	scores := make([]float64, len(all))
	order := make([]int, len(all))
	mean := float64(total) / float64(max(1, len(all)))
	for i := range all {
		order[i] = i
		for w, n := range counts[i] {
			idf := math.Log(1 + (float64(len(all)-in[w])+0.5)/(float64(in[w])+0.5))
			scores[i] += idf * float64(n) * 2.2 / (float64(n) + 1.2*(0.25+0.75*float64(length[i])/mean))
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	return order
}

// words are the words of a text, in lower case.
func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
