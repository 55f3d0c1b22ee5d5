// Package corpus makes the records of the oolong example, in the form of the OOLONG benchmark (Bertsch et al.,
// 2025): questions of users, each with one of six labels that can only be found by reading.
package corpus

import (
	_ "embed"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/demo"
	"github.com/gorlm/rlm/internal/kit/startup"
)

// Question is the question about the records.
//
//go:embed question.txt
var Question string

// Replies is the recording for answering the question offline; empty if there is none.
//
//go:embed replies.jsonl
var Replies string

// Seed makes the corpus that Replies was recorded against.
const Seed = 22

// Record is one line of the corpus, with the label, which the text omits.
type Record struct {
	Date     time.Time
	User     int
	Instance string
	Label    string
}

// Records generates the records in the order of the text.
func Records(seed uint64) []Record {
	dice := demo.NewDice(seed)
	byLabel := map[string][]template{}
	for _, t := range templates {
		byLabel[t.label] = append(byLabel[t.label], t)
	}
	var out []Record
	for _, u := range users(dice) {
		for range u.records {
			label := u.label(dice)
			t := demo.Pick(dice, byLabel[label])
			out = append(out, Record{
				Date: time.Date(2023, time.January, 1+dice.N(365), 0, 0, 0, 0, time.UTC), User: u.id,
				Instance: fmt.Sprintf(t.text, demo.Pick(dice, t.fillers)), Label: label,
			})
		}
	}
	demo.Shuffle(dice, out)
	return out
}

// user asks a number of questions and prefers some labels.
type user struct {
	id, records int
	weights     []int
}

// users generates a few users with many questions and many with few.
func users(dice *demo.Dice) []user {
	var out []user
	for i := range 70 {
		u := user{id: 10_000 + dice.N(90_000), records: dice.Between(12, 44)}
		if i < 3 {
			u.records = 58 + 3*i
		}
		for range Labels {
			u.weights = append(u.weights, dice.Between(1, 9))
		}
		out = append(out, u)
	}
	return out
}

func (u user) label(dice *demo.Dice) string {
	total := 0
	for _, w := range u.weights {
		total += w
	}
	roll := dice.N(total)
	for i, w := range u.weights {
		if roll -= w; roll < 0 {
			return Labels[i]
		}
	}
	return Labels[0]
}

// Text writes the records as OOLONG does: a header that names the labels, then a line per record.
func Text(seed uint64) string {
	records := Records(seed)
	var b strings.Builder
	fmt.Fprintf(&b, "The following lines contain %d general-knowledge questions, one per line. Each line has a User ID, which is not necessarily unique, "+
		"and a date. The questions fall into 6 categories by what they ask for: '%s'. The data does not provide the labels; they have to be inferred from the questions.\n\n",
		len(records), strings.Join(Labels, "', '"))
	for _, r := range records {
		fmt.Fprintf(&b, "Date: %s || User: %d || Instance: %s\n", r.Date.Format("Jan 02, 2006"), r.User, r.Instance)
	}
	return b.String()
}

// Answer counts labels over the instances of the three users with the most instances. It returns the most
// common label and its count.
func Answer(records []Record) (label string, count int) {
	perUser := map[int]int{}
	for _, r := range records {
		perUser[r.User]++
	}
	ids := make([]int, 0, len(perUser))
	for id := range perUser {
		ids = append(ids, id)
	}
	sort.Slice(ids, func(i, j int) bool { return perUser[ids[i]] > perUser[ids[j]] })
	counts := map[string]int{}
	for _, r := range records {
		if r.User == ids[0] || r.User == ids[1] || r.User == ids[2] {
			counts[r.Label]++
		}
	}
	for _, l := range Labels {
		if counts[l] > count {
			label, count = l, counts[l]
		}
	}
	return label, count
}

var answerForm = startup.Regexp(`(?i)label:\W*([a-z ]+?)\W*count:\W*(\d+)`)

// Check compares an answer with the true labels and returns what is wrong with it, or "".
func Check(answer string) string {
	label, count := Answer(Records(Seed))
	m := answerForm().FindStringSubmatch(answer)
	if m == nil {
		return "the answer does not have the form that was asked for: " + answer
	}
	if !strings.EqualFold(strings.TrimSpace(m[1]), label) || m[2] != strconv.Itoa(count) {
		return fmt.Sprintf("the answer is %s, %s; the labels say %s, %d", m[1], m[2], label, count)
	}
	return ""
}
