package grounding_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/gorlm/rlm/internal/grounding"
)

// TestAnswersInOtherLanguages: reports, minutes and contracts in several languages, told rightly and wrongly.
func TestAnswersInOtherLanguages(t *testing.T) {
	for _, c := range []struct {
		question, output, answer string
		grounded                 bool
	}{
		{
			"Wie hoch ist der Umsatz?",
			"Gewinn- und Verlustrechnung (in T€)\n                 2023      2022\nUmsatzerlöse    48.210    45.977\nMaterial       -20.118   -19.404\nJahresfehlbetrag  -1.204     310",
			"Der Umsatz betrug 2023 rund 48,2 Mio. €, der Jahresfehlbetrag 1,2 Mio. €.",
			true,
		},
		{
			"Quel est le résultat ?",
			"Comptes consolidés (en k€)\nChiffre d'affaires 48 210 45 977\nRésultat net (1 204) 310",
			"La perte nette s'élève à 1,2 M€ pour un chiffre d'affaires de 48,2 M€.",
			true,
		},
		{
			"¿Cuál fue el resultado?",
			"Cuenta de resultados (millones de euros)\n                2023     2022\nVentas        1.204,5   1.150,2\nResultado       (37,2)     112,4",
			"Las ventas alcanzaron 1.204,5 millones de euros y la pérdida fue de 37,2 millones.",
			true,
		},
		{
			"Qual è il fatturato?",
			"Conto economico (migliaia di euro)\nRicavi 48.210 45.977\nUtile 3.118 2.904",
			"I ricavi sono pari a 48,2 milioni di euro.",
			true,
		},
		{
			"Wat is de omzet?",
			"Winst-en-verliesrekening (x € 1.000)\nOmzet 48.210 45.977\nResultaat 3.118 2.904",
			"De omzet bedroeg 48,2 miljoen euro.",
			true,
		},
		{
			"Qual foi a receita?",
			"DRE (em milhares de reais)\nReceita 48.210 45.977\nLucro 3.118 2.904",
			"A receita foi de R$ 48,2 milhões.",
			true,
		},
		{
			"売上はいくらですか。",
			"損益計算書（単位：億円）\n売上高 1,234 1,140\n営業利益 97 88",
			"売上高は1,234億円、営業利益は97億円です。",
			true,
		},
		{
			"收入是多少？",
			"合并利润表（单位：亿元）\n营业收入 123.4 114.0\n净利润 9.7 8.8",
			"营业收入为123.4亿元，净利润9.7亿元。",
			true,
		},
		{
			"会議はいつですか。",
			"次回会議：2024年8月20日（火）15:00〜16:30　第２会議室",
			"次回は8月20日（火）午後3時から16時半までです。",
			true,
		},
		{
			"会议时间？",
			"下次会议：2024年8月20日（星期二）15:00，二号会议室",
			"下次会议是8月20日下午3点。",
			true,
		},
		{
			"Quand est la réunion ?",
			"Prochaine réunion : mardi 20/08/2024, 15h00, salle B2",
			"La prochaine réunion a lieu le mardi 20 août 2024 à 15 heures.",
			true,
		},
		{
			"Wann ist das Treffen?",
			"Nächstes Treffen: Di, 20.08.2024, 15:00 Uhr, Raum B2",
			"Das nächste Treffen ist am Dienstag, dem 20. August 2024, um 15 Uhr.",
			true,
		},
		{
			"¿Cuándo es la reunión?",
			"Próxima reunión: martes 20/08/2024, 15:00 h, sala B2",
			"La próxima reunión es el martes 20 de agosto de 2024 a las 15:00.",
			true,
		},
		{
			"Quanto pesa?",
			"Peso: 1.250 g; autonomia: 90 min; temperatura: 5-35 °C",
			"Pesa 1,25 kg e funziona per un'ora e mezza, da 5 a 35 gradi.",
			true,
		},
		{
			"How fast is it?",
			"read 1.05 GB/s, write 0.9 GB/s, 45 g, 3 years warranty",
			"It reads at 1,050 MB/s and writes at 900 MB/s; the warranty is 36 months.",
			true,
		},
		{
			"Wer ist zuständig?",
			"Ansprechpartner: Dr. Jens Dörr (Technik), Tel. 0451 2211",
			"Zuständig ist Jens Dörr; Dörrs Nummer ist 0451 2211.",
			true,
		},
		{
			"Qui a signé ?",
			"Signataire : Mme Claire Aubry, directrice de l'Institut d'Orsay",
			"C'est Mme Aubry qui a signé, pour l'institut d'Orsay.",
			true,
		},
		{
			"Who signed?",
			"Signed for the landlord: Margaret Ellis. Witness: Tom Reeve.",
			"Margaret Ellis's signature is on it; Reeve's too.",
			true,
		},
		{
			"How cold may it be?",
			"Storage: -20 deg C to +60 deg C. Operation 0 to 40 degrees C.",
			"It can be stored at −20 °C to 60 °C and used up to 40 °C.",
			true,
		},
		{
			"What is the dose?",
			"Adults: 500 mg twice daily for seven days. Children: 10 mg/kg.",
			"Adults take 500 mg two times a day for a week.",
			true,
		},
		{
			"What was mortality?",
			"Deaths 41 of 820 (5.0%) vs 66 of 815 (8.1%); HR 0.61 (95% CI 0.42-0.90)",
			"Mortality was 5 % (41/820) against 8.1 % (66/815); hazard ratio 0.61, 95 % CI 0.42 to 0.90.",
			true,
		},
		{
			"How long was the lease?",
			"for a term of fifteen (15) years from and including 25 March 2019 at a yearly rent of £84,500 (eighty-four thousand five hundred pounds)",
			"15 years from 25 March 2019 at £84,500 a year.",
			true,
		},
		{
			"Quel délai ?",
			"Le preneur peut donner congé à l'expiration d'une période triennale, au moins six (6) mois à l'avance.",
			"Le préavis est de six mois.",
			true,
		},
		{
			"Wie viele?",
			"Von 1 240 Paletten waren 38 beschädigt (3,1 %).",
			"38 der 1.240 Paletten waren beschädigt, etwa 3 %.",
			true,
		},
		{
			"What was decided?",
			"Resolved: extend leasing by 18 months; owner I. Doyle; from 1 March",
			"The leasing is extended by a year and a half, from 1 March, under Doyle.",
			true,
		},
		{
			"How did sales develop?",
			"Consolidated income statement\n(EUR k)            2024       2023\nSales             48,210     45,977\nEBIT               3,118      2,904",
			"Sales were €46.0 million in 2024.",
			false,
		},
		{
			"How did sales develop?",
			"Consolidated income statement\n(EUR k)            2024       2023\nSales             48,210     45,977\nEBIT               3,118      2,904",
			"Sales were $48.2 million.",
			false,
		},
		{
			"How did sales develop?",
			"Consolidated income statement\n(EUR k)            2024       2023\nSales             48,210     45,977\nEBIT               3,118      2,904",
			"Sales were €48.2 billion.",
			false,
		},
		{
			"売上はいくらですか。",
			"損益計算書（単位：億円）\n売上高 1,234 1,140\n営業利益 97 88",
			"売上高は1,234万円です。",
			false,
		},
		{
			"Wie entwickelte sich der Umsatz?",
			"Der Umsatz stieg um 4,2 % auf 88,1 Mio. €.",
			"Der Umsatz fiel um 4,2 %.",
			false,
		},
		{
			"¿Cómo cambiaron las ventas?",
			"Ventas: 88,1 M€ (+4,2 %)",
			"Las ventas cayeron un 4,2 %.",
			false,
		},
		{
			"How did sales change?",
			"Sales 88.1 (-4.2%)",
			"Sales grew by 4.2%.",
			false,
		},
		{
			"Que dit le contrat ?",
			"Art. 4 Le preneur peut donner congé avec un préavis de six mois avant la fin de la période.\nArt. 9 Le dépôt de garantie est restitué dans un délai de deux mois.",
			"Le preneur peut donner congé avec un préavis de deux mois avant la fin de la période.",
			false,
		},
		{
			"What does it cost?",
			"The tenant shall pay rent of £2,400 per month in advance on the first day.\nA late fee of £150 is due if the payment arrives after the tenth day.",
			"The tenant pays rent of £150 per month in advance.",
			false,
		},
		{
			"Wer zahlt?",
			"TOP 4 Sanierung der Turnhalle\nTOP 5 Haushalt",
			"Die Kosten von 1,35 Millionen Euro trägt das Land.",
			false,
		},
		{
			"What did the board decide?",
			"Minutes of 5 March 2025\n3. Budget: approved 7-2, Ms Orr abstaining. CHF 1.2m for the roof; start 12 May.\n4. Staff: two posts frozen until 30 June.",
			"The board approved the budget by seven votes to two, with Ms Orr abstaining. CHF 1.2 million goes to the roof, with work starting on 12 May 2025. Two posts stay frozen until the end of June.",
			true,
		},
		{
			"Wer wurde gewählt?",
			"TOP 7 Wahl: Frau Dr. Anke Lorenz 14 Stimmen, Herr Pohl 9 Stimmen, 1 ungültig.",
			"Gewählt wurde Anke Lorenz mit 14 Stimmen; Pohl erhielt neun. Lorenz' Amtszeit ist nicht genannt.",
			false,
		},
		{
			"Wie viele Einwohner?",
			"Stadt;2022;2023\nStralsund;59.205;59.450\nGreifswald;59.282;59.691",
			"Greifswald hatte 2023 59.691 Einwohner, 2022 waren es 59.282.",
			true,
		},
		{
			"Wie viele Einwohner?",
			"Stadt;2022;2023\nStralsund;59.205;59.450\nGreifswald;59.282;59.691",
			"Greifswald hatte 2023 59.282 Einwohner.",
			false,
		},
		{
			"Combien d'habitants ?",
			"Commune        2021      2022\nRodez        24.207    24.319\nMillau       21.859    21.774",
			"En 2022, Rodez comptait 24 319 habitants et Millau 21 774, contre 21 859 un an plus tôt.",
			true,
		},
		{
			"How many patients?",
			"Of 412 patients screened, 318 were randomised (159 per arm). Median follow-up 38 months (IQR 30-45). Primary endpoint: 22.6% vs 31.4%, P=0.03.",
			"318 of 412 screened patients were randomised, 159 to each arm; median follow-up was 38 months, a little over three years. The endpoint occurred in 22.6 % and 31.4 % (p = 0.03).",
			true,
		},
		{
			"How many patients?",
			"Of 412 patients screened, 318 were randomised (159 per arm). Median follow-up 38 months.",
			"The difference of 94 patients was not randomised.",
			false,
		},
		{
			"¿Qué dosis?",
			"Adultos: 1 comprimido de 500 mg cada 8 horas durante 7 días. Niños: 10 mg/kg cada 12 h.",
			"Los adultos toman un comprimido de 500 mg cada ocho horas durante una semana.",
			true,
		},
		{
			"用量は？",
			"通常、成人には1回20mgを1日1回、食後に経口投与する。腎機能低下時は10mgに減量する。",
			"成人は1回20mgを1日1回、腎機能低下時は10mgです。",
			true,
		},
		{
			"用量は？",
			"通常、成人には1回20mgを1日1回、食後に経口投与する。",
			"成人は1回20mgを1日2回です。",
			false,
		},
		{
			"従業員は何人？",
			"従業員数（連結）　3,812名（前年度末 3,745名）",
			"従業員は3,812人で、前年度末の3,745人から増えました。",
			true,
		},
		{
			"员工有多少？",
			"截至2023年12月31日，公司员工3,812人（上年末3,745人），研发投入5.93亿元，同比增长8.2%。",
			"2023年末员工为3,812人，研发投入5.93亿元，增长8.2%。",
			true,
		},
		{
			"同比如何？",
			"营业收入123.4亿元，同比增长8.2%。",
			"营业收入同比下降8.2%。",
			false,
		},
		{
			"When is it due?",
			"Schedule 2 (dates): completion 30.09.2026, long-stop date 31.12.2026, retention 2.5 % for 12 months",
			"Completion is due on 30 September 2026, with a long-stop date of 31 December 2026; 2.5 per cent is retained for a year.",
			true,
		},
		{
			"What happened to profit?",
			"EBIT (EUR m): Q1 12.4, Q2 -3.1, Q3 8.8",
			"EBIT was €12.4 million in Q1, then a loss of €3.1 million in Q2.",
			true,
		},
		{
			"Quel est l'écart ?",
			"Résultat : -3,1 M€ (2022 : +1,4 M€)",
			"La perte est de 3,1 millions d'euros, après un bénéfice de 1,4 million.",
			true,
		},
		{
			"Qual è la perdita?",
			"Risultato netto: (3.104) migliaia di euro",
			"La perdita netta è di 3,1 milioni di euro.",
			true,
		},
		{
			"Who attended?",
			"Present: Cllrs Yeo, Aldous and Penn. Apologies: Cllr Marsh (illness).",
			"Councillors Yeo, Aldous and Penn attended; Marsh sent apologies.",
			true,
		},
		{
			"What does the novel say?",
			"The lamp went out at nine. 'Never mind,' said Harrow, 'the night is long.'",
			"Harrow says \"the night is long\".",
			true,
		},
		{
			"What is the size?",
			"Grundstück 1.240 m², Wohnfläche 142,5 m², Baujahr 1978, Miete 1.150 € kalt",
			"Das Grundstück hat 1240 Quadratmeter, die Wohnfläche 142,5 m²; Baujahr 1978, Kaltmiete 1.150 Euro.",
			true,
		},
		{
			"Was kostet es?",
			"Preis: 12,90 EUR je 100 g (129,00 EUR/kg)",
			"Es kostet 12,90 € pro 100 Gramm, also 129 € das Kilo.",
			true,
		},
		{
			"How long is the warranty?",
			"Garantie: 24 Monate auf Teile, 5 Jahre auf den Motor",
			"The warranty is two years on parts and five on the motor.",
			true,
		},
		{
			"Does the report mention lawsuits?",
			"searched 14 chapters; lawsuit 0, litigation 0, claim 0",
			"No, the report does not mention any lawsuit.",
			false,
		},
	} {
		r := grounding.Trace(shownAnd(c.question, c.output, c.answer))
		assert.Equal(t, c.grounded, r.Verdict == grounding.Grounded, "%q from %q: %+v", c.answer, c.output, r.Values)
	}
}

// TestNamesAndNumbersWithoutSpaces: a number in brackets belongs to no identifier, and a person behind a role is a
// claim, though no capital shows it.
func TestNamesAndNumbersWithoutSpaces(t *testing.T) {
	const question, counts = "Which service logs most errors, and how many?", "map[auth:351 cart:697 mail:499]"
	const staff = "担当 田中太郎\n負責 王伟\ncart 697\nmail 499"
	judge(t, []expect{
		{question, counts, "cart(697)", grounding.Grounded},
		{question, counts, "Cart(697), mail(499)", grounding.Grounded},
		{question, counts, "cart(698)", grounding.Partly},
		{question, counts, "最も失敗したのは cart(697件)。", grounding.Grounded},
		{question, counts, "最も失敗したのは cart で、697件です。", grounding.Grounded},
		{question, counts, "最も失敗したのは billing で、4711件です。", grounding.Not},
		{question, counts, "最も失敗したのは cart(697件)。担当は田中太郎です。", grounding.Partly},
		{question, staff, "最も失敗したのは cart(697件)。担当は田中太郎です。", grounding.Grounded},
		{question, staff, "最も失敗したのは cart(697件)。担当は佐藤花子です。", grounding.Partly},
		{question, staff, "失败最多的是 cart，有697次，负责人是王伟。", grounding.Grounded},
		{question, staff, "失败最多的是 cart，有697次，负责人是李娜。", grounding.Partly},
	})
}

// TestWhatStandsInOtherForms: times with a mark behind them and positions in a recording, counts of people, units in a
// column of their own, old money, and rows whose values a preposition of another language joins.
func TestWhatStandsInOtherForms(t *testing.T) {
	const (
		call  = "[00:07:12] CUSTOMER: I will take the whole thing to the ombudsman."
		fire  = "Act III, 21:14: fire alarm, house cleared in 4 min; attendance 688."
		heads = "CHF 384912.40\nmap[Buchs:19 Chur:54 Davos:33]"
		soil  = "B-16;Pb;12.4;mg\nB-17;Pb;38.6;mg"
		walls = "cappella di San Biagio; consacrata 11.08.1694; vescovo Tebaldi\n" +
			"cappella di Sant'Orsola; consacrata 23.05.1702; vescovo Gherardini"
		rooms = "map[桔梗の間:214 椿の間:356 藤の間:187]"
	)
	judge(t, []expect{
		{"When does the caller threaten?", call, "At 7:12.", grounding.Grounded},
		{"When does the caller threaten?", call, "At 12:07.", grounding.Not},
		{"When was the alarm, and how many people were there?", fire, "At 9:14 pm, with 688 people.", grounding.Grounded},
		{"When was the alarm, and how many people were there?", fire, "At 9:41 pm, with 688 people.", grounding.Partly},
		{
			"Wie hoch ist die Lohnsumme der Filiale Chur, und wie viele Angestellte hat sie?", heads,
			"Die Lohnsumme beträgt CHF 384'912.40 für 54 Angestellte.", grounding.Grounded,
		},
		{"Welchen Bleigehalt hat die Probe B-17?", soil, "Die Probe enthält 38,6 mg Blei.", grounding.Grounded},
		{"Welchen Bleigehalt hat die Probe B-17?", soil, "Die Probe enthält 38,6 kg Blei.", grounding.Not},
		{"Quanto costò?", "riparazione idrometro 1.480.000 lire", "Costò 1.480.000 lire.", grounding.Grounded},
		{"Quanto costò?", "riparazione idrometro 1.480.000 lire", "Costò 1.480.000 euro.", grounding.Not},
		{
			"Quando fu consacrata la cappella di Sant'Orsola, e da quale vescovo?", walls,
			"Fu consacrata l'11 agosto 1694 dal vescovo Gherardini.", grounding.Partly,
		},
		{
			"Quando fu consacrata la cappella di Sant'Orsola, e da quale vescovo?", walls,
			"Fu consacrata il 23 maggio 1702 dal vescovo Gherardini.", grounding.Grounded,
		},
		{"一番予約の多い部屋はどれで、何件ですか。", rooms, "椿の間が最も多く、356件です。", grounding.Grounded},
		{"一番予約の多い部屋はどれで、何件ですか。", rooms, "松の間が最も多く、356件です。", grounding.Partly},
	})
}
