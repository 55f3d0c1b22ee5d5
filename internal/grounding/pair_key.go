package grounding

import "strings"

// inLists reports whether a sentence lists keys and then their numbers, as in "A, B and C have 3, 2 and 1".
func (t *tracer) inLists(keys, values []int) bool {
	if len(keys) < 2 || t.claims[keys[len(keys)-1]].end > t.claims[values[0]].at {
		return false
	}
	for n := range len(keys) - 1 {
		if !t.x.lists(t.claims[keys[n]].end, t.claims[keys[n+1]].at) ||
			!t.x.lists(t.claims[values[n]].end, t.claims[values[n+1]].at) {
			return false
		}
	}
	return true
}

// meant returns the key that a sentence means by "it": the first of the sentence before, if only one row has it.
func (t *tracer) meant(c *claim) int {
	if c.row < 1 || c.row >= len(t.x.rows) {
		return -1
	}
	r := t.x.rows[c.row]
	ws := appendWords(nil, t.x.answer[r.at:min(r.end, r.at+32)])
	if len(ws) == 0 || !pronouns.has(ws[0].text) {
		return -1
	}
	first := -1
	for k, o := range t.claims {
		if o.row == c.row-1 && o.kind == aName && !o.hidden && o.keys(c) && o.inRows == 1 &&
			(first < 0 || o.at < t.claims[first].at) {
			first = k
		}
	}
	return first
}

// again returns the key of a sentence before that alone stands before the number once more.
func (t *tracer) again(c *claim) int {
	found := -1
	if c.row < 1 || c.row >= len(t.x.rows) {
		return found
	}
	before := t.x.answer[t.x.rows[c.row].at:c.at]
	for k, o := range t.claims {
		earlier := o.row >= 0 && o.row < c.row
		if !earlier || o.kind != aName || o.hidden || !o.keys(c) || !strings.Contains(before, o.text) {
			continue
		}
		if found >= 0 {
			return -1
		}
		found = k
	}
	return found
}

// pronouns begin a sentence about what the one before it is about.
var pronouns = words("it its he his she her they their er sein seine sie ihr ihre es il elle lui ella él suo sua hij zij")
