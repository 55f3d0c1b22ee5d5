package grounding

import (
	"slices"
	"strconv"
	"strings"
	"sync"
)

// unit is a unit of measure: its kind, and its size in the kind's base unit.
type unit struct {
	kind   string
	factor float64
}

const percent = "percent"

// measureList has the units without prefixes: kinds, and for each factor its spellings.
const measureList = `time 1e-3 msec millis ミリ秒; 1 sec secs Sek 秒 秒間; 60 m mn min mins minuut 分 分間 分钟
time 1 с сек; 1e-3 мс; 60 мин; 3600 ч час часа часов
time 3600 h hr hrs hour hours Stunde Stunden Std heure heures hora horas ora ore uur 時間 小时 godzina godziny godzin timme timmar saat
time 86400 d day days Tag Tage Tagen jour jours día días giorno giorni dag dagen dia dias 日間 天 dni dagar dage gün
time 604800 week weeks Woche Wochen semaine semaines semana semanas settimana settimane weken 週間 tygodnie tygodni veckor uker hafta
time 900 Viertelstunde Viertelstunden; 1209600 fortnight fortnights
months 1 mo month months Monat Monate Monaten mois mes meses mese mesi maand maanden miesiąc miesiące miesięcy månader måneder か月 ヶ月 ヵ月 个月
months 3 quarters Quartale Vierteljahr trimestre trimestres trimestri
months 6 Halbjahr Halbjahre semestre semestres semestri
months 120 decade decades Jahrzehnt Jahrzehnte Jahrzehnten décennie décennies década décadas decennio decenni
months 12 y yr yrs year years Jahr Jahre Jahren an ans année années año años anno anni jaar jaren lat lata år yıl ano anos год года лет 年 年間 歳 岁
bytes 1 B バイト; 1e3 Ko; 1e6 Mo; 1e9 Go
length 1 メートル 米; 1e3 キロ 公里; 1e-6 µm μm; 0.3048 ft feet foot; 0.9144 yd yard yards
length/time 1 mps; 0.2777777777777778 kmh kph; 0.44704 mph; 0.514444 kn knots
length 9.4607e15 ly; 3.0857e16 pc parsec parsecs; 1.495979e11 AU
length 1609.344 mi mile miles; 1852 nmi nm; 0.0254 inch inches
mass 1 グラム; 1e-6 mcg; 1e3 kilo kilos キログラム 公斤
mass 1e6 t tonne tonnes tons Tonne Tonnen toneladas tonnellate トン 吨; 453.59237 lb lbs
mass 28.349523125 oz ounce ounces
volume 1e-3 cm³ cm3 ccm; 1 リットル; 1e3 m³ m3 cbm
teaspoon 1 TL tsp Teelöffel teaspoon teaspoons
tablespoon 1 EL tbsp Esslöffel tablespoon tablespoons
area 1 m² m2 sqm qm Quadratmeter; 1e4 ha hectare hectares Hektar hectáreas ettari; 1e6 km² km2 Quadratkilometer
energy 3.6e6 Kilowattstunden; 1e3 KJ; 4184 kcal
power 745.7 hp
torque 1 Nm N·m N⋅m; 1e3 kNm; 1.355818 ftlb
rotation 1 rpm
loudness 1 dB dBA
potency 1 IU
current 1 amps
pressure 100 mbar; 1e5 bar; 6894.757 psi; 133.322 mmHg
celsius 1 °C ℃ Celsius
fahrenheit 1 °F Fahrenheit
percent 1 % ％ percent pct Prozent procent pourcent percento porcento パーセント; 0.01 bp bps
points 1 pp Prozentpunkte Prozentpunkten; 0.01 bp bps
permille 1 ‰ Promille`

// measures maps spellings to units. Short ones keep their case, because m and M differ; longer ones are folded.
var measures = sync.OnceValues(func() (map[string][]unit, map[string]string) {
	out := map[string][]unit{}
	add := func(kind string, factor float64, names string) {
		for _, n := range strings.Fields(names) {
			if len(n) > 3 {
				n = fold(n)
			}
			if u := (unit{kind, factor}); !slices.Contains(out[n], u) {
				out[n] = append(out[n], u)
			}
		}
	}
	for line := range strings.SplitSeq(measureList, "\n") {
		kind, all, _ := strings.Cut(line, " ")
		for one := range strings.SplitSeq(all, "; ") {
			factor, names, _ := strings.Cut(one, " ")
			f, _ := strconv.ParseFloat(factor, 64)
			add(kind, f, names)
		}
	}
	for i, p := range []string{"k", "M", "G", "T"} {
		dec, bin := 1.0, 1.0
		for range i + 1 {
			dec, bin = dec*1e3, bin*1024
		}
		add("bytes", dec, p+"B "+strings.ToUpper(p)+"B "+strings.ToLower(p)+"b")
		add("bytes", bin, p+"B "+strings.ToUpper(p)+"B "+strings.ToUpper(p)+"iB "+strings.ToLower(p)+"b")
		add("bytes", bin, strings.ToUpper(p)+"i")
		add("bits", dec, p+"bps "+strings.ToUpper(p)+"bps "+strings.ToLower(p)+"bps")
	}
	for _, b := range bases {
		name, small, _ := strings.Cut(b.symbol, " ")
		for _, p := range strings.Split(small, "") {
			add(b.kind, b.factor*prefixes()[p], p+name)
		}
		if b.alone {
			add(b.kind, b.factor, name)
		}
	}
	for _, kind := range []string{"degrees", "celsius", "fahrenheit"} {
		add(kind, 1, "° degrees Grad degrés grados gradi graus")
	}
	cash := map[string]string{}
	for code, names := range map[string]string{
		"usd": "$ US$ USD dollar dollars Dollar dólar dólares dollari ドル", "eur": "€ EUR euro euros Euro ユーロ",
		"gbp": "£ GBP pound pounds Pfund sterling ポンド",
		"jpy": "¥ ￥ JPY yen Yen 円", "chf": "CHF Franken francs Fr", "nok": "NOK", "sek": "SEK", "dkk": "DKK",
		"pln": "PLN zł zloty", "czk": "CZK Kč",
		"huf": "HUF Ft", "inr": "₹ INR rupees rupee Rs", "cny": "CNY RMB yuan 元 人民币", "krw": "₩ KRW won 원",
		"rub": "₽ RUB руб рублей rubles", "try": "₺ TRY TL lira",
		"aud": "AUD A$", "cad": "CAD C$", "brl": "BRL R$ reais", "mxn": "MXN pesos", "zar": "ZAR rand",
		"krone": "kr kronor kroner",
	} {
		add("money "+code, 1, names)
		for _, n := range strings.Fields(names) {
			cash[n] = code
		}
	}
	for _, old := range []string{
		"thaler thalers Taler", "guilder guilders Gulden florins florin", "ducat ducats Dukaten", "livres livre",
		"shilling shillings", "pence p", "pesetas peseta", "escudos escudo", "drachmas drachma", "Kronen crowns",
		"lire lira ITL", "DM Reichsmark Deutschmarks",
	} {
		add("money "+old, 1, old)
	}
	for _, code := range []string{"sek", "nok", "dkk"} {
		add("money "+code, 1, "kr krona kronor kroner")
	}
	add("money cny", 1, "¥ ￥")
	add("money eur", 0.01, "cent cents Cent")
	add("money usd", 0.01, "cent cents Cent ¢")
	return out, cash
})

// prefixes are the signs and the folded names that multiply a unit of measure.
var prefixes = sync.OnceValue(func() map[string]float64 {
	return map[string]float64{
		"p": 1e-12, "n": 1e-9, "µ": 1e-6, "μ": 1e-6, "u": 1e-6, "m": 1e-3, "c": 1e-2, "d": 1e-1, "h": 100,
		"k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12,
		"pico": 1e-12, "nano": 1e-9, "micro": 1e-6, "mikro": 1e-6, "milli": 1e-3, "mili": 1e-3, "centi": 1e-2,
		"zenti": 1e-2, "deci": 1e-1, "dezi": 1e-1, "hecto": 100, "hekto": 100, "kilo": 1e3, "chilo": 1e3, "quilo": 1e3,
		"mega": 1e6, "giga": 1e9, "tera": 1e12, "": 1, "милли": 1e-3, "санти": 1e-2, "кило": 1e3,
	}
})

// bases are units with prefixes: their sign and those before it, whether it stands alone, and stems of their names.
var bases = []struct {
	kind   string
	factor float64
	symbol string
	alone  bool
	stems  []string
}{
	{"time", 1, "s pnµμum", true, []string{"second", "sekund", "segund", "секунд"}},
	{"time", 60, "", false, []string{"minut", "минут"}},
	{"length", 1, "m nµμmcdk", true, []string{"metr", "meter", "метр"}},
	{"mass", 1, "g nµμmck", true, []string{"gramm", "gram", "грамм"}},
	{"volume", 1, "l µmcdh", true, []string{"litr", "liter", "литр"}},
	{"volume", 1, "L µmcdh", true, nil},
	{"power", 1, "W mkMGT", true, []string{"watt", "ватт"}},
	{"energy", 3600, "Wh mkMGT", true, nil},
	{"energy", 1, "J mkMG", false, []string{"joul", "julio"}},
	{"voltage", 1, "V µmkM", true, []string{"volt"}},
	{"current", 1, "A µmk", true, []string{"amper"}},
	{"charge", 1, "Ah mk", true, nil},
	{"frequency", 1, "Hz mkMGT", true, []string{"hertz"}},
	{"resistance", 1, "Ω mkMG", true, []string{"ohm"}},
	{"capacity", 1, "F pnµμm", false, []string{"farad"}},
	{"force", 1, "N mkM", false, []string{"newton"}},
	{"pressure", 1, "Pa hkMG", true, []string{"pascal"}},
	{"substance", 1, "mol µnm", false, nil},
	{"dose", 1, "Sv nµm", false, []string{"sievert"}},
	{"activity", 1, "Bq kMGT", false, []string{"becquerel"}},
	{"bits", 1, "bit kKmMG", false, []string{"bit"}},
	{"bytes", 1, "o ", false, []string{"byte", "octet", "bajt"}},
}

// baseStems has the hashes of the beginnings of these stems.
var baseStems = sync.OnceValue(func() *[1 << 12]bool {
	var out [1 << 12]bool
	for _, b := range bases {
		for _, s := range b.stems {
			out[stemHash(s)] = true
		}
	}
	return &out
})

// inflections are endings of the names of units.
var inflections = words("s e es o os i y a as u n en ow om em ach ami er ов а ы у")

// worded returns the unit that a folded name means, such as "kilogramow": a prefix, a stem and an ending.
func worded(name string) []unit {
	for k := min(len(name), 10); k >= 0; k-- {
		if k == 1 || !baseStems()[stemHash(name[k:])] {
			continue
		}
		f := prefixes()[name[:k]]
		if f == 0 {
			continue
		}
		for _, b := range bases {
			for _, stem := range b.stems {
				end, ok := strings.CutPrefix(name[k:], stem)
				if ok && (end == "" || inflections.has(end)) && !(k == 0 && stem == "bit") {
					return []unit{{b.kind, b.factor * f}}
				}
			}
		}
	}
	return nil
}

// units returns the possible units of a text, nil if it is none.
func units(s string) []unit {
	u, _ := measures()
	return u[s]
}

// ratio returns the units of a rate, as of g/dL.
func ratio(of, by []unit) (out []unit) {
	for _, a := range of {
		for _, b := range by {
			if a.kind != "" && b.kind != "" {
				out = append(out, unit{a.kind + "/" + b.kind, a.factor / b.factor})
			}
		}
	}
	return out
}

// money returns the currency that a text names, or "".
func money(s string) string {
	_, m := measures()
	return m[s]
}

// scales are words and letters that multiply a number.
var scales = map[string]float64{
	"k": 1e3, "K": 1e3, "T": 1e3, "tsd": 1e3, "thousand": 1e3, "tausend": 1e3, "mille": 1e3, "mil": 1e3, "tys": 1e3,
	"mila": 1e3, "duizend": 1e3, "тыс": 1e3, "тысяч": 1e3, "тысячи": 1e3, "тысяча": 1e3,
	"m": 1e6, "M": 1e6, "mn": 1e6, "mln": 1e6, "mio": 1e6, "million": 1e6, "millions": 1e6, "millionen": 1e6,
	"millones": 1e6, "milioni": 1e6, "milhoes": 1e6, "miljoen": 1e6, "млн": 1e6, "миллион": 1e6, "миллиона": 1e6,
	"миллионов": 1e6,
	"bn":        1e9, "B": 1e9, "mrd": 1e9, "md": 1e9, "billion": 1e9, "billions": 1e9,
	"milliarde": 1e9, "milliarden": 1e9,
	"milliard": 1e9, "milliards": 1e9, "miliardi": 1e9, "miljard": 1e9, "млрд": 1e9, "миллиарда": 1e9,
	"миллиардов": 1e9,
	"trillion":   1e12, "billionen": 1e12, "lakh": 1e5, "crore": 1e7, "dozen": 12, "dutzend": 12,
	"douzaine": 12, "douzaines": 12, "docena": 12, "docenas": 12, "dozzina": 12, "dozzine": 12,
	"duzia": 12, "duzias": 12, "dozijn": 12,
	"十": 10, "百": 100, "千": 1e3, "万": 1e4, "萬": 1e4, "億": 1e8, "亿": 1e8, "兆": 1e12, "만": 1e4, "억": 1e8,
}

// unitsAt reads a unit at the start of s, and returns its possible meanings and its length.
func unitsAt(s string) ([]unit, int) {
	for _, m := range manyWords()[byteAt(s, 0)|0x20] {
		if len(s) >= len(m[0]) && strings.EqualFold(s[:len(m[0])], m[0]) && !isWord(firstRune(s[len(m[0]):])) {
			return units(m[1]), len(m[0])
		}
	}
	n, runes := 0, 0
	for i, r := range s {
		letter := isWord(r) && !(r >= '0' && r <= '9') || strings.ContainsRune("°%％‰µμΩ²³$€£¥￥₹₩₽₺¢", r) ||
			(r == '2' || r == '3') && i > 0 && s[i-1] == 'm' && !isDigit(byteAt(s, i+1))
		if !letter || runes > 20 || alone(r) && (runes > 4 || !alone(firstRune(s))) { // "5mgを" is five milligrams
			break
		}
		n, runes = i+len(string(r)), runes+1
		if strings.ContainsRune("%％‰", r) {
			break
		}
	}
	if n == 0 {
		return nil, 0
	}
	if u := lookUnit(s[:n]); u != nil {
		return u, n
	}
	// Scripts without spaces continue after the unit: take the longest beginning that is one.
	if alone(firstRune(s)) {
		for i := n; i > 0; i-- {
			if u := units(s[:i]); u != nil {
				return u, i
			}
		}
	}
	return nil, 0
}

// lookUnit returns the possible meanings of a written unit, in its own case or folded.
func lookUnit(s string) []unit {
	if u := units(s); u != nil {
		return u
	}
	if len(s) > 3 {
		name := fold(s)
		if u := units(name); u != nil {
			return u
		}
		return worded(name)
	}
	return nil
}

// manyWords are the units of several words and their short forms, by the first byte in lower case.
var manyWords = sync.OnceValue(func() *[256][][2]string {
	var out [256][][2]string
	for _, m := range manyWordList {
		for name := range strings.SplitSeq(m[1], "|") {
			out[name[0]|0x20] = append(out[name[0]|0x20], [2]string{name, m[0]})
		}
	}
	return &out
})

var manyWordList = [][2]string{
	{"%", "per cent|pour cent|por ciento|per cento|por cento|v. H.|v.H.|vom Hundert"},
	{"‰", "per mille|pro mille|pour mille|por mil"},
	{"bp", "basis points"},
	{"pp", "percentage points|percentage point"},
	{"°C", "degrees Celsius|degrees C|deg C|deg. C|degrees centigrade|grados centígrados|° C|Grad Celsius|degrés Celsius|grados Celsius"},
	{"°F", "deg F|degrees Fahrenheit|degrees F|° F|Grad Fahrenheit"},
	{"CHF", "Swiss francs|Schweizer Franken"},
	{"USD", "US dollars|U.S. dollars|American dollars|US-Dollar"},
	{"CAD", "Canadian dollars"},
	{"AUD", "Australian dollars"},
	{"GBP", "pounds sterling|British pounds"},
	{"DKK", "Danish kroner"},
	{"NOK", "Norwegian kroner"},
	{"SEK", "Swedish kronor"},
	{"JPY", "Japanese yen"},
	{"INR", "Indian rupees"},
	{"m²", "square metres|square meters"},
	{"km²", "square kilometres|square kilometers"},
	{"m³", "cubic metres|cubic meters"},
	{"cm³", "cubic centimetres|cubic centimeters"},
	{"kWh", "kilowatt hours|kilowatt-hours"},
	{"t", "metric tons|metric tonnes"},
	{"ftlb", "ft-lb|ft-lbs|ft·lb|lb-ft|foot-pounds|foot pounds|pound-feet"},
	{"nmi", "nautical miles"},
	{"mph", "m.p.h.|miles per hour|miles an hour"},
	{"kmh", "kilometres per hour|kilometers per hour|kilometres an hour|kilometers an hour"},
	{"ly", "light-years|light years|light-year|Lichtjahre|Lichtjahren|années-lumière|años luz|anni luce"},
}

// scaleAt reads a scale at the start of s.
func scaleAt(s string) (float64, int) {
	r := firstRune(s)
	if alone(r) {
		f, n := scales[s[:len(string(r))]], len(string(r))
		for more := f; f != 0 && n < len(s); f, n = f*more, n+len(string(r)) { // as in 百万
			r = firstRune(s[n:])
			if more = scales[string(r)]; more < 10 || !alone(r) {
				break
			}
		}
		return f, n
	}
	n := 0
	for i, r := range s {
		if !isWord(r) || i > 12 || alone(r) {
			break
		}
		n = i + len(string(r))
	}
	if n == 0 {
		return 0, 0
	}
	if f, ok := scales[s[:n]]; ok {
		return f, n
	}
	if n > 1 {
		if f, ok := scales[fold(s[:n])]; ok {
			return f, n
		}
	}
	return 0, 0
}
