package corpus

// Sentences that state no rule.
var (
	openings = []string{
		"This document says how %s works together day by day. It was written by the people it concerns, and is read at least once by everyone who joins.",
		"What follows holds for everyone who works for %s, whatever the contract. Questions go to the people desk, which answers within the day.",
		"The pages below collect what %s has agreed on over the years. They replace the leaflets that used to hang in the kitchen.",
	}
	headings = []string{
		"Daily matters", "Money and receipts", "On the road", "People", "Papers and data", "Working together",
		"With partners", "What else is settled",
		"Time and place", "Safety", "Good practice", "Responsibilities",
	}
	fillers = []string{
		"Nobody has to know this by heart; the people desk keeps a short version on one page.",
		"The aim is that a reasonable person does the reasonable thing without asking.",
		"Exceptions are possible, and are written down with their reason.",
		"Team leads explain this to new colleagues in their first week.",
		"Where the law of a country asks for more, the law holds.",
		"The works council was heard before this was written down.",
		"An example: a colleague from accounting travels to a supplier for two days, meets four people and comes back with a sample and three receipts.",
		"The form is on the intranet, under the letter F, and takes about ten minutes.",
		"In doubt, ask first; asking has never cost anyone anything here.",
		"Auditors look at this every spring, usually in the second week of April.",
		"The tool for this was replaced last summer; the old one can still be read.",
		"Part-time colleagues are treated in proportion to their hours.",
		"Interns and working students are included unless their contract says otherwise.",
		"It helps everyone to keep copies for as long as a matter is open.",
		"The yearly review in November looks at whether this still makes sense.",
		"Last year 214 colleagues made use of this, which is a little more than the year before.",
		"There is a video of six minutes that shows how it is done.",
		"Please do not send this kind of thing to private addresses.",
	}
	reasons = []string{
		"The reason is a finding of the auditors from some years ago.",
		"This was asked for by the colleagues themselves in the survey.",
		"Other companies of our size do the same.",
		"The figure is looked at again every second year.",
	}
	closings = []string{
		"Comments are welcome at any time and are collected for the next edition.",
		"This edition was approved by the management and holds until the next one appears.",
		"With thanks to everyone who read the drafts.",
	}
)
