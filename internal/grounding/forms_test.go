package grounding_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gorlm/rlm/internal/grounding"
)

// TestVersionsAndNumbersWithNoughtsHaveRows: a version or a meter of the row above or below is another's.
func TestVersionsAndNumbersWithNoughtsHaveRows(t *testing.T) {
	const (
		locks  = "libxml    2.9.14\nlibyaml   0.2.5\nlibpng    1.6.43\n"
		meters = "4-011 731\n4-012 288\n4-013 640\n5-011 559\n5-012 417\n5-013 902\n"
	)
	judge(t, []expect{
		{"Which versions of libyaml and libpng are there?", locks, "libyaml 0.2.5 and libpng 1.6.43", grounding.Grounded},
		{"Which versions of libyaml and libpng are there?", locks, "libyaml 0.2.5 and libpng 2.9.14", grounding.Partly},
		{"How much do 4-012 and 5-012 use?", meters, "Flat 4-012 uses 288, flat 5-012 uses 417.", grounding.Grounded},
		{"How much do 4-012 and 5-012 use?", meters, "Flat 4-012 uses 288, flat 5-012 uses 902.", grounding.Partly},
	})
}

// TestARateIsNoLength: a rate has both its units, and 3 m/s is neither three million nor three minutes.
func TestARateIsNoLength(t *testing.T) {
	judge(t, []expect{
		{"How fast was the gust?", "gust=22.5 m/s dir=NW\n", "22.5 m/s from the north-west (NW)", grounding.Grounded},
		{"How fast was the gust?", "gust=22.5 m/s dir=NW\n", "It reached 81 km/h.", grounding.Grounded},
		{"How fast was the gust?", "gust=22.5 m/s dir=NW\n", "It reached 22.5 km/h.", grounding.Not},
		{"How fast was the train?", "It ran at about 30 m.p.h. down the bank.", "Some 30 mph.", grounding.Grounded},
		{"How fast was the gust?", "{\"gust_kmh\": 81.0}\n", "It reached 22.5 m/s.", grounding.Grounded},
	})
}

// TestTimesWithoutMarks: a time may be written as in messages of ships and planes.
func TestTimesWithoutMarks(t *testing.T) {
	judge(t, []expect{
		{"When did she report?", "0947Z MV ASTRID REPORTS FIRE\n", "At 09:47.", grounding.Grounded},
		{"When did she report?", "0947Z MV ASTRID REPORTS FIRE\n", "At 09:57.", grounding.Not},
		{"When was the fix?", "fix 20210517T2203Z ok\n", "On 17 May 2021 at 10.03 pm.", grounding.Grounded},
		{"When did it land?", "18SEP2016 1142Z LANDED\n", "On 18 September 2016 at 11:42.", grounding.Grounded},
		{"When did it land?", "18SEP2016 1142Z LANDED\n", "On 18 October 2016 at 11:42.", grounding.Partly},
		{"When did he go to sea?", "That was eighteen fifty-three, in May.", "He went in 1853.", grounding.Grounded},
		{"When did he go to sea?", "That was eighteen fifty-three, in May.", "He went in 1835.", grounding.Not},
		{"How many letters came?", "tel. 0338 614 7702\nref. 2003/0614/KL\n", "614 letters came.", grounding.Not},
	})
}

// TestARowOfATableIsAnItem: the rows of the answer's own table are counted as those of a list are.
func TestARowOfATableIsAnItem(t *testing.T) {
	const boats = "Marit 12 m, Odin 9 m, Sula 15 m\n"
	rows := "\n\n| Boat | Length |\n|---|---|\n| Marit | 12 m |\n| Odin | 9 m |\n| Sula | 15 m |\n"
	judge(t, []expect{
		{"Which boats are there, and how long are they?", boats, "There are three boats:" + rows, grounding.Grounded},
		{"Which boats are there, and how long are they?", boats, "There are four boats:" + rows, grounding.Partly},
		{
			"Which boats are there?", boats, "Three are there: Marit at 12 m, Odin at 9 m, and Sula at 15 m.",
			grounding.Grounded,
		},
	})
}

// TestANumberOfAFormatStandsWhereTheFormatDoes: elsewhere in the output it was found.
func TestANumberOfAFormatStandsWhereTheFormatDoes(t *testing.T) {
	run := func(output string) grounding.Verdict {
		cell := grounding.Cell{
			Number: 1, Code: `for _, y := range years { fmt.Println(y, pop[y]) }; fmt.Printf("1841-1891 %+.1f%%\n", g)`,
			Output: output,
		}
		answer := "It grew from 1,318 people in 1841 to 2,406 in 1891, by 82.5 %."
		final := grounding.Cell{Number: 1, Code: `FINAL("` + answer + `")`}
		return grounding.Trace(grounding.Run{
			Question: "How did the parish grow?", Answer: answer,
			Turns: []grounding.Turn{
				{Number: 1, Cells: []grounding.Cell{cell}}, {Number: 2, Cells: []grounding.Cell{final}},
			},
		}).Verdict
	}
	assert.Equal(t, grounding.Grounded, run("1841 1318\n1891 2406\n1841-1891 +82.5%\n"))
	assert.Equal(t, grounding.Partly, run("a 1318\nb 2406\n1841-1891 +82.5%\n"))
}

// TestANumberOfATitleCountsNothing: the 4 of "Round 4" is not how many goals there were.
func TestANumberOfATitleCountsNothing(t *testing.T) {
	judge(t, []expect{
		{"How many goals did Brynvik shoot?", "Round 6, ground 2: Brynvik against Holm, at 19:00, fog\n", "Six goals.", grounding.Not},
		{"How many goals did Brynvik shoot?", "Goals 6, cards 2: Brynvik\n", "Six goals.", grounding.Grounded},
		{
			"Did the Whites, the Greys or the Browns get most seats?", "Whites 4, Greys 9, Browns 2\n", "The Greys",
			grounding.Grounded,
		},
	})
	head := shownAnd("Did the Whites, the Greys or the Browns get most seats?", "list;votes;seats\n", "The Greys")
	head.Turns[0].Cells[0].Code = `fmt.Println(strings.Split(context, "\n")[0])`
	assert.Equal(t, grounding.Not, grounding.Trace(head).Verdict)
}

// TestFormsOfNames: a name that the answer writes apart, with a verb behind it, or that the text names by a code.
func TestFormsOfNames(t *testing.T) {
	const clubs = "1. AC Lund 70:31 80\n2. Dale Rangers 61:40 72\n"
	judgeOf(t, "Give the table and the patents.", []found{
		{clubs, "1. AC Lund won with 80 points (70:31).\n2. Dale Rangers came second with 72.", grounding.Grounded},
		{clubs, "1. AC Lund won with 80 points (70:31).\n2. Dale Rovers came second with 72.", grounding.Partly},
		{"DE2107731 hinge, Ada Lund, Bergen, 1981\n", "DE 2107731 is a hinge by Ada Lund, Bergen, of 1981.", grounding.Grounded},
		{"DE2107731 hinge, Ada Lund, Bergen, 1981\n", "DE 2107732 is a hinge by Ada Lund, Bergen, of 1981.", grounding.Partly},
	})
}

// TestAMonthAloneIsAValue where it says when: it stands there in full, in short or in digits.
func TestAMonthAloneIsAValue(t *testing.T) {
	const (
		hotel  = "room,arrival,nights\n204,2022-01-03,2\n117,2022-01-03,1\n"
		opened = "Apr-Oct: Tue-Sun 9:00-18:00; Nov-Mar: Sat/Sun 10:00-16:00\n"
		lake   = "month  level\n2024-02  214\n2024-03  177\n"
	)
	judge(t, []expect{
		{"When was the hotel booked most?", hotel, "The peak was in August.", grounding.Not},
		{"When was the hotel booked most?", hotel, "The peak was in January.", grounding.Grounded},
		{"When is it open?", opened, "From April to October until 6 pm, until 4 pm by March.", grounding.Grounded},
		{"When is it open?", opened, "Until 6 pm, in February until 4 pm.", grounding.Partly},
		{"How high was it?", lake, "It stood at 177 in March.", grounding.Grounded},
		{"How high was it?", lake, "It stood at 177 in April.", grounding.Partly},
	})
}
