package pdf

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// dots returns a leader as TeX draws it, between two positions of a line.
func dots(from, to, y int) string {
	var b strings.Builder
	for x := from; x < to; x += 5 {
		b.WriteString(at(x, y, "."))
	}
	return b.String()
}

func TestAListOfContentsKeepsItsEntriesApart(t *testing.T) {
	content := at(50, 700, "1") + at(65, 700, "Introduction") + at(500, 700, "1") +
		at(65, 688, "1.1") + at(90, 688, "How it began") + dots(160, 490, 688) + at(500, 688, "1") +
		at(65, 676, "1.2") + at(90, 676, "What it is called") + dots(180, 490, 676) + at(500, 676, "2") +
		at(50, 652, "2") + at(65, 652, "Releases") + at(500, 652, "4") +
		at(65, 640, "2.1") + at(90, 640, "The first") + dots(140, 490, 640) + at(500, 640, "4") +
		at(65, 628, "2.2") + at(90, 628, "The second") + dots(150, 490, 628) + at(500, 628, "7") +
		at(90, 616, "2.2.1") + at(120, 616, "A late one") + dots(170, 490, 616) + at(495, 616, "11")
	assert.Equal(t, "1 Introduction   1\n1.1 How it began … 1\n1.2 What it is called … 2\n\n"+
		"2 Releases   4\n2.1 The first … 4\n2.2 The second … 7\n2.2.1 A late one … 11\n",
		textOf(t, page(content, helvetica)))
}

func TestALeaderIsOneSign(t *testing.T) {
	for content, want := range map[string]string{
		at(50, 700, "Coffee..........................3.50"): "Coffee … 3.50\n",
		at(50, 700, "Coffee") + dots(100, 300, 700) +
			at(302, 700, "3.50"): "Coffee … 3.50\n",
		at(50, 700, "and so on ... to the end...") + at(50, 688, "e.g. 1.2.3.4.5.6 of it") + at(50, 676,
			".1 .2 .3 .4 .5 .6 .7"): "and so on ... to the end...\ne.g. 1.2.3.4.5.6 of it\n.1 .2 .3 .4 .5 .6 .7\n",
		at(50, 700, "abc") + dots(70, 200, 700) + at(205, 700, "4") + at(250, 700, "xyz") + dots(270, 400, 700) +
			at(405, 700, "17"): "abc … 4   xyz … 17\n",
		at(50, 700, "Revenue") + dots(100, 200, 700) + at(205, 700, "1,200") + at(250, 700, "1,100") +
			at(50, 685, "Cost") + dots(80, 200, 685) + at(213, 685, "800") + at(258, 685, "700") +
			at(50, 670, "Profit") + dots(80, 200, 670) + at(213, 670, "400") +
			at(258, 670, "400"): "| Revenue … | 1,200 | 1,100 |\n|---|---|---|\n| Cost … | 800 | 700 |\n| Profit … | 400 | 400 |\n",
	} {
		assert.Equal(t, want, textOf(t, page(content, helvetica)))
	}
}

// Lines close together form one row if they continue a cell, but not if each of them has its own number.
func TestACellDoesNotTakeLinesOfSeveralRows(t *testing.T) {
	var content strings.Builder
	for i, cells := range [][]string{
		{"Harbour", "", ""},
		{"", "north mole", "12"},
		{"", "south mole", "7"},
		nil,
		{"Gull Rock", "a lamp that", "31"},
		{"", "turns slowly", ""},
		nil,
		{"Far Banks", "a buoy", "4"},
	} {
		for j, cell := range cells {
			if cell != "" {
				content.WriteString(at(50+120*j, 700-11*i, cell))
			}
		}
	}
	assert.Equal(t, "Harbour\n\n|  | north mole | 12 |\n|---|---|---|\n|  | south mole | 7 |\n"+
		"| Gull Rock | a lamp that turns slowly | 31 |\n| Far Banks | a buoy | 4 |\n",
		textOf(t, page(content.String(), helvetica)))
}

// cards returns short lines in three columns, a command and its description, at independent heights.
func cards() string {
	var content strings.Builder
	for column, shift := range []int{0, 5, 2} {
		for line := range 14 {
			y := 700 - 12*line - shift
			if line%5 == 0 {
				content.WriteString(at(40+180*column, y, fmt.Sprintf("The heading %d of column %d", line, column)))
				continue
			}
			content.WriteString(at(40+180*column, y, fmt.Sprintf("run %d%d", column, line)) +
				at(110+180*column, y, fmt.Sprintf("what it does %d%d", column, line)))
		}
	}
	return content.String()
}

// The lines of cards are rows of a table if there are vertical rules between them.
func TestARuledTableIsNotReadColumnByColumn(t *testing.T) {
	content := cards()
	for _, x := range []int{35, 105, 215, 285, 395, 465, 570} {
		content += fmt.Sprintf("%d 520 m %d 715 l S\n", x, x)
	}
	got := textOf(t, page(content, helvetica))
	assert.Less(t, strings.Index(got, "The heading 0 of column 2"), strings.Index(got, "run 01"), got)
}

func TestLettersThatAreDrawnTwiceLeaveNoSpace(t *testing.T) {
	for content, want := range map[string]string{
		at(50, 700, "H") + "BT /F1 10 Tf 47.22 700 Td ( Hefty) Tj ET\n":                    "Hefty\n",
		at(50, 700, "the word") + at(50, 700, "the word"):                                  "the word\n",
		at(50, 700, "one") + "BT /F1 10 Tf 50 700 Td (one two) Tj ET\n":                    "one two\n",
		"BT /F1 10 Tf 50 700 Td (a one) Tj ET\nBT /F1 10 Tf 50 700 Td (a one two) Tj ET\n": "a one two\n",
	} {
		assert.Equal(t, want, textOf(t, page(content, helvetica)))
	}
}

func TestCardsAreReadColumnByColumn(t *testing.T) {
	turned := build(
		"<</Type/Catalog/Pages 2 0 R>>",
		"<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/Rotate 90/MediaBox[0 0 800 600]/Resources<</Font<</F1 4 0 R>>>>/Contents 5 0 R>>",
		helvetica,
		stream("", "q 0 1 -1 0 800 0 cm\n"+cards()+"Q"),
	)
	for name, data := range map[string][]byte{"upright": page(cards(), helvetica), "turned": turned} {
		got := textOf(t, data)
		rest := got
		for column := range 3 {
			for line := range 14 {
				wanted := fmt.Sprintf("run %d%d", column, line)
				if line%5 == 0 {
					wanted = fmt.Sprintf("The heading %d of column %d\n", line, column)
				}
				_, after, ok := strings.Cut(rest, wanted)
				assert.True(t, ok, "%s: %q is missing or comes too early in\n%s", name, wanted, got)
				rest = after
			}
		}
	}
}

// Vertically centered cells of a row start at different heights, but are in one row.
func TestATableWithCenteredCellsIsOneTable(t *testing.T) {
	var content strings.Builder
	for i := range 8 {
		y := 700 - 24*i
		content.WriteString(at(50, y, fmt.Sprintf("Light %d", i)) + at(120, y, "brick") +
			at(300, y+6, fmt.Sprintf("as high as %d", i)) + at(300, y-6, "and no higher") + at(420, y, "white"))
	}
	for line := range 12 {
		content.WriteString(at(50, 480-12*line,
			"Running text below the table goes from the left edge of the page to its right one, line by line"))
	}
	text := textOf(t, page(content.String(), helvetica))
	for i := range 8 {
		assert.Regexp(t, fmt.Sprintf(`(?m)^\| Light %d \| brick \|.* white \|$`, i), text)
	}
}

// Line numbers in a margin are not a column of a table and do not end up between the words of sentences.
func TestNumbersOfLinesStandApart(t *testing.T) {
	lines := []string{
		"The lamp was lit for the first time in the winter of 1811, and the",
		"boats that came in from the north saw it from afar, as its inter-",
		"national fame would have it. Nobody knows who paid for the oil that",
		"it burned in the first years; the books of the harbour do not say so.",
		"In the spring a storm took the roof off, and the keeper wrote that he",
		"had never seen the like of it. The repairs took until the summer, and",
		"the light was out for eleven weeks. What the boats did without it is",
		"told by three letters, which were found behind the panels of a wall.",
	}
	prose := "The lamp was lit for the first time in the winter of 1811, and the\nboats that came in from the north saw it from afar, as its international\n" +
		"fame would have it. Nobody knows who paid for the oil that\n" + strings.Join(lines[3:], "\n") + "\n"
	for name, test := range map[string]struct {
		step, x int
		suffix  string
		want    string
	}{
		"each line":        {1, 40, "", "1 2 3 4 5 6 7 8\n\n"},
		"each second line": {2, 40, "", "2 4 6 8\n\n"},
		"on the right":     {2, 480, "R", "2R 4R 6R 8R\n\n"},
		"of short pages":   {1, 40, "S", "1S 2S 3S 4S 5S 6S 7S 8S\n\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var content strings.Builder
			for i, line := range lines {
				content.WriteString(at(80, 700-14*i, line))
				if (i+1)%test.step == 0 {
					content.WriteString(at(test.x, 700-14*i, fmt.Sprint(i+1)+test.suffix))
				}
			}
			content.WriteString(at(test.x+80, 700-14*(len(lines)+2), "17")) // page number
			assert.Equal(t, test.want+prose+"\n17\n", textOf(t, page(content.String(), helvetica)))
		})
	}
}

func TestNumberedItemsKeepTheirNumbers(t *testing.T) {
	var content, want strings.Builder
	for i, item := range []string{
		"The lamp was lit in winter by a keeper", "Boats came from the north and the south",
		"Nobody knows who paid for all of the oil",
		"A storm took the roof off in the spring", "Three letters tell what boats did then",
	} {
		content.WriteString(at(40, 700-14*i, fmt.Sprint(i+1)) + at(80, 700-14*i, item))
		fmt.Fprintf(&want, "| %d | %s |\n", i+1, item)
		if i == 0 {
			want.WriteString("|---|---|\n")
		}
	}
	assert.Equal(t, want.String(), textOf(t, page(content.String(), helvetica)))
}

// Japanese newspapers place each character separately: lines run downwards, and the next one is to the left.
func TestLettersBelowEachOtherAreALine(t *testing.T) {
	font := "<</Subtype/Type0/Encoding/UniJIS-UCS2-H/DescendantFonts[<</Subtype/CIDFontType0/DW 1000>>]>>"
	var content strings.Builder
	for column, line := range []string{"歩行者は進行する", "ことができること"} {
		fmt.Fprintf(&content, "BT /F1 10 Tf %d 700 Td 10.5 TL\n", 300-18*column)
		for _, r := range line {
			fmt.Fprintf(&content, "<%04X> Tj T*\n", r)
		}
		content.WriteString("ET\n")
	}
	assert.Equal(t, "歩行者は進行する\nことができること\n", textOf(t, page(content.String(), font)))
}

// Characters below each other in a column of a table are further apart than those of a vertical line.
func TestSignsInAColumnOfATableAreNoLine(t *testing.T) {
	font := "<</Subtype/Type0/Encoding/UniJIS-UCS2-H/DescendantFonts[<</Subtype/CIDFontType0/DW 1000>>]>>"
	var content, want strings.Builder
	for x, cells := range []string{"年月日時", "可否可否", "甲乙丙丁"} {
		for y, r := range []rune(cells) {
			fmt.Fprintf(&content, "BT /F1 10 Tf %d %d Td <%04X> Tj ET\n", 50+80*x, 700-15*y, r)
		}
	}
	for y := range 4 {
		fmt.Fprintf(&want, "| %c | %c | %c |\n", []rune("年月日時")[y], []rune("可否可否")[y], []rune("甲乙丙丁")[y])
		if y == 0 {
			want.WriteString("|---|---|---|\n")
		}
	}
	assert.Equal(t, want.String(), textOf(t, page(content.String(), font)))
}

// Narrow cells are closer together than columns in print; only the rules between them separate them.
func TestRulesPartCellsThatStandCloseTogether(t *testing.T) {
	rows := [][]string{
		{"Month", "Sold", "Back"},
		{"2024-01", "106", "1"},
		{"2024-02", "98", "3"},
		{"2024-03", "121", "2"},
	}
	const want = "| Month | Sold | Back |\n|---|---|---|\n| 2024-01 | 106 | 1 |\n| 2024-02 | 98 | 3 |\n| 2024-03 | 121 | 2 |\n"
	places := []int{50, 93, 118}
	edges := []int{48, 91, 116, 141}
	var text strings.Builder
	for i, cells := range rows {
		for j, cell := range cells {
			text.WriteString(at(places[j], 700-14*i, cell))
		}
	}
	for name, draw := range map[string]func(x, y int) string{
		"lines":      func(x, y int) string { return fmt.Sprintf("%d %d m %d %d l S\n", x, y-4, x, y+10) },
		"thin areas": func(x, y int) string { return fmt.Sprintf("%d %d 0.5 14 re f\n", x, y-4) },
		"polygons": func(x, y int) string {
			return fmt.Sprintf("%d %d m %d.4 %d l %d.4 %d l %d %d l h f*\n", x, y-4, x, y-4, x, y+10, x, y+10)
		},
		"scaled": func(x, y int) string {
			return fmt.Sprintf("q 0.1 0 0 0.1 0 0 cm %d %d m %d %d l S Q\n", 10*x, 10*y-35, 10*x, 10*y+95)
		},
	} {
		var lines strings.Builder
		for i := range rows {
			for _, x := range edges {
				lines.WriteString(draw(x, 700-14*i))
			}
		}
		assert.Equal(t, want, textOf(t, page(lines.String()+text.String(), helvetica)), name)
		assert.Equal(t, want, textOf(t, page(text.String()+lines.String(), helvetica)), name)
	}
	assert.Equal(t, want, textOf(
		t, page("48 654 43 56 re 91 654 25 56 re 116 654 25 56 re S\n"+text.String(), helvetica)), "boxes of columns")
}

func TestAFrameAroundAWordPartsNoLine(t *testing.T) {
	var content strings.Builder
	for i := range 5 {
		x, y := 50+9*i, 700-14*i
		content.WriteString(at(x, y, "Press") + at(x+30, y, "Enter") + at(x+61, y, "to go on with the installation"))
		fmt.Fprintf(&content, "%d %d 29 12 re S\n", x+28, y-3)
	}
	assert.Equal(t, strings.Repeat("Press Enter to go on with the installation\n", 5),
		textOf(t, page(content.String(), helvetica)))
}

// If a cell has several lines, the numbers of its row stay with it, at whatever height they are.
func TestACellOfSeveralLinesKeepsItsNumbers(t *testing.T) {
	for _, down := range []int{0, 5, 10} { // top, middle, bottom
		var content strings.Builder
		for i, name := range []string{"Oil lamp", "Wick", "Glass", "Rope"} {
			y := 700 - 26*i
			content.WriteString(at(50, y, name+" of the finest kind") + at(300, y-down, fmt.Sprint(11+i)) +
				at(380, y-down, fmt.Sprint(340+i)))
			if i < 3 {
				content.WriteString(at(50, y-10, "with a second line"))
			}
		}
		text := textOf(t, page(content.String(), helvetica))
		assert.Contains(t, text, "| Wick of the finest kind with a second line | 12 | 341 |", "%d points down:\n%s",
			down, text)
		assert.Contains(t, text, "| Glass of the finest kind with a second line | 13 | 342 |", "%d points down:\n%s",
			down, text)
	}
}

// TestRowsWithoutSpaceBetweenThem: a line goes on with a cell if its words had no room in the line above.
func TestRowsWithoutSpaceBetweenThem(t *testing.T) {
	rows := [][]string{
		{"Item", "Description", "Amount"},
		{"1001", "Laptop with docking/station and two large/monitors", "1250.00"},
		{"1002", "Keyboard", "45.00"},
		{"1003", "Annual maintenance/including spare parts/and delivery", "3400.00"},
		{"1004", "Mouse", "15.50"},
	}
	for name, at0 := range map[string]func(lines int) int{
		"at the top":    func(int) int { return 0 },
		"in the middle": func(lines int) int { return lines / 2 },
	} {
		content, y := "", 700
		for _, r := range rows {
			lines := strings.Split(r[1], "/")
			for i, line := range lines {
				content += at(120, y-11*i, line)
			}
			beside := y - 11*at0(len(lines))
			content += at(50, beside, r[0]) + at(400, beside, r[2])
			y -= 11 * len(lines)
		}
		assert.Equal(t, "| Item | Description | Amount |\n|---|---|---|\n"+
			"| 1001 | Laptop with docking station and two large monitors | 1250.00 |\n| 1002 | Keyboard | 45.00 |\n| 1003 | Annual maintenance including spare parts and delivery | 3400.00 |\n"+
			"| 1004 | Mouse | 15.50 |\n", textOf(t, page(content, helvetica)), name)
	}

	groups := ""
	for i, r := range [][]string{
		{"Fruit", "Apples", "3"}, {"", "Pears", ""}, {"Roots", "Beets", "9"}, {"", "Chard", ""},
	} {
		for j, cell := range r {
			if cell != "" {
				groups += at(50+150*j, 700-11*i, cell)
			}
		}
	}
	assert.Equal(t, "| Fruit | Apples | 3 |\n|---|---|---|\n|  | Pears |  |\n"+
		"| Roots | Beets | 9 |\n|  | Chard |  |\n",
		textOf(t, page(groups, helvetica)), "cells of their own")
}

// TestTheLastCellOfATableHasAllItsLines: no row below it shows where it ends.
func TestTheLastCellOfATableHasAllItsLines(t *testing.T) {
	for name, first := range map[string]int{"at the top": 0, "in the middle": 1} {
		content := at(50, 740, "Item") + at(150, 740, "Description") + at(420, 740, "Amount")
		y := 720
		for i := range 5 {
			lines := 1 + 2*(i%2)
			if i == 4 {
				lines = 3
			}
			for line := range lines {
				content += at(150, y-12*line, fmt.Sprintf("what it is %d%d", i, line))
			}
			at0 := y - 12*min(first, lines-1)
			content += at(50, at0, fmt.Sprintf("A-%d", i)) + at(420, at0, fmt.Sprintf("%d.50", 10+i))
			y -= 12*lines + 6
		}
		for line := range 3 {
			content += at(50, y-12-12*line, "Running text below the table goes from the left edge to the right one")
		}
		text := textOf(t, page(content, helvetica))
		assert.Contains(t, text, "\n| A-4 | what it is 40 what it is 41 what it is 42 | 14.50 |\n\nRunning text", name)
	}
}

// A few entries of a list, all about as long, are not columns of running text.
func TestAFewEntriesAreNotReadAsColumns(t *testing.T) {
	content := ""
	for i, r := range [][2]string{
		{"decode the output of the tower", "towerdecodeoutput(t, f)"},
		{"is the lamp lit tonight?", "toweristhelamplit(a, b)"},
		{"is the sea calm over all of the bay", "toweristheseacalm(t, g)"},
		{"ships seen from the tower", "towershipsthatareseen(t)"},
	} {
		content += at(40, 700-12*i, r[0]) + at(260, 700-12*i, r[1])
	}
	got := textOf(t, page(content, helvetica))
	assert.Less(t, strings.Index(got, "towerdecodeoutput"), strings.Index(got, "is the lamp lit"), got)
}
