package suite

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// The six categories of TREC's questions, which OOLONG's best known part asks about.
var labels = []string{"numeric value", "entity", "location", "description and abstract concept", "abbreviation", "human being"}

const (
	numeric = iota
	entity
	location
	description
	abbreviation
	human
)

// heads are what a question can ask for, by label. Each belongs to one label without doubt.
var heads = [][]string{
	numeric: phrases(`
		population
		height above sea level
		year of completion
		price per kilogram
		number of members
		average speed
		boiling point in degrees
		distance in miles
		share in per cent
		weight in tonnes
		date of the opening
		number of windows
		annual rainfall in millimetres
		age at death
		length in metres
		telephone number
		count of votes
		depth in fathoms
		daily wage in crowns
		duration in minutes
		number of floors
		postal code
		area in hectares
		monthly rent
		number of pages
		birth year
		voltage
		frequency in hertz
		attendance figure
		number of strings
		top score
		total cost
		number of languages spoken
		house number
		rate of interest
		quantity sold
		latitude
		hour of departure
		serial number
		life expectancy in years`),
	entity: phrases(`
		alloy
		breed of dog
		musical instrument
		tropical fruit
		currency
		colour
		contagious disease
		board game
		make of car
		flower
		programming language
		novel
		national dish
		precious stone
		religion
		ball sport
		spice
		bird of prey
		treaty
		film
		chemical element
		kind of cheese
		fabric
		dance
		sailing vessel
		brand of tea
		medicine
		newspaper
		battle
		vitamin
		fish
		weapon
		opera
		type of roof
		hand tool
		festival
		letter of the alphabet
		insect
		mineral
		tree`),
	location: phrases(`
		river
		mountain range
		capital
		harbour town
		province
		desert
		island
		street
		continent
		valley
		strait
		birthplace
		burial site
		border region
		peninsula
		country of origin
		bay
		volcano
		district
		railway station
		national park
		oasis
		county seat
		lake
		mountain pass
		archipelago
		city square
		university town
		waterfall
		coast
		planet
		village
		canal
		cape
		forest
		neighbourhood
		landing place
		fjord
		plateau
		home town`),
	description: phrases(`
		reason for the delay
		meaning of the proverb
		difference in method
		cause of the decline
		definition
		purpose of the ritual
		way of making it
		effect on sleep
		origin of the custom
		explanation for the silence
		manner of greeting
		idea behind the reform
		consequence of the strike
		nature of the dispute
		procedure for appeal
		history of the word
		motive for the theft
		principle of its working
		symptoms in children
		argument against it
		attitude to strangers
		advantage over steam
		moral of the fable
		recipe
		process of tanning
		feeling it evokes
		benefit for farmers
		theory of its decay
		story of its discovery
		significance for trade
		rule about inheritance
		description of the damage
		point of the joke
		relation to the calendar
		justification for the tax
		method of irrigation
		lesson to be learned
		treatment for burns
		concept of honour
		character of the landscape`),
	abbreviation: phrases(`
		abbreviation
		acronym
		initials
		short form
		two-letter code
		full form of the letters KPR
		words behind the letters OLM
		expansion of the acronym TBD
		initialism
		three-letter symbol
		meaning of the letters QV
		shortened name
		contraction
		airport code
		full name of the body called ZLW
		expansion of the initials HJT
		chemical symbol
		country code
		unabbreviated form of DVRK
		letters it is known by
		usual shortening
		postal abbreviation
		words behind the letters FNB
		long form of MSGP
		clipped form
		what RWT is short for
		expansion of the title BGM
		what the letters LDP stand for
		currency code
		unit symbol
		two initials
		short code
		spelled-out form of XAR`),
	human: phrases(`
		sculptor
		admiral
		botanist
		president
		first woman to cross it
		author
		inventor
		goalkeeper
		queen
		composer
		patron saint
		explorer
		architect
		astronaut
		team of surveyors
		chief engineer
		poet
		murderer
		bishop
		founder
		tribe of nomads
		surgeon
		conductor
		prime minister
		godfather
		mathematician
		family of bankers
		actress
		trainer
		owner
		general
		pilot
		fashion designer
		company of actors
		philosopher
		winner
		nurse
		youngest child
		crew
		judge`),
}

// frames ask for HEAD. What else they name (A, B) may be of any label, so that what words occur says little: only what is asked for counts.
var frames = phrases(`
	Which HEAD is linked to the A that the B made known?
	What HEAD do people mention when the A and the B come up?
	Beside the A and the B, which HEAD belongs to this story?
	If the A is known, and the B as well, what HEAD is still looked for?
	Tell me the HEAD that goes with the A, not with the B.
	I have the A and the B already; could you find the HEAD for me?
	The A is on record and so is the B, but what is the HEAD?
	Leaving aside the A, what HEAD did the chronicler give next to the B?
	Can you name the HEAD that was confused with the A in a book about the B?
	After the A had been settled, which HEAD was asked for in place of the B?
	Not the A and not the B: which HEAD is meant?
	It says the A here and the B there; where does it say the HEAD, and which is it?
	Would you give the HEAD that the report on the A leaves out, although it has the B?
	Of the A, the B and the HEAD, please give me the last.
	Of the HEAD, the A and the B, please give me the first.
	Between the A and the B stands one HEAD; which?
	The teacher wanted the HEAD, the pupil wrote down the A and the B. What should be there?
	Somebody crossed out the A and the B and left a gap for the HEAD; fill it in.
	Do you happen to remember the HEAD, given that the A and the B are the ones everybody knows?
	Which A is it is clear, and which B too; the HEAD I cannot recall. Can you?
	What A it was does not matter to me, nor the B. Which HEAD was it?
	Every guide gives the A and the B, hardly one the HEAD. What is it?
	Please look up the HEAD. The A I know, the B I do not need.
	Please look up neither the A nor the B but the HEAD.
	With the B out of the way and the A agreed on, what remains is the HEAD: name it.
	In the quiz they asked for the HEAD after two easy ones, the A and the B. What was right?
	Whatever the A may be, and whatever the B, what is the HEAD?
	The A changed, the B changed, the HEAD did not. Which one was it all the time?
	A footnote on the B, beside one on the A, names the HEAD. What does it say?
	Is there a HEAD known for the time of the A and the B, and if so which?
	Which HEAD would one have to know to understand why the A is mentioned with the B?
	The catalogue lists the A under the B, and under that the HEAD. I need the lowest entry.
	Say which HEAD, please, and spare me the A and the B.
	My sister knows the A, my brother the B, and neither the HEAD. Do you?
	They print the B in bold, the A in italics and the HEAD not at all; what would it be?
	For the prize one had to send in the HEAD, not the A as last year or the B as before. What was correct?
	The HEAD is what I am after; people keep giving me the A or the B.
	Once you know the A, the B is easy; what about the HEAD?
	Who asks for the B gets the A. But what does one get who asks for the HEAD?`)

// instance is a question and its label.
func instance(r *rand.Rand, label int) string {
	thing := func(label int) string {
		if r.IntN(2) == 0 {
			return pick(r, adjectives) + " " + pick(r, heads[label])
		}
		return pick(r, heads[label])
	}
	text := pick(r, frames)
	a, b := thing(r.IntN(len(labels))), thing(r.IntN(len(labels)))
	asked := thing(label)
	var words []string
	for _, w := range strings.Split(text, " ") {
		bare := strings.TrimRight(w, ",.;:?!")
		switch bare {
		case "HEAD":
			w = asked + w[len(bare):]
		case "A":
			if len(words) > 0 {
				w = a + w[len(bare):]
			}
		case "B":
			w = b + w[len(bare):]
		}
		words = append(words, w)
	}
	return strings.Join(words, " ")
}

// describeLabels is the head of a context of such lines.
func describeLabels(lines int, unit string) string {
	var quoted []string
	for _, l := range labels {
		quoted = append(quoted, "'"+l+"'")
	}
	return fmt.Sprintf("The following lines contain %d general-knowledge questions, one per line. Each line has a User ID, which is not necessarily unique, "+
		"i.e. each User ID can be associated with multiple questions. Each question has an answer that can be described as one of 6 categories: "+
		"%s. The data does not provide the labels; they have to be inferred from what each %s asks for.", lines, strings.Join(quoted, ", "), unit)
}
