package grounding_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gorlm/rlm/internal/grounding"
)

// TestAYesIsNotTheOppositeOfWhatWasSeen: a yes or no rests on no output that gives what was asked the opposite truth
// value. An output that has both, or is about something else, supports either.
func TestAYesIsNotTheOppositeOfWhatWasSeen(t *testing.T) {
	const job, hosts = "job: export\njob succeeded: false\ntook: 42 s", "host=a1 failed=false\nhost=a2 failed=true"
	judge(t, []expect{
		{"Did the job succeed?", job, "Yes", grounding.Not},
		{"Did the job succeed?", job, "No", grounding.Grounded},
		{"Did the job not succeed?", job, "Yes", grounding.Grounded},
		{"Is TLS enabled?", "tls_enabled=true\nport=8443", "No, TLS is not enabled.", grounding.Not},
		{"Is TLS enabled?", "tls_enabled=false\nport=8443", "No, TLS is not enabled.", grounding.Grounded},
		{"Is TLS disabled?", "tls enabled: false", "Yes", grounding.Grounded},
		{"Did any host fail?", hosts, "Yes", grounding.Grounded},
		{"Did host a1 fail?", hosts, "Yes", grounding.Not},
		{"Did host a2 fail?", hosts, "Yes", grounding.Grounded},
		{"Return as JSON.", job, `{"succeeded": true}`, grounding.Not},
		{"Return as JSON.", job, `{"succeeded": false}`, grounding.Grounded},
	})
	run := shownAnd("Does the contract mention a warranty?", "false", "Yes")
	for code, want := range map[string]grounding.Verdict{
		`fmt.Println(strings.Contains(context, "warranty"))`:     grounding.Not,
		`fmt.Println(!strings.Contains(context, "warranty"))`:    grounding.Grounded,
		`fmt.Println(strings.Contains(context, "no guarantee"))`: grounding.Grounded,
	} {
		run.Turns[0].Cells[0].Code = code
		assert.Equal(t, want, grounding.Trace(run).Verdict, code)
	}
	cell := &run.Turns[0].Cells[0]
	cell.Code, cell.Output = `for _, p := range chunks { reply(p) }`, ""
	for k, replies := range [][]string{{"No.", "No, it does not."}, {"No.", "Yes, in section 4."}} {
		cell.Calls = nil
		for n, reply := range replies {
			prompt := fmt.Sprintf("Does this part of the contract mention a warranty?\n%d. The seller delivers.", n)
			cell.Calls = append(cell.Calls, grounding.Call{Number: n + 1, Prompt: prompt, Reply: reply})
		}
		want := []grounding.Verdict{grounding.Not, grounding.Grounded}[k]
		assert.Equal(t, want, grounding.Trace(run).Verdict, "%q", replies)
	}
}

// TestAYesRestsOnALookAtWhatWasAsked: names, sizes and first lines are none, a search that
// decides what is handed in is.
func TestAYesRestsOnALookAtWhatWasAsked(t *testing.T) {
	const look = "for i, d := range docs {\n\tfmt.Println(i, d.Name, len(d.Text))\n\tfmt.Println(d.Text[:300])\n}"
	const out = "0 lease.txt 90211\nThis lease of a ferry, with a warranty"
	for _, c := range []struct {
		look, code, answer string
		want               grounding.Verdict
	}{
		{look, `FINAL("Yes")`, "Yes", grounding.Not},
		{look, `FINAL("No, it does not.")`, "No, it does not.", grounding.Not},
		{look, `FINAL("В тексте этого нет.")`, "В тексте этого нет.", grounding.Not},
		{look, `FINAL("# The warranty is for 29 months")`, "# The warranty is for 29 months", grounding.Not},
		{"", `if strings.Contains(context, "warranty") { FINAL("yes") } else { FINAL("no") }`, "yes", grounding.Grounded},
		{"", "w := \"no\"\nif strings.Contains(context, \"warranty\") { w = \"yes\" }\nFINAL(w)", "yes", grounding.Grounded},
		{"", `if len(grep("(?i)warrant")) == 0 { FINAL("no") }`, "no", grounding.Grounded},
		{"", `if strings.Contains(context, "e") { FINAL("yes") }`, "yes", grounding.Not},
		{"", `if strings.Contains(context[:300], "warranty") { FINAL("no") }`, "no", grounding.Not},
		{"", `if strings.Contains(context, "warranty") { FINAL("for 29 months") }`, "for 29 months", grounding.Not},
	} {
		run := grounding.Run{Question: "Does the lease mention a warranty?", Answer: c.answer}
		if c.look != "" {
			run.Turns = append(run.Turns, grounding.Turn{
				Number: 1, Cells: []grounding.Cell{{Number: 1, Code: c.look, Output: out}},
			})
		}
		run.Turns = append(run.Turns, grounding.Turn{Number: 2, Cells: []grounding.Cell{{Number: 2, Code: c.code}}})
		r := grounding.Trace(run)
		assert.Equal(t, c.want, r.Verdict, "%s: %+v", c.code, r.Values)
	}
}

// TestAYesIsWeighedWithThePassageItMeans: what was refused is named sentences before "The motion was rejected", and a
// motion to approve approves nothing.
func TestAYesIsWeighedWithThePassageItMeans(t *testing.T) {
	const (
		cable = "Item 4: second cable car to the Rauchkofel\n" +
			"The mayor presented the motion to approve the cable car.\n" +
			"Councillor Feichter spoke against, for the sake of the grouse.\n" +
			"The motion was put to the vote: 9 for, 12 against, 2 abstained.\n" +
			"The motion was thereby rejected.\nItem 5: motion on the opening hours of the skating rink\n" +
			"The motion was carried unanimously.\nItem 6: signposts on the old cable car path\n" +
			"Taken as read."
		paper = "3.2 Hypothesis H1 (caffeine shortens reaction time)\nWe hoped to confirm H1 with 48 subjects.\n" +
			"The difference was not significant (p = 0.41). H1 is therefore not supported.\n" +
			"3.3 Hypothesis H2 (sleep loss lengthens it)\nThe effect was clear (p < 0.001). H2 is supported."
		patent = "Claim 1 relates to a valve. The applicant asked the office to allow claim 1.\n" +
			"In view of D2 it is refused.\nClaim 2 relates to a spring. It is allowed."
		release = "Change 8841: move billing to the new queue\nReviewer asked to have it merged by Friday.\n" +
			"Load test failed twice, so the change was withdrawn.\nChange 8850: rename the metrics\n" +
			"Merged on Tuesday."
		mail = "From: Ines\n" +
			"Dear Tom, you asked whether the budget for the greenhouse would be approved by the board.\n" +
			"We talked about it for an hour. In the end they turned it down.\n" +
			"The budget for the bike shed was approved, though."
		trial = "Trial 12, arm A: the primary endpoint was missed (hazard ratio 0.97).\n" +
			"Trial 14, arm B: the primary endpoint was met (hazard ratio 0.61)."
		match = "Saturday: Rovers v Athletic at Mill Lane\nAthletic scored late and Rovers lost 1-2.\n" +
			"Sunday: Rovers reserves v Town\nThe reserves won 4-0."
	)
	judge(t, []expect{
		{
			"Did the council approve the second cable car?", cable,
			"Yes, the council approved it unanimously.", grounding.Not,
		},
		{
			"Did the council approve the second cable car?", cable,
			"No, the motion was rejected with 9 votes to 12.", grounding.Grounded,
		},
		{"Was the motion on the skating rink carried?", cable, "Yes, unanimously.", grounding.Grounded},
		{"Was H1 supported by the experiment?", paper, "Yes", grounding.Not},
		{"Was claim 1 allowed?", patent, "Yes, claim 1 was allowed.", grounding.Not},
		{"Was change 8841 merged?", release, "Yes, it was merged.", grounding.Not},
		{"Did the board approve the budget for the greenhouse?", mail, "Yes, they approved it.", grounding.Not},
		{"Did the board approve the budget for the greenhouse?", mail, "No, they turned it down.", grounding.Grounded},
		{"Did trial 12 meet its primary endpoint?", trial, "Yes, it was met.", grounding.Not},
		{"Did trial 12 meet its primary endpoint?", trial, "No, it missed it (hazard ratio 0.97).", grounding.Grounded},
		{"Did trial 14 meet its primary endpoint?", trial, "Yes (hazard ratio 0.61).", grounding.Grounded},
		{"Did Rovers win on Saturday?", match, "Yes, they won.", grounding.Not},
	})
}

// TestASoundYesOrNoStands: a bare yes or no is doubted only where what it is about has the opposite.
func TestASoundYesOrNoStands(t *testing.T) {
	const (
		backup = "02:00 backup db-1 started\n02:41 backup db-1 completed\n02:41 backup db-2 started\n" +
			"03:02 backup db-2 failed: no space left on device"
		warranty = "The warranty covers defects in material and workmanship for two years.\n" +
			"Damage caused by water, fire or misuse is not covered."
		drug = "In adults, we recommend 20 mg daily. We do not recommend it for children under 12."
		fee  = "4.2 The deposit is refunded within 30 days of the end of the lease.\n4.3 The booking fee is not refundable."
	)
	judge(t, []expect{
		{"Did the backup of db-2 complete last night?", backup, "No", grounding.Grounded},
		{"Did the backup of db-2 complete last night?", backup, "Yes", grounding.Not},
		{"Did the backup of db-1 complete last night?", backup, "Yes", grounding.Grounded},
		{"Does the warranty cover water damage?", warranty, "No", grounding.Grounded},
		{"Does the warranty cover water damage?", warranty, "Yes", grounding.Not},
		{"Does the warranty cover defects in material?", warranty, "Yes", grounding.Grounded},
		{"Does the author recommend the drug for children?", drug, "No", grounding.Grounded},
		{"Does the author recommend the drug for children?", drug, "Yes", grounding.Not},
		{"Is the booking fee refundable?", fee, "No", grounding.Grounded},
		{"Is the booking fee refundable?", fee, "Yes", grounding.Not},
		{"Is the deposit refundable?", fee, "Yes", grounding.Grounded},
	})
}

// TestAYesIsDeniedByALack: a passage that says of "it" or "the" thing that it does without what the question ends with.
func TestAYesIsDeniedByALack(t *testing.T) {
	const (
		kiln  = "3: Older kilns fire with oil.\n9: The kiln dispenses with a chimney, since it burns hydrogen."
		soap  = "The bar is free of palm oil. Palm oil was used by the founder until 1961."
		gate  = "The lock has two chambers. It works without pumps. The old lock had pumps."
		other = "Older locks and their neighbours do without pumps. The lock at Wend takes water from a pond."
		saw   = "The saw no longer needs a licence. It weighs 4 kg."
	)
	judge(t, []expect{
		{"Does the hydrogen kiln of the pottery need a chimney?", kiln, "Yes", grounding.Not},
		{"Does the hydrogen kiln of the pottery need a chimney?", kiln, "No", grounding.Grounded},
		{"Does the green soap made in Trieste contain palm oil?", soap, "Yes", grounding.Not},
		{"Does the green soap made in Trieste contain palm oil?", soap, "No", grounding.Grounded},
		{"Does the sea lock at Wend in Frisia use pumps?", gate, "Yes", grounding.Not},
		{"Does the sea lock at Wend in Frisia use pumps?", gate, "No", grounding.Grounded},
		{"Does the sea lock at Wend in Frisia use pumps?", other, "Yes", grounding.Grounded},
		{"Does the big forest saw of the museum require a licence?", saw, "Yes", grounding.Not},
		{"Does the big forest saw of the museum require a licence?", saw, "No", grounding.Grounded},
	})
}

// TestAYesToTheSecondPartOfAQuestionNeedsALook, too, wherever it stands in the answer.
func TestAYesToTheSecondPartOfAQuestionNeedsALook(t *testing.T) {
	const question = "How many dogs are in the register, and does it list any ferrets?"
	judge(t, []expect{
		{question, "dogs: 214", "There are 214 dogs. Yes, it lists ferrets.", grounding.Partly},
		{question, "dogs: 214\nferrets: true", "There are 214 dogs. Yes, it lists ferrets.", grounding.Grounded},
		{question, "dogs: 214\n2004-05-11 ferret \"Nib\" rabies", "There are 214 dogs. Yes, it lists ferrets.", grounding.Grounded},
	})
}
