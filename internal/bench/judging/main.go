// Command judging measures what judge achieves with a sub-model that makes mistakes: the error of its counts and
// its price, compared with asking once. The simulated model errs in 5 % of the items and omits 10 %, which both
// sides ask for again. The price is the tokens of prompts and replies, at four bytes each.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/gorlm/rlm/internal/answer"
	"github.com/gorlm/rlm/internal/builtins"
	"github.com/gorlm/rlm/repl"
)

const (
	errs  = 0.05
	omits = 0.10
)

// task is a counting task: a number of items, and the share of each label.
type task struct {
	name   string
	items  int
	shares []float64
}

// usual, balanced and rare are the tasks: in balanced ones, labels are equally frequent; in rare ones, nearly all
// items have one label.
var (
	usual = []task{
		{"two labels, 65 : 35", 360, []float64{0.65, 0.35}},
		{"two labels, 75 : 25", 1200, []float64{0.75, 0.25}},
		{"three labels", 420, []float64{0.6, 0.3, 0.1}},
		{"four labels", 1000, []float64{0.55, 0.25, 0.15, 0.05}},
		{"six labels", 703, []float64{0.4, 0.25, 0.15, 0.1, 0.06, 0.04}},
	}
	balanced = []task{
		{"two labels, 50 : 50", 1000, []float64{0.5, 0.5}},
		{"five labels, even", 1000, []float64{0.2, 0.2, 0.2, 0.2, 0.2}},
	}
	rare = []task{
		{"one rare label, 8 %", 1825, []float64{0.92, 0.08}},
		{"one rare label, 3 %", 1000, []float64{0.97, 0.03}},
		{"two rare labels", 1200, []float64{0.9, 0.06, 0.04}},
	}
)

func main() {
	rounds := flag.Int("rounds", 60, "simulations of each task")
	flag.Parse()
	if err := report(*rounds); err != nil {
		fmt.Fprintln(os.Stderr, "judging:", err)
		os.Exit(1)
	}
}

func report(rounds int) error {
	for _, shared := range []float64{0, 0.5} {
		fmt.Printf("## Askings share %.0f %% of their errors\n\n", 100*shared)
		fmt.Println("| | items | error of counts, asked once | judge | ratio | price | estimated errors | actual |")
		fmt.Println("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
		for _, group := range []struct {
			name  string
			tasks []task
		}{{"usual", usual}, {"balanced", balanced}, {"rare", rare}} {
			var total outcome
			for _, t := range group.tasks {
				o, err := t.measure(rounds, shared)
				if err != nil {
					return err
				}
				o.print(t.name, t.items)
				total = total.plus(o)
			}
			total.print("**all "+group.name+"**", 0)
		}
		fmt.Println()
	}
	return nil
}

// outcome sums up the results of simulations.
type outcome struct {
	rounds            float64
	once, judged      float64 // errors of counts, summed over labels
	oncePrice, price  float64
	estimated, actual float64
}

func (o outcome) plus(p outcome) outcome {
	return outcome{
		o.rounds + p.rounds, o.once + p.once, o.judged + p.judged, o.oncePrice + p.oncePrice, o.price + p.price,
		o.estimated + p.estimated, o.actual + p.actual,
	}
}

func (o outcome) ratio() float64      { return o.once / o.judged }
func (o outcome) priceRatio() float64 { return o.price / o.oncePrice }

func (o outcome) print(name string, items int) {
	size := ""
	if items > 0 {
		size = strconv.Itoa(items)
	}
	fmt.Printf("| %s | %s | %.1f | %.1f | %.1f | %.2f | %.2f %% | %.2f %% |\n",
		name, size, o.once/o.rounds, o.judged/o.rounds, o.ratio(), o.priceRatio(), 100*o.estimated/o.rounds,
		100*o.actual/o.rounds)
}

// measure simulates a task.
func (t task) measure(rounds int, shared float64) (o outcome, err error) {
	for round := range rounds {
		m := t.model(uint64(round), shared)
		once, err := m.judge(1)
		if err != nil {
			return o, err
		}
		oncePrice := m.tokens
		m.tokens = 0
		judged, err := m.judge(3)
		if err != nil {
			return o, err
		}
		o = o.plus(outcome{1, m.off(once), m.off(judged), oncePrice, m.tokens, judged.ErrorRate, m.wrong(judged)})
	}
	return o, nil
}

// model simulates a sub-model. It sees only its prompts.
type model struct {
	mu     sync.Mutex
	seed   uint64
	random *rand.Rand // generates the items
	labels []string
	items  []string
	truth  []int
	slip   []int // the wrong label that every call gives an item; -1 if there is none
	shared float64
	tokens float64
}

func (t task) model(seed uint64, shared float64) *model {
	m := &model{seed: seed, random: rand.New(rand.NewPCG(seed, uint64(t.items))), shared: shared}
	for i := range t.shares {
		m.labels = append(m.labels, "label-"+string(rune('a'+i)))
	}
	for i := range t.items {
		x, label := m.random.Float64(), 0
		for label < len(t.shares)-1 && x > t.shares[label] {
			x -= t.shares[label]
			label++
		}
		slip := -1
		if m.random.Float64() < errs*shared {
			slip = m.other(m.random, label)
		}
		m.items = append(m.items, fmt.Sprintf(about, i))
		m.truth, m.slip = append(m.truth, label), append(m.slip, slip)
	}
	return m
}

// other returns a random label other than label.
func (m *model) other(random *rand.Rand, label int) int {
	return (label + 1 + random.IntN(len(m.labels)-1)) % len(m.labels)
}

// about is the text of an item.
const about = "message %d from a customer, of some twenty words as they come, about what was ordered and what came"

// Call answers a prompt of judge. The reply depends only on the prompt, not on the order of calls.
func (m *model) Call(_ context.Context, c builtins.Call) ([]byte, error) {
	hash := fnv.New64a()
	_, _ = hash.Write(c.Body)
	random := rand.New(rand.NewPCG(m.seed, hash.Sum64()))
	var entries []string
	for line := range bytes.Lines(c.Body) {
		n, text, ok := bytes.Cut(line, []byte(": "))
		var item int
		if _, err := fmt.Sscanf(string(text), "message %d ", &item); !ok || err != nil {
			continue // no item
		}
		if random.Float64() < omits {
			continue
		}
		label := m.truth[item]
		if m.slip[item] >= 0 {
			label = m.slip[item]
		} else if random.Float64() < errs*(1-m.shared) {
			label = m.other(random, label)
		}
		entries = append(entries, fmt.Sprintf(`{"n":%s,"label":%q}`, n, m.labels[label]))
	}
	reply := `{"verdicts":[` + strings.Join(entries, ",") + `]}`
	m.mu.Lock()
	defer m.mu.Unlock()
	m.tokens += float64(len(c.Body)+len(reply)) / 4
	return []byte(reply), nil
}

// judge calls the function as a cell does.
func (m *model) judge(votes int) (builtins.Verdicts, error) {
	made, err := builtins.Make(builtins.Standard(answer.Response), m, builtins.NewMarks())
	if err != nil {
		return builtins.Verdicts{}, err
	}
	for _, b := range made {
		judge, ok := b.Fn.(func(*repl.Site, []string, string, []string, ...any) builtins.Verdicts)
		if ok {
			site := &repl.Site{Context: context.Background(), Note: func(string) {}}
			return judge(site, m.items, "What is the message about?", m.labels, votes), nil
		}
	}
	return builtins.Verdicts{}, errors.New("the function judge is missing")
}

// off is the difference between the counts and the truth, summed over the labels.
func (m *model) off(v builtins.Verdicts) (sum float64) {
	counts := map[string]int{}
	for _, label := range m.truth {
		counts[m.labels[label]]++
	}
	for _, label := range m.labels {
		sum += math.Abs(float64(v.Counts[label] - counts[label]))
	}
	return sum
}

// wrong is the share of wrong verdicts.
func (m *model) wrong(v builtins.Verdicts) float64 {
	n := 0
	for i, label := range v.Labels {
		if label != m.labels[m.truth[i]] {
			n++
		}
	}
	return float64(n) / float64(len(v.Labels))
}
