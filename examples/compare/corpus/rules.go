package corpus

// rule is a rule of the group policy that every handbook restates in its own words.
type rule struct {
	topic string
	// values are the values in use, starting with the group's. The wordings of a value have the same meaning.
	values []value
	// sentences are ways to state the rule, with %s for a wording of the value.
	sentences []string
}

type value struct {
	name     string // how answers name the value
	wordings []string
}

var rules = []rule{
	{
		"hotel limit",
		[]value{
			{"180 EUR", []string{"180 EUR", "EUR 180", "one hundred and eighty euros"}},
			{"220 EUR", []string{"220 EUR", "two hundred and twenty euros"}},
			{"150 EUR", []string{"150 EUR", "one hundred and fifty euros"}},
		},
		[]string{
			"A night in a hotel may cost up to %s, breakfast included, without asking anyone.",
			"Accommodation is reimbursed up to %s a night; whatever lies above has to be approved before the journey.",
			"For overnight stays the ceiling is %s per person and night, and the receipt has to name the guest.",
		},
	},
	{
		"expense report deadline",
		[]value{
			{"30 days", []string{"30 days", "thirty days"}},
			{"60 days", []string{"60 days", "sixty days"}},
			{"14 days", []string{"14 days", "two weeks", "a fortnight"}},
		},
		[]string{
			"Expense reports are handed in within %s of the end of the journey.",
			"Who has not filed an expense claim %s after coming home has to explain the delay to the finance desk.",
			"Claims reach the finance desk no later than %s after the last day of travel.",
		},
	},
	{
		"rail class",
		[]value{
			{"second class", []string{"second class", "standard class"}},
			{"first class", []string{"first class"}},
		},
		[]string{
			"Journeys by train are booked in %s.",
			"On the railway the company pays for %s, whatever the length of the journey.",
		},
	},
	{
		"flight class",
		[]value{
			{"business class above 6 hours", []string{
				"business class on flights of more than 6 hours",
				"business class once the flight takes longer than six hours",
			}},
			{"economy class always", []string{
				"economy class, on every route and whatever its length", "economy class without exception",
			}},
			{"business class above 8 hours", []string{
				"business class on flights of more than 8 hours",
				"business class once the flight takes longer than eight hours",
			}},
		},
		[]string{
			"Air travel is booked in economy; colleagues may fly %s.",
			"For flights the rule is: %s.",
		},
	},
	{
		"gift limit",
		[]value{
			{"50 EUR", []string{"50 EUR", "fifty euros"}},
			{"100 EUR", []string{"100 EUR", "a hundred euros"}},
			{"25 EUR", []string{"25 EUR", "twenty-five euros"}},
		},
		[]string{
			"Gifts from partners may be kept if they are worth no more than %s; the others are returned with thanks.",
			"A present above %s in value is declined or handed to the works council's raffle.",
		},
	},
	{
		"gift report deadline",
		[]value{
			{"5 working days", []string{"5 working days", "five working days", "one working week"}},
			{"10 working days", []string{"10 working days", "ten working days", "two working weeks"}},
		},
		[]string{
			"Every gift is entered in the register within %s.",
			"The compliance office learns of a gift %s after it was received, at the latest.",
		},
	},
	{
		"invoice retention",
		[]value{
			{"10 years", []string{"10 years", "ten years", "a decade"}},
			{"7 years", []string{"7 years", "seven years"}},
			{"6 years", []string{"6 years", "six years"}},
		},
		[]string{
			"Invoices are kept for %s, on paper or scanned.",
			"Invoices may be destroyed %s after the end of the financial year, and not before.",
		},
	},
	{
		"applicant data",
		[]value{
			{"6 months", []string{"6 months", "six months", "half a year"}},
			{"12 months", []string{"12 months", "twelve months", "one year"}},
			{"3 months", []string{"3 months", "three months", "a quarter of a year"}},
		},
		[]string{
			"The papers of applicants who were not hired are deleted after %s.",
			"Personal data from a recruitment that came to nothing stay in the system for %s and are then erased.",
		},
	},
	{
		"password length",
		[]value{
			{"14 characters", []string{"14 characters", "fourteen characters"}},
			{"12 characters", []string{"12 characters", "a dozen characters"}},
			{"8 characters", []string{"8 characters", "eight characters"}},
		},
		[]string{
			"A password has at least %s.",
			"Passwords shorter than %s are refused by the systems, and should be.",
		},
	},
	{
		"incident report",
		[]value{
			{"24 hours", []string{"24 hours", "one day", "twenty-four hours"}},
			{"72 hours", []string{"72 hours", "three days", "seventy-two hours"}},
		},
		[]string{
			"Whoever loses a device or suspects a leak tells the security desk within %s.",
			"A security incident is reported %s after it is noticed at the latest, also at the weekend.",
		},
	},
	{
		"remote work",
		[]value{
			{"3 days a week", []string{"3 days a week", "three days out of five", "three days of each week"}},
			{"2 days a week", []string{"2 days a week", "two days out of five", "two days of each week"}},
			{"4 days a week", []string{"4 days a week", "four days out of five", "four days of each week"}},
		},
		[]string{
			"Colleagues whose task allows it may work from home %s.",
			"Work from home is possible on %s, on which ones is settled in the team.",
		},
	},
	{
		"work abroad",
		[]value{
			{"20 working days a year", []string{"20 working days a year", "four working weeks in a calendar year"}},
			{"30 working days a year", []string{"30 working days a year", "six working weeks in a calendar year"}},
			{"not allowed", []string{"no day at all, because the tax questions are not settled", "not a single day"}},
		},
		[]string{
			"Working from another country of the union is open to everyone for %s.",
			"As to working temporarily from abroad, the company agrees to %s.",
		},
	},
	{
		"second signature",
		[]value{
			{"10 000 EUR", []string{"10 000 EUR", "ten thousand euros"}},
			{"25 000 EUR", []string{"25 000 EUR", "twenty-five thousand euros"}},
			{"5 000 EUR", []string{"5 000 EUR", "five thousand euros"}},
		},
		[]string{
			"Contracts worth more than %s need a second signature.",
			"Above %s nobody signs alone.",
		},
	},
	{
		"quotes for purchases",
		[]value{
			{"three quotes", []string{"three quotes", "three offers from different suppliers"}},
			{"two quotes", []string{"two quotes", "a second offer beside the first"}},
		},
		[]string{
			"Before a purchase above 2 000 EUR the buyer obtains %s.",
			"Purchases above 2 000 EUR are decided on the basis of %s, which stay with the order.",
		},
	},
	{
		"sick note",
		[]value{
			{"from the fourth day", []string{
				"from the fourth day on", "once the illness lasts longer than three days",
			}},
			{"from the first day", []string{
				"from the first day on", "for every day of illness, the first one included",
			}},
			{"from the third day", []string{"from the third day on", "once the illness lasts longer than two days"}},
		},
		[]string{
			"A doctor's note is needed %s.",
			"Who is ill calls in before ten o'clock; a certificate is to be handed in %s.",
		},
	},
	{
		"notice of leave",
		[]value{
			{"4 weeks", []string{"4 weeks", "four weeks", "28 days"}},
			{"6 weeks", []string{"6 weeks", "six weeks", "42 days"}},
			{"2 weeks", []string{"2 weeks", "two weeks", "14 days"}},
		},
		[]string{
			"Leave of more than five days is asked for %s ahead.",
			"The team lead learns of a longer absence for leave %s before it begins.",
		},
	},
}
