package grounding_test

import (
	"testing"

	"github.com/gorlm/rlm/internal/grounding"
)

// TestAnswersToWhatIsAsked: words in lower case that answer "which", shares in words, names behind what they name.
func TestAnswersToWhatIsAsked(t *testing.T) {
	const (
		trades = "Aas Ole,31,smith,Bergen\nBerg Anna,19,maid,Bergen"
		stoves = "leak 34 of 136"
		box    = "left behind: MSKU 614882-7 (quay C4)"
	)
	judgeOf(t, "What is the median age, and which trade was the commonest?", []found{
		{trades, "Farmhand was the commonest trade.", grounding.Not},
		{trades, "The commonest trade is smith.", grounding.Grounded},
	})
	judge(t, []expect{
		{"How many leak, and which share is it?", stoves, "34 of 136 leak, exactly a quarter.", grounding.Partly},
		{
			"How many leak, and which share is it?", stoves + ", 25.0 %", "34 of 136 leak, exactly a quarter.",
			grounding.Grounded,
		},
		{
			"How many leak, and which share is it?", stoves + ", 48.1 %", "34 of 136 leak, almost half.",
			grounding.Grounded,
		},
		{"Which container was left, on which quay?", box, "Container MSKU 614882-7, on quay C4", grounding.Grounded},
		{"Which flight was late?", "late: BA 117", "Flight BA 117", grounding.Grounded},
		{"Which flight was late?", "late: BA 117", "Flight LH 117", grounding.Partly},
		{"How is it listed?", "Listed grade II*, ref. 1 204 331.", "The listing is no. 1204331.", grounding.Grounded},
		{"Who is cited most, and how often, like: Smith J (57)?", "6120 articles", "Smith J (57)", grounding.Not},
	})
}

// TestNoneIsNought: a 0 beside a word of the answer supports an absence.
func TestNoneIsNought(t *testing.T) {
	judgeOf(t, "How many of the bars failed?", []found{
		{"elongation 0.2275; failures 0", "None of the bars failed.", grounding.Grounded},
		{"failed 0", "No bar failed.", grounding.Grounded},
		{"failures 2", "None of the bars failed.", grounding.Not},
		{"cracks 0; failures 3", "No bar failed.", grounding.Not},
		{"failures 0.3", "No bar failed.", grounding.Not},
	})
}

// TestRowsAreToldByTwoNames: the melting point of another sample is wrong although the answer has the sample's name.
func TestRowsAreToldByTwoNames(t *testing.T) {
	const rows = "S1: vanillin, mp 81.2 °C\nS2: salicylic acid, mp 158.6 °C\n" +
		"S3: cinnamic acid, mp 133.0 °C\nS4: urea, mp 132.7 °C"
	judgeOf(t, "What are the melting points of samples S2 and S3?", []found{
		{rows, "S2 (salicylic acid): 158.6 °C\nS3 (cinnamic acid): 132.7 °C", grounding.Partly},
		{rows, "S2 (salicylic acid): 158.6 °C\nS3 (cinnamic acid): 133.0 °C", grounding.Grounded},
	})
}

// TestDatesAndVersionsThatLookAlike: 7.4.12-rc3 is no day in April, and 12FEB24 is one in February.
func TestDatesAndVersionsThatLookAlike(t *testing.T) {
	const gateway = "inventory.yaml:1180: gateway-eu: {model: RX20, firmware: 7.4.12-rc3}"
	judge(t, []expect{
		{"Which firmware runs on the gateway?", gateway, "Firmware 7.4.12-rc3", grounding.Grounded},
		{"Which firmware runs on the gateway?", gateway, "Firmware 7.4.12-rc2", grounding.Not},
		{"When did it take off?", "AIRBORNE 0540Z 12FEB24", "On 12 February 2024 at 05:40 UTC.", grounding.Grounded},
		{"When did it take off?", "AIRBORNE 0540Z 12FEB24", "On 13 February 2024 at 05:40 UTC.", grounding.Partly},
		{"How many appeals were allowed?", "May\nof three judges", "Three appeals were allowed.", grounding.Not},
		{"How many appeals were allowed?", "three appeals allowed", "Three appeals were allowed.", grounding.Grounded},
		{"Did he plead guilty, not guilty or no contest?", "STATE v. ORMEROD", "no contest", grounding.Not},
	})
}
