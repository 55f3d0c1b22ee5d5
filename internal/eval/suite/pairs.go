package suite

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// requirement is what a user must have of one label: a minimal or exact number of instances, and optionally all of
// them before or after a day.
type requirement struct {
	label         int
	least, exact  int
	before, after time.Time
}

// predicate selects pairs of users: one user satisfies a, the other b. Without b, both have at least one instance
// of the labels in either, and satisfy the dates.
type predicate struct {
	said   string
	either []int
	a, b   []requirement
}

func day(month time.Month, d int) time.Time { return time.Date(2023, month, d, 0, 0, 0, 0, time.UTC) }

func least(n, label int) requirement { return requirement{label: label, least: n} }

func exactly(n, label int) requirement { return requirement{label: label, exact: n} }

// predicates are the 20 of OOLONG-Pairs.
//
// Source: A. Zhang, T. Kraska, O. Khattab, Recursive Language Models, 2025, appendix.
var predicates = []predicate{
	{either: []int{numeric, location}, said: "both users have at least one instance with a numeric value or location"},
	{either: []int{entity, human}, said: "both users have at least one instance with an entity or human being"},
	{
		either: []int{description, abbreviation},
		said:   "both users have at least one instance with a description and abstract concept or abbreviation",
	},
	{
		either: []int{human, location}, a: []requirement{{label: human, after: day(1, 6)}},
		said: "both users have at least one instance with a human being or location, and all instances that are a human being for both users must be after January 6, 2023",
	},
	{
		either: []int{entity, numeric}, a: []requirement{{label: entity, before: day(3, 15)}},
		said: "both users have at least one instance with an entity or numeric value, and all instances that are an entity for both users must be before March 15, 2023",
	},
	{
		either: []int{location, abbreviation},
		said:   "both users have at least one instance with a location or abbreviation",
	},
	{
		either: []int{description, numeric}, a: []requirement{{label: numeric, after: day(2, 1)}},
		said: "both users have at least one instance with a description and abstract concept or numeric value, and all instances that are a numeric value for both users must be after February 1, 2023",
	},
	{
		either: []int{human, description},
		said:   "both users have at least one instance with a human being or description and abstract concept",
	},
	{
		either: []int{entity, location}, a: []requirement{{label: location, after: day(4, 10)}},
		said: "both users have at least one instance with an entity or location, and all instances that are a location for both users must be after April 10, 2023",
	},
	{
		either: []int{numeric, abbreviation}, a: []requirement{{label: abbreviation, before: day(5, 20)}},
		said: "both users have at least one instance with a numeric value or abbreviation, and all instances that are an abbreviation for both users must be before May 20, 2023",
	},
	{
		a: []requirement{least(1, entity), least(1, abbreviation)}, b: []requirement{exactly(1, entity)},
		said: "one user has at least one instance with entity and one with abbreviation, and the other user has exactly one instance with entity",
	},
	{
		a: []requirement{least(2, numeric)}, b: []requirement{least(1, location), least(1, human)},
		said: "one user has at least two instances with numeric value, and the other user has at least one instance with location and at least one instance with human being",
	},
	{
		a: []requirement{exactly(1, description)}, b: []requirement{least(1, abbreviation), least(1, entity)},
		said: "one user has exactly one instance with description and abstract concept, and the other user has at least one instance with abbreviation and at least one instance with entity",
	},
	{
		a: []requirement{least(1, human), least(1, numeric)}, b: []requirement{exactly(2, location)},
		said: "one user has at least one instance with human being and at least one instance with numeric value, and the other user has exactly two instances with location",
	},
	{
		a:    []requirement{least(1, entity), least(1, location), least(1, abbreviation)},
		b:    []requirement{exactly(1, numeric)},
		said: "one user has at least one instance with entity, at least one instance with location, and at least one instance with abbreviation, and the other user has exactly one instance with numeric value",
	},
	{
		a:    []requirement{least(1, description), least(1, human)},
		b:    []requirement{least(2, entity), exactly(1, abbreviation)},
		said: "one user has at least one instance with description and abstract concept and at least one instance with human being, and the other user has at least two instances with entity and exactly one instance with abbreviation",
	},
	{
		a: []requirement{exactly(1, numeric)}, b: []requirement{least(1, location), least(1, description)},
		said: "one user has exactly one instance with numeric value, and the other user has at least one instance with location and at least one instance with description and abstract concept",
	},
	{
		a:    []requirement{least(1, abbreviation), exactly(1, human)},
		b:    []requirement{least(1, entity), least(1, numeric)},
		said: "one user has at least one instance with abbreviation and exactly one instance with human being, and the other user has at least one instance with entity and at least one instance with numeric value",
	},
	{
		a:    []requirement{least(2, location), least(1, entity)},
		b:    []requirement{exactly(1, description), exactly(1, abbreviation)},
		said: "one user has at least two instances with location and at least one instance with entity, and the other user has exactly one instance with description and abstract concept and exactly one instance with abbreviation",
	},
	{
		a:    []requirement{least(1, numeric), least(1, human)},
		b:    []requirement{least(1, location), least(1, entity), exactly(1, abbreviation)},
		said: "one user has at least one instance with numeric value and at least one instance with human being, and the other user has at least one instance with location, at least one instance with entity, and exactly one instance with abbreviation",
	},
}

// meets reports whether a user's lines satisfy the requirement.
func (n requirement) meets(own []line) bool {
	count := 0
	for _, l := range own {
		if l.label != n.label {
			continue
		}
		count++
		if !n.after.IsZero() && !l.day.After(n.after) || !n.before.IsZero() && !l.day.Before(n.before) {
			return false
		}
	}
	return count >= n.least && (n.exact == 0 || count == n.exact)
}

func meetsAll(needs []requirement, own []line) bool {
	return !slices.ContainsFunc(needs, func(n requirement) bool { return !n.meets(own) })
}

// holds reports whether two users are a pair.
func (p predicate) holds(one, other []line) bool {
	if p.either == nil {
		return meetsAll(p.a, one) && meetsAll(p.b, other) || meetsAll(p.a, other) && meetsAll(p.b, one)
	}
	for _, own := range [][]line{one, other} {
		if !slices.ContainsFunc(own, func(l line) bool { return slices.Contains(p.either, l.label) }) ||
			!meetsAll(p.a, own) {
			return false
		}
	}
	return true
}

// pairsOf lists the pairs of users that satisfy a predicate, the lower ID first.
func (p predicate) pairsOf(all []line) [][2]int {
	byUser := map[int][]line{}
	for _, l := range all {
		byUser[l.user] = append(byUser[l.user], l)
	}
	var ids []int
	for id := range byUser {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	found := [][2]int{}
	for i, a := range ids {
		for _, b := range ids[i+1:] {
			if p.holds(byUser[a], byUser[b]) {
				found = append(found, [2]int{a, b})
			}
		}
	}
	return found
}

func pairs() Suite {
	s := Suite{
		Name:  "oolong-pairs",
		About: "pairs of users by the labels of their lines: work that grows with the square of the length",
	}
	for i, p := range predicates {
		s.kinds = append(s.kinds, kind{fmt.Sprintf("predicate %d", i+1), func(r *rand.Rand, length int) Item {
			all := lines(r, length)
			return Item{
				Question: fmt.Sprintf("In the above data, list all pairs of user IDs (no duplicate pairs, list lower ID first) such that %s. Each of the questions can be labelled as one of "+
					"the labels (the data does not provide the labels, you need to figure out the label from the semantics of the question): description and abstract concept, entity, "+
					"human being, numeric value, location, abbreviation. In your answer, list all pairs in the format (user_id_1, user_id_2), separated by newlines.", p.said),
				Documents: labelled(all), Answer: right(p.pairsOf(all)), Scorer: "pairs",
			}
		}})
	}
	return s
}
