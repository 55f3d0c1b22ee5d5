// Package corpus makes the documents of the compare example: the policy of a group of companies and the
// handbooks of its offices, which contain the same rules in other words, except for some differences.
package corpus

import (
	_ "embed"
	"fmt"
	"sort"
	"strings"

	"github.com/gorlm/rlm/internal/demo"
)

// Question is the question about the documents.
//
//go:embed question.txt
var Question string

// Replies is the recording for answering the question offline; empty if there is none.
//
//go:embed replies.jsonl
var Replies string

// Seed makes the documents that Replies was recorded against.
const Seed = 5

// Document is one file of the folder.
type Document struct {
	Name, Text string
}

// Difference is a rule of a handbook that differs from the group's.
type Difference struct {
	Document, Topic, Handbook, Group string
}

// GroupPolicy is the name of the document that the others are compared with.
const GroupPolicy = "group-policy.md"

var offices = []string{
	"amsterdam", "bergen", "dublin", "graz", "leipzig", "lisbon", "lyon", "tampere", "turin",
	"zaragoza",
}

// handbook is the content of one document: the value of each rule, as an index in rule.values.
type handbook struct {
	office string
	says   []int
}

// handbooks chooses the rules of each office. Each office differs from the group in at most three rules.
func handbooks(seed uint64) []handbook {
	dice := demo.NewDice(seed)
	var out []handbook
	for _, office := range offices {
		h := handbook{office, make([]int, len(rules))}
		for range dice.N(4) {
			r := dice.N(len(rules))
			h.says[r] = 1 + dice.N(len(rules[r].values)-1)
		}
		out = append(out, h)
	}
	return out
}

// Documents writes the documents: the group's policy and a handbook for each office.
func Documents(seed uint64) []Document {
	docs := []Document{{
		GroupPolicy,
		write(demo.NewDice(seed+1000), "Group policy", "the group", handbook{"", make([]int, len(rules))}),
	}}
	for i, h := range handbooks(seed) {
		title := strings.ToUpper(h.office[:1]) + h.office[1:]
		docs = append(docs, Document{
			"handbooks/" + h.office + ".md",
			write(demo.NewDice(seed+uint64(i)), "Handbook of the "+title+" office", "the "+title+" office", h),
		})
	}
	return docs
}

// Differences lists the rules of handbooks that differ from the group's, by document and topic. It uses the
// values chosen for each document, not its text.
func Differences(seed uint64) []Difference {
	var out []Difference
	for _, h := range handbooks(seed) {
		for i, v := range h.says {
			if v != 0 {
				out = append(out, Difference{
					"handbooks/" + h.office + ".md", rules[i].topic, rules[i].values[v].name, rules[i].values[0].name,
				})
			}
		}
	}
	sort.Slice(out, func(i, j int) bool {
		return out[i].Document < out[j].Document || out[i].Document == out[j].Document && out[i].Topic < out[j].Topic
	})
	return out
}

// Check compares an answer (a line per difference: document | topic | …) with the values chosen for the
// documents and lists its errors.
func Check(answer string) (problems []string) {
	want := map[string]bool{}
	for _, d := range Differences(Seed) {
		want[d.Document+" | "+d.Topic] = true
	}
	got := map[string]bool{}
	for line := range strings.Lines(answer) {
		parts := strings.Split(line, "|")
		if len(parts) < 2 {
			continue
		}
		key := strings.TrimSpace(parts[0]) + " | " + strings.ToLower(strings.TrimSpace(parts[1]))
		got[key] = true
		if !want[key] {
			problems = append(problems, "is no difference: "+key)
		}
	}
	for key := range want {
		if !got[key] {
			problems = append(problems, "is missing: "+key)
		}
	}
	sort.Strings(problems)
	return problems
}

// write writes the rules of a document as prose, in random order, between sentences without rules.
func write(dice *demo.Dice, title, who string, h handbook) string {
	order := make([]int, len(rules))
	for i := range order {
		order[i] = i
	}
	demo.Shuffle(dice, order)
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n\n", title, fmt.Sprintf(demo.Pick(dice, openings), who))
	for n, i := range order {
		if n%2 == 0 {
			fmt.Fprintf(&b, "## %d. %s\n\n", n/2+1, demo.Pick(dice, headings))
		}
		r := rules[i]
		says := fmt.Sprintf(demo.Pick(dice, r.sentences), demo.Pick(dice, r.values[h.says[i]].wordings))
		before := dice.N(len(fillers))
		after := (before + dice.Between(1, len(fillers)-1)) % len(fillers)
		switch dice.N(3) {
		case 0: // a former rule, which is not a difference
			old := r.values[(h.says[i]+1)%len(r.values)]
			says += fmt.Sprintf(" Until the end of 2023 another rule was in force (%s); it no longer is.", old.name)
		case 1:
			says += " " + demo.Pick(dice, reasons)
		}
		fmt.Fprintf(&b, "%s %s %s\n\n", fillers[before], says, fillers[after])
	}
	b.WriteString(demo.Pick(dice, closings) + "\n")
	return b.String()
}
