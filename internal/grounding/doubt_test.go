package grounding_test

import (
	"testing"

	"github.com/gorlm/rlm/internal/grounding"
)

// TestUnknownFormsAreDoubted: a number rests where its digits are, if nothing there is known to speak against it.
func TestUnknownFormsAreDoubted(t *testing.T) {
	const (
		links = "xe-0/0/3 up 25Gb/s full-duplex\nxe-0/0/4 up 40Gb/s full-duplex\n"
		peers = "peer 10.8.0.4  up 6w3d\npeer 10.8.0.9  up 2d07h\npeer 10.8.0.12 up 02:41:55\n"
		vote  = "The motion of the northern clubs on the fee was lost by 27\nvotes to 58.\n--\nThe minutes were read."
		trial = "whereas along the grain no change of damping was found (p = 0.37)."
	)
	judge(t, []expect{
		{"How fast is xe-0/0/4?", links, "It runs at 40 Gb/s.", grounding.Grounded},
		{"How fast is xe-0/0/4?", links, "It runs at 10 Gb/s.", grounding.Not},
		{"Since when is it up?", peers, "10.8.0.9 is up for 2 days and 7 hours.", grounding.Grounded},
		{"Since when is it up?", peers, "10.8.0.12 is up for 2 h 41 min.", grounding.Grounded},
		{"Since when is it up?", peers, "10.8.0.12 is up for 2 h 14 min.", grounding.Partly},
		{"How was the vote?", filler + vote, "The motion was lost, 27 to 58.", grounding.Grounded},
		{"How was the vote?", filler + vote, "The motion was lost, 27 to 85.", grounding.Partly},
		{"What changed along the grain?", trial, "No change was found along the grain (p = 0.37).", grounding.Grounded},
		{"What changed along the grain?", trial, "No change was found along the grain (p = 0.73).", grounding.Partly},
		{
			"Which versions are installed?", "ii  libz1:amd64  1:1.4.11.dfsg-2  amd64\nii  libpam0g  1.5.2-6  amd64\n",
			"- libz1 1:1.4.17.dfsg-2\n- libpam0g 1.5.2-6", grounding.Partly,
		},
		{
			"Which target took longest?",
			"//balance:gauge  elapsed= 318.4s  warnings=6\n//fan:pitch  elapsed= 61.0s  warnings=0\n",
			"`//balance:gauge` took longest, about 5.3 minutes (318.4 s).", grounding.Grounded,
		},
	})
}

// TestATaskIsToldInOtherWords: its words stand in one line, in whatever form and order.
func TestATaskIsToldInOtherWords(t *testing.T) {
	const (
		board = "Der Vorstand beschließt, die Miete der Halle bis Ende 2027 zu verlängern. Zuständig: Antje Rickmers.\n"
		plan  = "Open: pump in hall 3 to be replaced by the tenant, the cellar is painted in May.\n"
	)
	judge(t, []expect{
		{"Was wurde beschlossen?", board, "- Verlängerung der Miete (Antje Rickmers)", grounding.Grounded},
		{"Was wurde beschlossen?", board, "- Erhöhung der Miete (Antje Rickmers)", grounding.Partly},
		{"What is left to do?", plan, "- replacing the pump\n- painting the cellar", grounding.Grounded},
		{"What is left to do?", plan, "- replacing the boiler\n- painting the cellar", grounding.Partly},
	})
}

// TestARoleBelongsToItsName: who did it, not who else is named there.
func TestARoleBelongsToItsName(t *testing.T) {
	const (
		paper = "Title: Drift of buoys\nWritten by: Tom Baines\nApproved by: Lena Hofer\nDate: 4 May 2024\n"
		items = "6.1 Well. To be deepened for at most 7,400 euros. Responsible: Mr Adeyemi, until 30 September.\n" +
			"6.2 Fence. Two quotes to be obtained by 1 August. Responsible: Ms Lowry.\n6.3 Report by Mr Falk.\n"
		vote = "Present: Dr Ana Ruiz (chair), Lionel Petit, Raj Patel.\nMoved Cllr Penrose, seconded Cllr Rudge, carried 6-2."
		rat  = "TOP 4 Sommerfest\nBeschluss: am 12. Juli 2025, Zuschuss 900 Euro. Zuständig ist Folkert Janssen.\n" +
			"TOP 5 Noten\nBericht von Wiebke Thoms; 14 Hefte fehlen. Zuständig: Antje Rickmers.\n"
	)
	judge(t, []expect{
		{"Who wrote it?", paper, "It was written by Tom Baines and approved by Lena Hofer.", grounding.Grounded},
		{"Who wrote it?", paper, "It was written by Lena Hofer on 4 May 2024.", grounding.Partly},
		{"Who moved it?", vote, "It was moved by Cllr Penrose and seconded by Cllr Rudge.", grounding.Grounded},
		{"Who moved it?", vote, "It was moved by Cllr Rudge.", grounding.Not},
		{"Who was there?", vote, "Raj Patel and Lionel Petit were present.", grounding.Grounded},
		{"Who does what?", items, "- The well: Mr Adeyemi, until 30 September\n- The fence: Ms Lowry, by 1 August", grounding.Grounded},
		{"Who is responsible for what?", items, "Ms Lowry is responsible for the well, at most 7,400 euros, until 30 September.", grounding.Partly},
		{"Who is responsible for what?", items, "Ms Lowry is responsible for the fence, by 1 August.", grounding.Grounded},
		{"Wer ist zuständig?", rat, "- Sommerfest am 12.07.2025, 900 € (Folkert Janssen)", grounding.Grounded},
		{"Wer ist zuständig?", rat, "- Sommerfest am 12.07.2025, 900 € (Wiebke Thoms)", grounding.Partly},
	})
}

// TestNumbersOfTwoSentencesKeepTheirWords although each stands in its own.
func TestNumbersOfTwoSentencesKeepTheirWords(t *testing.T) {
	const (
		lease = "14.1 The landlord may end the lease by notice of 18 months to the end of a\nyear.\n" +
			"14.2 The tenant may end it by notice of 12 months to the same date.\n"
		wards = "The cardiac ward has 34 beds, most of them taken. In the renal ward there are 21.\n"
		rates = "3.4 % is paid on savings.\n5.1 % is charged on loans.\n"
	)
	judge(t, []expect{
		{"What notice?", lease, "The landlord gives 18 months' notice and the tenant 12 months.", grounding.Grounded},
		{"What notice?", lease, "The tenant gives 12 months' notice, the landlord 18 months.", grounding.Grounded},
		{"What notice?", lease, "The landlord gives 12 months' notice and the tenant 18 months.", grounding.Not},
		{"What notice?", lease, "Notice is 18 months (landlord) or 12 months (tenant).", grounding.Grounded},
		{"How many beds?", wards, "There are 34 beds in the cardiac ward and 21 in the renal ward.", grounding.Grounded},
		{"How many beds?", wards, "The cardiac ward has 21 beds and the renal ward 34.", grounding.Not},
		{"What are the rates?", rates, "Savings earn 3.4 %, loans cost 5.1 %.", grounding.Grounded},
		{"What are the rates?", rates, "It pays 3.4 % on savings and charges 5.1 % on loans.", grounding.Grounded},
	})
}

// TestFormsOfOtherDomains are ones that ordinary texts have.
func TestFormsOfOtherDomains(t *testing.T) {
	const (
		race   = "2  Ruderclub Hamm  1:24.1  2:49.9  5:42.07\n3  Tideway         1:25.6  2:52.4  5:47.95\n"
		chart  = "Rx amoxicillin 500 mg, start 02-Feb-2025\nNote 05-Feb: rash, stopped\n"
		birds  = "Zählung 12.1., Nordufer, 8-10 h\nReiherente ... 214\n"
		loan   = "Rate 3 %\nTerm 10y, amort. 12'500 p.q.\n"
		organ  = "Orgel: Joh. Nepomuk Kestler, 1787; rest. 2003-05."
		phones = "Model      weight  battery\nPico 5     172 g   4300 mAh\nPico 7     198 g   5100 mAh\n"
		pumps  = "id=P-11 rpm=1450 kW=5.5\nid=P-12 rpm=2900 kW=7.5\nid=P-13 rpm=1450 kW=4.0\n"
		lines  = "line;2022;2023\nBlue;1 204 311;1 318 870\nGreen;882 400;861 095\n"
		bridge = "id,name,built,insp_dt\n0417,Mill Lane,1931,20240611\n0418,Canal Rd,1968,20240713\n"
	)
	judge(t, []expect{
		{"Who won?", race, "Ruderclub Hamm won in 5 min 42.07 s before Tideway in 5:47.95.", grounding.Grounded},
		{"Who won?", race, "Ruderclub Hamm won in 5 min 42.70 s.", grounding.Partly},
		{"When was it stopped?", chart, "It was stopped on 5 February.", grounding.Grounded},
		{"When was it stopped?", chart, "It was stopped on 6 February.", grounding.Not},
		{"Was wurde gezählt?", birds, "Am 12. Januar von 8 bis 10 Uhr am Nordufer 214 Reiherenten.", grounding.Grounded},
		{"Was wurde gezählt?", birds, "Am 12. Februar 214 Reiherenten.", grounding.Partly},
		{"What are the terms?", loan, "CHF 12,500 a quarter are repaid.", grounding.Grounded},
		{"Who built it?", organ, "It was built by Johann Nepomuk Kestler and restored from 2003 to 2005.", grounding.Grounded},
		{"Who built it?", organ, "It was built by Johann Nepomuk Kessler and restored from 2003 to 2006.", grounding.Partly},
		{"How heavy are they?", phones, "The Pico 7 weighs 198 grams; the Pico 5 weighs 172 grams.", grounding.Grounded},
		{"How strong are they?", pumps, "P-11 and P-13 run at 1450 rpm (5.5 and 4 kW).", grounding.Grounded},
		{"How many passengers in 2023?", lines, "In 2023 Green carried 861,095.", grounding.Grounded},
		{"How many passengers in 2023?", lines, "In 2023 Green carried 882,400.", grounding.Partly},
		{"When was Mill Lane inspected?", bridge, "Mill Lane was inspected in June 2024.", grounding.Grounded},
		{"When was Mill Lane inspected?", bridge, "Mill Lane was inspected in July 2024.", grounding.Not},
	})
}

// TestAValueInTheRowOfItsClaimRests: its form may be one that nobody thought of, if nothing known speaks against it.
func TestAValueInTheRowOfItsClaimRests(t *testing.T) {
	const (
		ferry = "Ferry Osterholm: daily 8–19 in summer, Sundays 9–12.\nCars wait up to 25 minutes.\n"
		zone  = "shop 600 IN A 192.0.2.7\nblog 7200 IN A 192.0.2.8\nmail 300 IN A 192.0.2.9\n"
		final = "The final between Ilka Sand and Rufus Oduya was drawn out over\nsix games. Sand took the match 4-2 after\n" +
			"a rook ending that lasted until midnight.\nShe is 17.\n"
		count = "bicycle   122  20.0%\ntram      301  49.3%\nfoot       57   9.3%\n"
		space = "The mission ran from 1988 to 1993 and cost 61 million pounds.\n"
		seams = "Repairs: the gutter over the north porch was soldered; the bell\nrope renewed in hemp.\nCost 412.80.\n"
		pumps = "model       price   scop   noise_dB   rating\nAlva 6      4200    4.1    47         good\n" +
			"Bergvik 8   5150    4.6    44         very good\nCorda 7     4890    4.4    51         very good\n"
		cakes = "SHORTBREAD\n  250 g butter\n  375 g flour\n\nGINGERBREAD\n  180 g butter\n  500 g flour\n"
	)
	judge(t, []expect{
		{"When does the ferry run?", ferry, "In summer it runs from 8 am to 7 pm.", grounding.Grounded},
		{"When does the ferry run?", ferry, "In summer it runs from 8 am to 9 pm.", grounding.Partly},
		{"What are the cache times?", zone, "shop (192.0.2.7) is kept for 10 minutes.", grounding.Grounded},
		{"What are the cache times?", zone, "shop (192.0.2.7) is kept for 5 minutes.", grounding.Partly},
		{"How did the final go?", final, "Ilka Sand, who is 17, beat Rufus Oduya 4–2.", grounding.Grounded},
		{"How did the final go?", final, "Ilka Sand, who is 19, beat Rufus Oduya 4–2.", grounding.Partly},
		{"How do they travel?", count, "301 take the tram. One in five goes by bicycle.", grounding.Grounded},
		{"How do they travel?", count, "301 take the tram. One in three goes by bicycle.", grounding.Partly},
		{"How long did it last?", space, "The mission of 1988–93 cost £61m.", grounding.Grounded},
		{"How long did it last?", space, "The mission of 1988–95 cost £61m.", grounding.Partly},
		{"What was repaired?", seams, "- soldering of the porch gutter\n\nIt cost 412.80.", grounding.Grounded},
		{"How loud are they?", pumps, "The Bergvik 8 costs 5150. It makes 44 dB.", grounding.Grounded},
		{"How loud are they?", pumps, "The Bergvik 8 costs 5150. It makes 51 dB.", grounding.Partly},
		{"How much butter does the shortbread need?", cakes, "It needs 250 g of butter.", grounding.Grounded},
		{"How much butter does the shortbread need?", cakes, "It needs 180 g of butter.", grounding.Not},
		{"How warm was the coach?", "coach 4 seat 31\ncoach 4 seat 32", "31 °C", grounding.Not},
		{"Which seat is hers?", "coach 4 seat 31\ncoach 4 seat 32", "Seat 31.", grounding.Grounded},
		{"Quando apre?", "Brezza | apre 2025-05-01", "Il Brezza apre il 1° maggio.", grounding.Grounded},
		{"Quando apre?", "Brezza | apre 2025-05-01", "Il Brezza apre il 2° maggio.", grounding.Partly},
		{
			"What does the survey say of sheds?", "never use it   148  35.9%\nyearly   139  33.7%\n",
			"About 34 % use the shed yearly, while 148 never use it.", grounding.Grounded,
		},
	})
}

// TestOnlyTheClauseOfANegationIsAnAbsence: the rest of its sentence stands where it stands.
func TestOnlyTheClauseOfANegationIsAnAbsence(t *testing.T) {
	const log = "The file has 1,204 lines.\n"
	judge(t, []expect{
		{"What about the parrot?", log, "The file has 1,204 lines and does not mention a parrot.", grounding.Partly},
		{"What about the parrot?", log, "None of the 1,204 lines mentions a parrot.", grounding.Not},
	})
}
