package suite

import "strings"

// The words are chosen so that none of them says by itself what a sentence is about.

func list(text string) []string { return strings.Fields(text) }

// phrases are lines.
func phrases(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
	}
	return out
}

var adjectives = list(`amber ancient arctic austere bitter blank bold brazen brief bright broad calm candid careful central cheap civil clever
	coarse common copper coastal crisp curious daily dark deep delicate dense distant double dry dull eager early eastern elder empty even faint
	famous fancy far feeble final firm flat formal foreign fragile free fresh frozen full gentle giant glad golden grand grave great green grey
	hasty heavy hidden high hollow honest humble idle inner iron joint keen kind known large last late lazy lean light little local lone long loose
	loud low loyal lucky major mild minor misty modern modest narrow native near neat new noble northern numb odd old open outer pale patient plain
	polite poor prime proud public pure quaint quick quiet rapid rare raw ready recent remote rich rigid rough round royal rural rusty sacred sad
	second secret serene severe sharp short silent silver simple slender slow small smooth sober soft solemn solid sour southern spare stable
	stark steady steep stern stiff stout strange strict strong subtle sudden summer sweet swift tall tame tender thick thin third tidy timid tiny
	tired tough true upper urban usual vague vast veiled velvet vivid warm wary weary western wet white whole wide wild windy wise wooden young`)

var nouns = list(`acorn anchor anvil apron arrow attic axle badge bakery barrel basin basket beacon bench blanket border bottle bowl brick bridge
	broom bucket buckle button cabin cable candle canoe canvas carpet cart castle cellar chain chair chapel chest chimney clock cloak coin compass
	cottage cradle crane crate crown cup curtain cushion dagger desk door drawer drum easel engine fence ferry fiddle field flag flask flute forge
	fountain furnace gable garden garment gate glove granary guitar gutter hammer handle harbour harness hatch hearth hedge helmet hinge hook
	horn hut inkwell jar jetty jug kettle key kiln kite kitchen knot ladder lamp lantern latch ledger lens lever lid lock locket loom
	magnet mallet mantle map mask mast meadow mill mirror mitten mortar muzzle nail needle nest net oar orchard oven paddle palette
	pantry parcel pebble pedal pencil picture pillar pillow pipe pitcher plank plate plough pocket pond porch pouch prism pulley pump quarry
	quill quilt rack raft rail rake ramp razor reel ribbon ring roof rope rudder saddle sail satchel scale scarf screen scroll
	shawl shed shelf shield shovel shutter sieve sign skillet sled sleeve socket spade spindle spoon spring stable stamp statue stool
	stove string tablet tank tapestry tent thimble thread tile timber torch tower trail tray trellis trough trunk tunnel
	turbine urn valve vase veil vessel violin wagon wall wallet wardrobe wharf wheel whistle wick willow window wire workshop wreath yard yoke`)

var firstNames = list(`Ada Adem Agnes Aiko Alma Amara Anders Anouk Arun Astrid Bashir Beatriz Bela Bjorn Carla Cato Celia Chidi Clara Dagny Dario Dilan Dora
	Edda Elif Emil Enzo Esra Farah Felix Fiona Gita Greta Hana Hasan Hedda Hugo Ida Imani Ines Ivan Jana Jonas Jorge Kaito Kamil Karim Katja
	Kofi Laila Lars Leon Lina Luca Mael Malik Mara Mateo Mina Mira Nadia Nils Noor Olga Omar Oskar Paula Petra Pilar Rafi Rania Remi Rosa Ruben
	Saida Salma Samir Sina Sofia Stefan Sven Tamar Tariq Thea Tomas Uma Vera Viktor Wanda Yara Yusuf Zelda Zofia`)

var lastNames = list(`Abara Ahlgren Almeida Amari Andersen Arslan Barros Becker Bianchi Bloom Bondar Castell Chaudry Cohen Costa Dahl Danso Demir
	Dietrich Dubois Eklund Eriksen Falk Farkas Ferrari Fischer Fontaine Garcia Gruber Haddad Hakimi Halloran Hansen Haruki Holm Horvat Ibsen
	Ivanov Jansen Jovic Kaplan Karlsen Keita Kimura Kovacs Kruger Kumar Laurent Lehmann Lindqvist Lopes Maier Makeba Marino Markov Mendes Moreau
	Nakano Navarro Nielsen Novak Nwosu Okafor Olsen Osman Padova Pereira Petrov Popescu Quist Rahimi Ramos Ricci Romero Rossi Sato Schmid
	Serrano Silva Sorensen Strand Suzuki Tanaka Torres Vance Varga Vidal Vogel Wagner Weber Weiss Winter Yilmaz Zeller Ziegler`)

var townStarts = list(`Alder Ash Barn Birch Black Bram Bridge Brook Burn Cald Cold Crow Dun East Elm Fair Fern Fox Glen Gold Green Hal Hart
	Hazel High Kel King Lang Lark Lin Long Mar Mill Moor New North Oak Old Pen Pine Raven Red Rock Rose Salt Sand Silver South Stan Stone
	Swan Thorn Wal West White Wind Wolf Wood`)

var townEnds = list(`bank beck bourne bridge brook burgh bury by combe cote dale den don field ford gate ham haven head holm hurst land leigh ley
	mead mere minster mouth port ridge shaw stead stow thorpe ton vale wade wall well wick wold worth`)
