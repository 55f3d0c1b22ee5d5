package grounding_test

import (
	"testing"

	"github.com/gorlm/rlm/internal/grounding"
)

// TestANumberIsOfTheReplyWithItsName: what one reply says of one document is not what another says of its own.
func TestANumberIsOfTheReplyWithItsName(t *testing.T) {
	calls := []grounding.Call{
		{Number: 1, Prompt: "Year and yard? Aurelia: ran off the slip at Sestri in the summer of 1904", Reply: "1904, Sestri"},
		{Number: 2, Prompt: "Year and yard? Benedetta: varata ad Ancona nel 1911", Reply: "1911, Ancona; 62 m, twin-screw"},
		{Number: 3, Prompt: "Year and yard? Fulvia: a photograph without a date", Reply: "Genoa, undated"},
	}
	judgeEach(t, map[string]grounding.Verdict{
		"The Aurelia was launched in 1904 at Sestri, the Benedetta in 1911 at Ancona.": grounding.Grounded,
		"The Aurelia was launched in 1911 at Sestri, the Benedetta in 1904 at Ancona.": grounding.Partly,
		"Sestri launched one in 1904, seven years before 1911.":                        grounding.Partly,
		"Sestri was first, in 1904; Genoa's is undated; 1911 is the year of Ancona.":   grounding.Grounded,
		"The Fulvia came from Genoa after 1911.":                                       grounding.Grounded,
	}, func(answer string) grounding.Run {
		run := shownAnd("When were the Aurelia, the Benedetta and the Fulvia launched, and where?", "3", answer)
		run.Turns[0].Cells[0].Calls = calls
		return run
	})
	doses := []grounding.Call{
		{Number: 1, Prompt: "Dose? Ward 3: digoxin 0.25 mg, once daily at 8", Reply: "0.25 mg once daily"},
		{Number: 2, Prompt: "Dose? Ward 9: digoxin 0.125 mg every other day", Reply: "0.125 mg every other day"},
	}
	judgeEach(t, map[string]grounding.Verdict{
		"Ward 3: 0.25 mg; ward 9: 0.125 mg": grounding.Grounded,
		"Ward 9: 0.25 mg":                   grounding.Not,
	}, func(answer string) grounding.Run {
		run := shownAnd("What dose of digoxin do wards 3 and 9 give?", "2", answer)
		run.Turns[0].Cells[0].Calls = doses
		return run
	})
}

// TestAWholeReplyFromMemoryIsReported: a model that was given none of the text answers from memory, also in lower case.
func TestAWholeReplyFromMemoryIsReported(t *testing.T) {
	call := grounding.Call{Number: 1, Prompt: "What is a manhole in French?", Reply: "regard de visite"}
	judgeEach(t, map[string]grounding.Verdict{
		"German: Einstiegsschacht; French: regard de visite.": grounding.Partly,
		"German: Einstiegsschacht; French: bouche d'égout.":   grounding.Grounded,
	}, func(answer string) grounding.Run {
		run := shownAnd("What are the German and the French term for a manhole?", "de: Einstiegsschacht\nfr: bouche d'égout", answer)
		ask := grounding.Cell{
			Number: 2, Code: `fmt.Println(llm_query("What is a manhole in French?"))`,
			Output: call.Reply + "\n", Calls: []grounding.Call{call},
		}
		run.Turns[1].Cells = append([]grounding.Cell{ask}, run.Turns[1].Cells...)
		return run
	})
}
