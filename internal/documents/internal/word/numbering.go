package word

import (
	"strconv"
	"strings"

	"github.com/gorlm/rlm/internal/documents/internal/markdown"
	"github.com/gorlm/rlm/internal/documents/internal/xmlread"
)

// levels is the number of levels in a list.
const levels = 9

// level is the appearance of items on one level of a list.
type level struct {
	format string // "decimal", "bullet", "lowerRoman"
	text   string // pattern of the number: "%1.%2"
	start  int
	legal  bool // all of its numbers are decimal
	style  string
}

// list is an abstract definition, which several lists may share together with their counters.
type list struct {
	levels  [levels]level
	link    string // the numbering style that defines it
	counts  [levels]int
	begun   [levels]bool
	started map[string]bool // lists whose own start was applied
}

// instance is a list in the document.
type instance struct {
	abstract string
	start    [levels]int // overrides; -1: none
	own      map[int]level
}

type listTable struct {
	lists     map[string]*list
	instances map[string]*instance
	linked    map[string]string // numbering style → abstract list
}

func (d *document) readNumbering(name string) error {
	d.listTable = listTable{map[string]*list{}, map[string]*instance{}, map[string]string{}}
	return d.part(name, "w:numbering", d.readLists)
}

func (d *document) readLists(r *xmlread.Reader) error {
	var (
		abstract *list
		id       string
		num      *instance
		at       *level
		index    int
	)
	return r.All(func(kind xmlread.Kind) error {
		if kind == xmlread.End && r.Name == "w:lvl" && num != nil && at != nil {
			num.own[index] = *at
		}
		if kind != xmlread.Start {
			return nil
		}
		v := r.Attr("w:val")
		n, numErr := strconv.Atoi(v)
		switch r.Name {
		case "w:abstractNum":
			abstract, num, at, id = &list{started: map[string]bool{}}, nil, nil, r.Attr("w:abstractNumId")
			d.lists[id] = abstract
		case "w:num":
			abstract, at, num = nil, nil, &instance{own: map[int]level{}}
			for i := range num.start {
				num.start[i] = -1
			}
			d.instances[r.Attr("w:numId")] = num
		case "w:abstractNumId":
			if num != nil {
				num.abstract = v
			}
		case "w:styleLink":
			d.linked[v] = id
		case "w:numStyleLink":
			if abstract != nil {
				abstract.link = v
			}
		case "w:lvlOverride", "w:lvl":
			index, at = levelIndex(r.Attr("w:ilvl")), nil
			switch {
			case r.Name == "w:lvlOverride":
			case num != nil:
				at = &level{start: 1, format: "decimal"}
			case abstract != nil:
				at = &abstract.levels[index]
				*at = level{start: 1, format: "decimal"}
			}
		case "w:startOverride":
			if num != nil && numErr == nil {
				num.start[index] = n
			}
		default:
			if at != nil {
				at.property(r, v)
			}
		}
		return nil
	})
}

func (l *level) property(r *xmlread.Reader, v string) {
	switch r.Name {
	case "w:start":
		l.start, _ = strconv.Atoi(v)
	case "w:numFmt":
		l.format = v
	case "w:lvlText":
		l.text = v
	case "w:isLgl":
		l.legal = toggle(r) == on
	case "w:pStyle":
		l.style = v
	}
}

func levelIndex(s string) int {
	n, _ := strconv.Atoi(s)
	return min(max(n, 0), levels-1)
}

// resolve returns the definition of a list, which may be in a numbering style.
func (n *listTable) resolve(numID string) (*instance, *list) {
	num := n.instances[numID]
	if num == nil {
		return nil, nil
	}
	abstract := n.lists[num.abstract]
	if abstract != nil && abstract.link != "" {
		if target := n.lists[n.linked[abstract.link]]; target != nil {
			abstract = target
		}
	}
	return num, abstract
}

// levelOf returns the level of a list that belongs to a paragraph style.
func (n *listTable) levelOf(numID, styleID string) int {
	_, abstract := n.resolve(numID)
	if abstract == nil || styleID == "" {
		return 0
	}
	for i, l := range abstract.levels {
		if l.style == styleID {
			return i
		}
	}
	return 0
}

// next counts an item and returns its number or bullet as Word shows it; ok is false if there is no such list.
func (n *listTable) next(numID string, at int) (marker string, ok bool) {
	num, abstract := n.resolve(numID)
	if abstract == nil {
		return "", false
	}
	at = min(max(at, 0), levels-1)
	if !abstract.started[numID] {
		abstract.started[numID] = true
		for i, start := range num.start {
			if start >= 0 {
				abstract.counts[i], abstract.begun[i] = start-1, true
			}
		}
	}
	look := func(i int) level {
		if l, ok := num.own[i]; ok {
			return l
		}
		return abstract.levels[i]
	}
	for i := 0; i <= at; i++ {
		if !abstract.begun[i] {
			abstract.begun[i] = true
			abstract.counts[i] = look(i).start - 1
			if i < at {
				abstract.counts[i]++
			}
		}
	}
	abstract.counts[at]++
	for i := at + 1; i < levels; i++ {
		abstract.begun[i] = false
	}
	l := look(at)
	if l.format == "bullet" {
		return "-", true
	}
	if l.format == "none" && !strings.Contains(l.text, "%") {
		return strings.TrimSpace(l.text), true
	}
	return strings.TrimSpace(expand(l, abstract, look)), true
}

// expand inserts the numbers into a pattern such as "%1.%2)".
func expand(l level, abstract *list, look func(int) level) string {
	var b strings.Builder
	for i := 0; i < len(l.text); i++ {
		if l.text[i] != '%' || i+1 == len(l.text) || l.text[i+1] < '1' || l.text[i+1] > '9' {
			b.WriteByte(l.text[i])
			continue
		}
		i++
		k := int(l.text[i] - '1')
		format := look(k).format
		if l.legal {
			format = "decimal"
		}
		b.WriteString(markdown.Ordinal(abstract.counts[k], format))
	}
	return b.String()
}
