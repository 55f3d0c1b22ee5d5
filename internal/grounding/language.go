package grounding

import (
	"iter"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// set is a set of folded words.
type set map[string]struct{}

func (s set) add(words ...string) {
	for _, w := range words {
		s[w] = struct{}{}
	}
}

// vocabulary is a set of words that is made at its first use: every worker runs this program and pays for the
// initialization of packages, to which a vocabulary adds nothing.
type vocabulary struct {
	text  string
	made  sync.Once
	words set
	stems *[1 << 12 / 64]uint64 // hashes of their stems, because most words of a text are in no vocabulary
}

func (v *vocabulary) has(w string) bool {
	all, h := v.all(), stemHash(w)
	return v.stems[h/64]>>(h%64)&1 != 0 && all.has(w)
}

func (v *vocabulary) all() set {
	v.made.Do(v.make)
	return v.words
}

func (v *vocabulary) make() {
	v.words, v.stems = set{}, &[1 << 12 / 64]uint64{}
	for w := range strings.FieldsSeq(v.text) {
		w = fold(w)
		v.words[w] = struct{}{}
		h := stemHash(w)
		v.stems[h/64] |= 1 << (h % 64)
	}
}

// words returns the vocabulary of a text.
func words(s string) *vocabulary { return &vocabulary{text: s} }

// phrases returns texts of several words, folded at first use.
func phrases(list ...string) func() []string {
	return sync.OnceValue(func() []string {
		for i, p := range list {
			list[i] = fold(p)
		}
		return list
	})
}

func (s set) has(w string) bool { _, ok := s[w]; return ok }

// hollow holds words without meaning of their own, in the most common languages of answers.
var hollow = words(`a an the and or of in on at by for from to with without as is are was were be been being am has have
 had do does did not no nor it its this that these those there here which who whom whose what when
 where why how than then so such if but also only just very more most less least all each every any
 some both between into onto over under after before during until till since about around roughly
 nearly almost per via up down out off again he she they we you i his her their our your my me him
 them us one ones other others another same own can could will would shall should may might must
 total sum overall together average mean respectively answer result results value values number
 numbers times time once mal einmal fois veces according based found follows following however therefore because
 while although yes none nothing first last next still already der die das den dem des ein eine einen
 einem einer eines und oder von vom im in am an auf aus bei beim mit nach zu zum zur fur durch uber
 unter vor ist sind war waren wird werden wurde wurden hat haben hatte hatten nicht kein keine keinen
 auch nur noch bis ende anfang schon sehr mehr als wie was wer wo wann warum welche welcher welches es er sie wir ihr
 sein seine ihre dass davon dabei je pro insgesamt zusammen etwa rund ca ja nein laut le la les l un
 une des du de d et ou est sont etait a au aux en dans par pour sur avec sans ne pas plus que qui il
 elle ils elles ce cette ces se son sa ses leur leurs y selon total environ oui non el los las uno
 una unos unas y o u del al es son fue fueron era ha han con sin por para en se su sus lo no si mas
 que como soma suma somme summe gesamt somma totale totaal il lo gli i uno e ed di da del della dei delle nel nella e sono era con per non che piu het
 een en van op met voor is zijn was werd niet ook naar uit bij aan te dat die de gevolgd o os as
 um uma e do da dos das no na nos nas ao foi foram com sem por para nao que mais

 и в на не что это он она они как его ее их но по из у за от до для с со к о об при был была были
 было есть работает работают всего ο η το οι τα του της των τον την και och av som ett den det pa med ar var inte til til og av er pa`)

// voids are first words of sentences that are not names despite their capital.
var voids = words(`according additionally altogether although because both despite each finally furthermore given hence
 however if instead it its later meanwhile moreover most neither nobody none note only other others
 several since some summary source sources thus together total two unfortunately yes no answer result
 unter nach laut insgesamt danach zudem allerdings jedoch ausserdem quelle antwort ergebnis anwesend
 half hälfte`)

// labels are words that describe the number after them (a page, a chapter), and are not names.
var labels = words(`abs page pages p pp seite seiten s line lines zeile zeilen ligne step chapter ch kapitel chapitre
 section sec abschnitt item items no nr num number nummer numero row rows clause article articulo
 artikel art table figure fig unit part paragraph para ziffer absatz volume vol band top punkt point
 letter brief version v id question frage mark level grade rank rang platz place position pos
 day tag week woche year jahr annee month quarter ticket invoice order case file track lot room
 zimmer act scene fol folio leaf sheet port op opus seat platform sitz platz gleis quai binario`)

// clauses are words before the number of a part of a text, which may stand at the head of a line.
var clauses = words(`section sections sec clause clauses article articles art paragraph para item point step abschnitt
 artikel ziffer punkt schritt artículo articolo`)

// numbered maps the folded words of each list to their positions, from 1, at first use.
func numbered(lists ...string) func() map[string]int {
	return sync.OnceValue(func() map[string]int {
		out := map[string]int{}
		for _, names := range lists {
			for i, n := range strings.Fields(names) {
				out[fold(n)] = i + 1
			}
		}
		return out
	})
}

// months maps folded names and abbreviations to numbers.
var months = numbered("january february march april may june july august september october november december",
	"januarii februarii martii aprilis maii junii julii augusti septembris octobris novembris decembris",
	"jany febr mart apl may jun jul augt septr octobr novr decr",
	"jan feby marts apr may jun jul aug sepr octr novembr decembr",
	"jan feb mar apr may jun jul aug sep oct nov dec",
	"jan feb marz april mai juni juli august sept oktober november dezember",
	"janner februar mrz apr mai jun jul aug sept okt nov dez",
	"janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre",
	"enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
	"ene feb mar abr may jun jul ago sept oct nov dic",
	"gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
	"januari februari maart april mei juni juli augustus september oktober november december",
	"janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
	"januari februari mars april maj juni juli augusti september oktober november december",
	"januar februar mars april mai juni juli august september oktober november desember",
	"stycznia lutego marca kwietnia maja czerwca lipca sierpnia wrzesnia pazdziernika listopada grudnia",
	"styczniu lutym marcu kwietniu maju czerwcu lipcu sierpniu wrzesniu pazdzierniku listopadzie grudniu",
	"ledna unora brezna dubna kvetna cervna cervence srpna zari rijna listopadu prosince",
	"lednu unoru breznu dubnu kvetnu cervnu cervenci srpnu zari rijnu listopadu prosinci",
	"ocak subat mart nisan mayis haziran temmuz agustos eylul ekim kasim aralik",
	"ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie",
	"januar februar marcius aprilis majus junius julius augusztus szeptember oktober november december",
	"января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
)

// weekdays maps folded names and abbreviations to numbers.
var weekdays = numbered("monday tuesday wednesday thursday friday saturday sunday", "mon tue wed thu fri sat sun",
	"mondays tuesdays wednesdays thursdays fridays saturdays sundays",
	"montag dienstag mittwoch donnerstag freitag samstag sonntag",
	"lundi mardi mercredi jeudi vendredi samedi dimanche", "lunes martes miércoles jueves viernes sábado domingo",
	"lunedì martedì mercoledì giovedì venerdì sabato domenica",
	"maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
	"mandag tirsdag onsdag torsdag fredag lordag sondag", "mandag tisdag onsdag torsdag fredag lordag sondag",
	"pazartesi salı çarşamba perşembe cuma cumartesi pazar", "poniedziałek wtorek środa czwartek piątek sobota niedziela",
)

// cased reports whether a text has letters of languages with cases of names: Slavic, Baltic, Hungarian, Turkish, Greek.
func cased(s string) bool {
	n, all := 0, 0
	for _, r := range s {
		if all++; r >= 0x100 && r < 0x530 && r != 'œ' && r != 'Œ' {
			n++
		}
	}
	return n > 1 && n*50 >= all // else it is a name
}

// german reports whether a text is in German, where every noun has a capital.
func german(s string) bool {
	n, other := 0, 0
	for _, w := range appendWords(nil, s[:min(len(s), 4096)]) {
		if germanWords.has(w.text) {
			n++
		} else if englishWords.has(w.text) { // it has names such as "van der Meer"
			other++
		}
	}
	return n >= 2 && n > other
}

var englishWords = words("the of and by to with is")

var germanWords = words(germanMarks)

const germanMarks = `der die das und ist sind wurde wurden mit von den dem ein eine nicht auf für im zum zur bei hat
 haben wie oft viele welche welcher welches wer wann wo nach aus am vom im davon sowie keine`

// word is a run of letters and digits in a text, or one letter of a script without spaces. Its text is folded.
type word struct {
	at, end int
	text    string
}

// isWord reports whether r belongs to a word.
func isWord(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r)
}

// isDigit reports whether c is an ASCII digit.
func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// alone reports whether r is a letter of a script without spaces between words, so that it counts as a word.
func alone(r rune) bool {
	return r >= 0x0e00 && (r <= 0x0e7f || r >= 0x3040 && r <= 0x30ff || r >= 0x3400 && r <= 0x9fff ||
		r >= 0xac00 && r <= 0xd7af || r >= 0xf900 && r <= 0xfaff || r >= 0x20000 && r <= 0x3ffff)
}

// appendWords appends the words of s to dst.
func appendWords(dst []word, s string) []word {
	if dst == nil {
		dst = make([]word, 0, len(s)/6+1)
	}
	plain, capital := true, false
	for i := 0; i < len(s) && plain; i++ {
		plain = s[i] < utf8.RuneSelf
		capital = capital || 'A' <= s[i] && s[i] <= 'Z'
	}
	if !plain {
		for w := range wordsOf(s) {
			dst = append(dst, w)
		}
		return dst
	}
	if capital { // at once, instead of each word, and with fewer branches than strings.ToLower
		b := []byte(s)
		for i, c := range b {
			b[i] = lowered1(c)
		}
		s = string(b)
	}
	for i := 0; i < len(s); i++ {
		at, digraph := i, false
		for ; i < len(s) && classes[s[i]] != 0; i++ {
			digraph = digraph || s[i] == 'e' && i > at && umlaut(s[i-1])
		}
		if i == at {
			continue
		}
		w := word{at, i, s[at:i]}
		if digraph {
			w.text = digraphs.Replace(w.text)
		}
		dst = append(dst, w)
	}
	return dst
}

// wordsOf yields the words of s.
func wordsOf(s string) iter.Seq[word] {
	return func(yield func(word) bool) {
		for i := 0; i < len(s); {
			at, n, r := i, 1, rune(0)
			for ; i < len(s); i += n {
				if c := classes[s[i]]; c == 0 {
					break
				} else if n = 1; c == aHighByte {
					if r, n = utf8.DecodeRuneInString(s[i:]); !isWord(r) || alone(r) {
						break
					}
				}
			}
			text := ""
			if i > at {
				text = fold(s[at:i]) // accents alone are not a word
			} else if i += n; alone(r) {
				text = s[at:i]
			}
			if text != "" && !yield(word{at, i, text}) {
				return
			}
		}
	}
}

// truth is "true" as fold returns it, without the e of its digraph "ue".
var truth = fold("true")

// strokes replaces letters that have no decomposition.
var strokes = strings.NewReplacer(
	"ß", "ss", "ø", "o", "æ", "a", "œ", "o", "ł", "l", "đ", "d", "ð", "d", "þ", "th", "ı", "i")

// digraphs replaces the two letters that stand for an umlaut.
var digraphs = strings.NewReplacer("ae", "a", "oe", "o", "ue", "u")

// fold returns s in lower case, without accents and strokes.
func fold(s string) string {
	if alone(firstRune(s)) { // normalization would decompose Hangul
		return s
	}
	plain, capital, digraph := true, false, false
	for i := 0; i < len(s) && plain; i++ {
		plain = s[i] < utf8.RuneSelf
		capital = capital || 'A' <= s[i] && s[i] <= 'Z'
		digraph = digraph || i > 0 && s[i]|0x20 == 'e' && umlaut(s[i-1]|0x20)
	}
	if plain && !capital && !digraph {
		return s
	}
	s = strings.ToLower(s)
	if !plain {
		s = strokes.Replace(strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Mn, r) {
				return -1
			}
			return r
		}, norm.NFKD.String(s)))
	}
	if digraph || !plain {
		return digraphs.Replace(s)
	}
	return s
}

// lastRune and firstRune return the runes next to a place in a text, 0 at its ends.
func lastRune(s string) rune {
	r, n := utf8.DecodeLastRuneInString(s)
	if n == 0 {
		return 0
	}
	return r
}

func firstRune(s string) rune {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return 0
	}
	return r
}

// like reports whether two folded words are equal except for a plural or genitive ending.
func like(a, b string) bool {
	if a == b {
		return true
	}
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(a) < 3 || len(b)-len(a) > 4 {
		return false
	}
	if rest, ok := strings.CutPrefix(b, a); ok {
		if rest == "s" || rest == "es" {
			return true
		}
		return b[0] >= 0xce && len(a) >= 8 && len(rest) <= 4 // Greek and Cyrillic inflect names
	}
	return strings.HasSuffix(b, "ies") && a[len(a)-1] == 'y' && a[:len(a)-1] == b[:len(b)-3]
}

// akin reports whether two folded words begin alike, such as "Norway" and "Norwegian".
func akin(a, b string) bool {
	if a == b {
		return true
	}
	n := min(len(a), len(b))
	if n < 4 {
		return like(a, b)
	}
	i := 0
	for i < n && a[i] == b[i] {
		i++
	}
	return i >= 4 && i*10 >= n*6
}
