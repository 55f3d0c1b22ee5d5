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
			"What did guests say?",
			"Hotel Bellevue  ★★★★☆  4.3 stars (377 reviews), 8.6/10 on Trips",
			"It has 4.3 out of 5 stars from 377 reviews, and 8.6 out of 10.",
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
	} {
		r := grounding.Trace(shownAnd(c.question, c.output, c.answer))
		assert.Equal(t, c.grounded, r.Verdict == grounding.Grounded, "%q from %q: %+v", c.answer, c.output, r.Values)
	}
}
