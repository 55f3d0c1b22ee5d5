package pdf

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// ruledTable draws rows whose cells have lines at heights of their own, each cell in the middle of its row, with a
// rule from side to side below each row but the last.
func ruledTable(left, top int, rows [][2]string) string {
	var content strings.Builder
	y := top
	for i, r := range rows {
		most := 0
		for _, cell := range r {
			most = max(most, strings.Count(cell, "/")+1)
		}
		for j, cell := range r {
			lines := strings.Split(cell, "/")
			for k, line := range lines {
				content.WriteString(at(left+90*j, y-6*(most-len(lines))-12*k, line))
			}
		}
		y -= 12 * most
		if i < len(rows)-1 {
			fmt.Fprintf(&content, "%d %d m %d %d l S\n", left-4, y+9, left+200, y+9)
		}
	}
	return content.String()
}

var card = [][2]string{
	{"lamp start/the-lamp/now", "Lights the lamp,/if it has oil."},
	{"lamp stop", "Puts it out."},
	{"lamp turn", "Turns the lens so/that ships see it/from all sides."},
	{"log/show", "Shows the log."},
}

const cardText = "| lamp start the-lamp now | Lights the lamp, if it has oil. |\n|---|---|\n| lamp stop | Puts it out. |\n" +
	"| lamp turn | Turns the lens so that ships see it from all sides. |\n| log show | Shows the log. |\n"

func TestLinesBetweenTwoRulesAreOneRow(t *testing.T) {
	assert.Equal(t, cardText, textOf(t, page(ruledTable(50, 700, card), helvetica)))
	heading := at(110, 716, "Commands") // it is above both columns
	assert.Equal(t, "Commands\n"+cardText, strings.Replace(
		textOf(t, page(heading+ruledTable(50, 700, card), helvetica)), "\n\n", "\n", 1))

	groups := "40 703 m 400 703 l S\n"
	for i, r := range [][3]string{
		{"Fruit", "Apples", "sweet"}, {"", "Pears", ""}, {"Roots", "Beets", "red"}, {"", "Chard", ""},
	} {
		for j, cell := range r {
			if cell != "" {
				groups += at(50+120*j, 690-14*i, cell)
			}
		}
		from := []int{160, 40}[i%2]
		groups += fmt.Sprintf("%d %d m 400 %d l S\n", from, 686-14*i, 686-14*i)
	}
	assert.Equal(t, "| Fruit | Apples | sweet |\n|---|---|---|\n|  | Pears |  |\n| Roots | Beets | red |\n|  | Chard |  |\n",
		textOf(t, page(groups, helvetica)), "a cell beside several rows")

	head := "40 700 m 300 700 l S\n" + at(50, 704, "Marker") + at(160, 704, "Meaning")
	for i, name := range []string{"DHT", "DAC", "DQT"} {
		head += at(50, 688-14*i, name) + at(160, 688-14*i, "Defines a table of "+name)
	}
	assert.Contains(t, textOf(t, page(head+"150 640 m 150 716 l S\n", helvetica)),
		"| DHT | Defines a table of DHT |\n| DAC | Defines a table of DAC |\n", "a rule only below the head")
}

// Cells that stand in the middle of their rows share no base line, so that only the rules show the columns.
func TestAnUprightRulePartsCellsThatShareNoBaseLine(t *testing.T) {
	const upright = "132 %d m 132 %d l S\n"
	two := [][2]string{{"lamp", "Lights the lamp,/if it has oil."}, {"log", "Shows what ships/told the tower."}}
	const text = "| lamp | Lights the lamp, if it has oil. |\n|---|---|\n| log | Shows what ships told the tower. |\n"
	got := textOf(t, page(ruledTable(50, 700, two)+fmt.Sprintf(upright, 658, 710), helvetica))
	assert.Equal(t, text, got)

	frame := "46 709 m 250 709 l S\n46 685 m 250 685 l S\n" + fmt.Sprintf(upright, 685, 709)
	got = textOf(t, page(ruledTable(50, 700, two[:1])+frame, helvetica))
	assert.Equal(t, text[:strings.Index(text, "| log")], got, "a single row")

	next := at(80, 637, "Harbour") + ruledTable(50, 620, two) + fmt.Sprintf(upright, 578, 630)
	got = textOf(t, page(ruledTable(50, 700, two)+fmt.Sprintf(upright, 658, 710)+next, helvetica))
	assert.Equal(t, text+"\nHarbour\n\n"+text, got, "a heading between two tables")

	var prose strings.Builder
	for i, line := range []string{
		"It was cold and the", "lamp had been out", "for days when ships", "came to the harbour",
	} {
		prose.WriteString(at(40, 700-12*i, line) + at(140, 700-12*i, "where they "+line))
	}
	prose.WriteString("136 650 m 136 720 l S\n30 712 m 300 712 l S\n30 655 m 300 655 l S\n")
	got = textOf(t, page(prose.String(), helvetica))
	assert.NotContains(t, got, "out for days", "text in columns is not one cell: %s", got)
}

// TestCardsWithAnEmptyPart: a column is empty beside most of the others, or has its own heading.
func TestCardsWithAnEmptyPart(t *testing.T) {
	long := append(append(append([][2]string{}, card...), card...), card...)
	content := ruledTable(40, 700, card) + ruledTable(420, 695, long)
	for i := range 9 {
		content += at(232, 520-12*i, fmt.Sprintf("line %d of the small print of the card", i))
	}
	got := textOf(t, page(content, helvetica))
	assert.Equal(t, 4, strings.Count(got, "| lamp turn | Turns the lens so that ships see it from all sides. |\n"), got)
	assert.Less(t, strings.Index(got, "line 0 of"), strings.LastIndex(got, "| lamp turn"), got)
	assert.Less(t, strings.Index(got, "| log show"), strings.Index(got, "line 0 of"), got)
}
