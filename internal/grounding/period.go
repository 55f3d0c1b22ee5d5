package grounding

import "strings"

// A period is how often something is done or due. All are sides of one family of statuses, so that "monthly" in an
// answer is opposed by "quarterly" in a text.
const (
	periodic = 1 << 31 // the family
	firstly  = 2       // its first side; 0 and 1 are those of opposites
)

// periods are words for how often and, behind the bar, names of lengths, which mean that only behind one of pers.
var periods = []string{
	`daily täglich quotidien quotidienne quotidiennement journalier diariamente giornaliero giornalmente dagelijks |
 day tag jour día dia giorno dag`,
	`weekly wöchentlich hebdomadaire semanal semanalmente settimanale settimanalmente wekelijks |
 week woche semaine semana settimana`,
	`monthly monatlich mensuel mensuelle mensuellement mensual mensualmente mensile mensilmente maandelijks mensal |
 month monat mois mes mese maand mês`,
	`quarterly vierteljährlich quartalsweise trimestriel trimestrielle trimestriellement trimestral trimestralmente
 trimestrale trimestralmente | quarter quartal vierteljahr trimestre kwartaal`,
	`semiannually halbjährlich semestriel semestral semestrale semestralmente | semester semestre halbjahr`,
	`yearly annually annual jährlich annuel annuelle annuellement anual anualmente annuale annualmente jaarlijks |
 year jahr an année ano año anno jaar`,
}

// pers precede the name of a length that says how often.
var pers = words("per each every par chaque pro je jeden jedes jede cada al por ogni elke a")

// adverbs are the endings of words for how often that do not describe a noun.
var adverbs = []string{"ly", "ment", "mente", "lich", "weise", "lijks"}

// lengthOf reports whether the word i is the name of a length that says how often.
func lengthOf(ws []word, i int) bool {
	return i > 0 && pers.has(ws[i-1].text) && statuses()["per "+ws[i].text].families != 0
}

// recurs reports whether the period that the word i of a clause gives is a statement: the clause has no number, of
// which it may be the unit, and the word describes no noun.
func recurs(s string, ws []word, i, from, to int) bool {
	for _, w := range ws[from:to] {
		if isDigit(w.text[0]) {
			return false
		}
	}
	if lengthOf(ws, i) {
		return true
	}
	for _, end := range adverbs {
		if strings.HasSuffix(ws[i].text, end) {
			return i+1 >= to || !telling(ws[i+1].text) || s[ws[i].end:ws[i+1].at] != " "
		}
	}
	return false
}
