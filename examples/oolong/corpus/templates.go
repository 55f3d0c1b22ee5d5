package corpus

// template is a question with a blank for a filler. The wording does not reveal the label: "What is the name
// of…" may ask for a person, a place or a thing.
type template struct {
	label, text string
	fillers     []string
}

var (
	planets   = []string{"Jupiter", "Saturn", "Neptune", "Mars", "Uranus", "Venus"}
	countries = []string{
		"Norway", "Peru", "Kenya", "Vietnam", "Portugal", "Mongolia", "Chile", "Finland", "Morocco",
		"Nepal", "Iceland", "Ghana", "Uruguay", "Latvia", "Oman",
	}
	cities = []string{
		"Lisbon", "Cairo", "Montreal", "Hanoi", "Warsaw", "Nairobi", "Lima", "Osaka", "Dublin",
		"Tunis", "Seattle", "Naples",
	}
	animals = []string{
		"an otter", "a blue whale", "a hummingbird", "a giraffe", "an octopus", "a camel", "a penguin",
		"a bat", "a chameleon", "a honey bee",
	}
	machines = []string{
		"a steam engine", "a transistor", "a refrigerator", "a barometer", "a sewing machine",
		"a telescope", "a printing press", "a microwave oven", "a sundial", "a hot air balloon",
	}
	foods = []string{
		"sourdough", "tofu", "vanilla", "chocolate", "soy sauce", "cheddar", "maple syrup", "kimchi",
		"saffron", "vinegar",
	}
	words = []string{
		"serendipity", "entropy", "inflation", "nostalgia", "irony", "osmosis", "gerrymandering",
		"karma", "photosynthesis", "hubris", "erosion", "empathy",
	}
	novels = []string{
		"Moby-Dick", "Middlemarch", "Don Quixote", "Frankenstein", "Dracula", "The Trial", "Beloved",
		"Ulysses", "Candide", "Emma",
	}
	sports = []string{
		"curling", "water polo", "badminton", "rugby", "handball", "ice hockey", "lacrosse",
		"volleyball",
	}
	letters = []string{
		"NASA", "UNICEF", "DNA", "RSVP", "ASAP", "SCUBA", "LASER", "NATO", "PDF", "FIFA", "GPS",
		"HTML", "AIDS", "OPEC", "CIA", "URL", "VAT", "ISBN", "RADAR", "HVAC",
	}
	terms = []string{
		"kilogram", "Doctor of Philosophy", "post meridiem", "limited liability company",
		"estimated time of arrival", "miles per hour", "master of ceremonies", "public limited company",
		"chief executive officer", "tablespoon",
	}
)

var templates = []template{
	{Numeric, "How many moons does %s have?", planets},
	{Numeric, "In what year did %s join the United Nations?", countries},
	{Numeric, "How far is it from %s to the equator?", cities},
	{Numeric, "What is the average weight of %s?", animals},
	{Numeric, "What does it cost to mail a postcard from %s?", countries},
	{Numeric, "How long does %s live in the wild?", animals},
	{Numeric, "How old was the author of %s when it was published?", novels},
	{Numeric, "What share of the world's people live in %s?", countries},
	{Numeric, "When was %s first shown to the public?", machines},
	{Numeric, "How many players are on the field in a game of %s?", sports},
	{Numeric, "What is the population of %s?", cities},
	{Numeric, "On what date does %s celebrate its national day?", countries},
	{Numeric, "At what temperature should %s be stored?", foods},
	{Numeric, "What is the speed of %s at full stretch?", animals},

	{Entity, "What language is spoken most in %s after English?", cities},
	{Entity, "What currency is used in %s?", countries},
	{Entity, "What is the name of the ship in %s?", novels},
	{Entity, "Which metal is used most in %s?", machines},
	{Entity, "What does %s like best to eat?", animals},
	{Entity, "What is the national sport of %s?", countries},
	{Entity, "What colour is the flag of %s mostly?", countries},
	{Entity, "Which spice goes well with %s?", foods},
	{Entity, "What piece of equipment does a beginner in %s need first?", sports},
	{Entity, "What musical instrument is typical of %s?", countries},
	{Entity, "Which disease is most often carried by %s?", animals},
	{Entity, "What is the best known dish made with %s?", foods},
	{Entity, "What gas makes up most of the atmosphere of %s?", planets},
	{Entity, "What kind of dog appears in %s?", novels},

	{Location, "Where was %s first produced?", foods},
	{Location, "What is the capital of %s?", countries},
	{Location, "What is the name of the river that flows through %s?", cities},
	{Location, "Which country exports the most %s?", foods},
	{Location, "Where can one see %s in the wild?", animals},
	{Location, "What is the highest mountain in %s?", countries},
	{Location, "In which town does %s begin?", novels},
	{Location, "Which country won the first world championship in %s?", sports},
	{Location, "What sea borders %s?", countries},
	{Location, "What is the name of the largest crater on %s?", planets},
	{Location, "In what museum can the first model of %s be found?", machines},
	{Location, "Name a suburb of %s.", cities},

	{Description, "Why is %s good for the environment?", animals},
	{Description, "How does %s work?", machines},
	{Description, "What is the meaning of the word %s?", words},
	{Description, "What is %s?", words},
	{Description, "How is %s made?", foods},
	{Description, "What happened to the economy of %s after the war?", countries},
	{Description, "What is the difference between %s and its substitutes?", foods},
	{Description, "What are the basic rules of %s?", sports},
	{Description, "What is the main idea of %s?", novels},
	{Description, "How did %s get its name?", cities},
	{Description, "Why do astronomers find %s hard to study?", planets},
	{Description, "What does a person mean who speaks of %s?", words},

	{Abbreviation, "What does %s stand for?", letters},
	{Abbreviation, "What do the letters %s mean?", letters},
	{Abbreviation, "What is the full form of %s?", letters},
	{Abbreviation, "What is the short form of %s?", terms},
	{Abbreviation, "How is %s abbreviated?", terms},
	{Abbreviation, "What is %s an acronym for?", letters},

	{Human, "Who invented %s?", machines},
	{Human, "Who wrote %s?", novels},
	{Human, "What is the name of the mayor of %s?", cities},
	{Human, "Who was the first president of %s?", countries},
	{Human, "Which scientist discovered the rings of %s?", planets},
	{Human, "What actress played the lead in the film of %s?", novels},
	{Human, "Who holds the record for the most goals in %s?", sports},
	{Human, "Name the explorer who first reached what is now %s.", countries},
	{Human, "What is the villain of %s called?", novels},
	{Human, "Who brought %s to Europe?", foods},
	{Human, "Which painter is most closely linked with %s?", cities},
	{Human, "What was the real name of the founder of %s?", cities},
}
