package grounding

import (
	"slices"
	"strings"
	"sync"
)

// unit is a unit of measure: its kind, and its size in the kind's base unit.
type unit struct {
	kind   string
	factor float64
}

const percent = "percent"

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
	add("time", 1e-9, "ns nanoseconds")
	add("time", 1e-6, "µs us μs microseconds")
	add("time", 1e-3, "ms msec millis millisecond milliseconds Millisekunde Millisekunden millisecondes milisegundos millisecondi ミリ秒")
	add("time", 1, "s sec secs second seconds Sekunde Sekunden Sek seconde secondes segundo segundos secondo secondi secondes 秒 秒間")
	add("time", 60, "m mn min mins minute minutes Minute Minuten minuto minutos minuti minuut minuten 分 分間 分钟")
	add("time", 3600, "h hr hrs hour hours Stunde Stunden Std heure heures hora horas ora ore uur 時間 小时")
	add("time", 86400, "d day days Tag Tage Tagen jour jours día días giorno giorni dag dagen dia dias 日間 天")
	add("time", 604800, "week weeks Woche Wochen semaine semaines semana semanas settimana settimane weken 週間")
	add("months", 1, "mo month months Monat Monate Monaten mois mes meses mese mesi maand maanden か月 ヶ月 ヵ月 个月")
	add("time", 900, "Viertelstunde Viertelstunden")
	add("time", 1209600, "fortnight fortnights")
	add("months", 3, "quarters Quartale Vierteljahr trimestre trimestres trimestri")
	add("months", 6, "Halbjahr Halbjahre semestre semestres semestri")
	add("months", 120, "decade decades Jahrzehnt Jahrzehnte Jahrzehnten décennie décennies década décadas decennio decenni")
	add("months", 12, "y yr yrs year years Jahr Jahre Jahren an ans année années año años anno anni jaar jaren ano anos 年 年間")
	add("bytes", 1, "B byte bytes Byte Bytes octets バイト")
	for i, p := range []string{"k", "M", "G", "T"} {
		dec, bin := 1.0, 1.0
		for range i + 1 {
			dec, bin = dec*1e3, bin*1024
		}
		add("bytes", dec, p+"B "+strings.ToUpper(p)+"B "+strings.ToLower(p)+"b")
		if p == "k" {
			add("bytes", dec, "kilobytes kilobyte")
		}
		add("bytes", bin, p+"B "+strings.ToUpper(p)+"B "+strings.ToUpper(p)+"iB "+strings.ToLower(p)+"b")
		add("bytes", bin, strings.ToUpper(p)+"i")
	}
	add("bits", 1e3, "kbit Kbit kbps Kbps kilobits kilobit")
	add("bits", 1e6, "Mbit mbit Mbps mbps megabits megabit")
	add("bits", 1e9, "Gbit gbit Gbps gbps gigabits gigabit")
	add("bytes", 1e6, "megabytes megabyte Megabytes")
	add("bytes", 1e9, "gigabytes gigabyte")
	add("bytes", 1e12, "terabytes terabyte")
	add("bytes", 1e3, "Ko")
	add("bytes", 1e6, "Mo")
	add("bytes", 1e9, "Go")
	add("length", 1e-3, "mm millimetre millimetres millimeter millimeters")
	add("length", 1e-2, "cm centimetre centimetres centimeter centimeters")
	add("length", 1, "m metre metres meter meters mètre mètres metro metros metri メートル 米")
	add("length", 1e3, "km kilometre kilometres kilometer kilometers kilomètre kilomètres kilómetros chilometri キロ 公里")
	add("length", 1e-6, "µm μm")
	add("length", 0.3048, "ft feet foot")
	add("length", 0.9144, "yd yard yards")
	add("length", 1609.344, "mi mile miles")
	add("length", 1852, "nmi")
	add("length", 0.0254, "inch inches")
	add("mass", 1e-6, "µg μg")
	add("mass", 1e-3, "mg milligrams milligram Milligramm")
	add("mass", 1, "g gram grams gramme grammes Gramm gramos grammi グラム")
	add("mass", 1e3, "kg kilogram kilograms Kilogramm kilo kilos Kilo キログラム 公斤")
	add("mass", 1e6, "t tonne tonnes tons Tonne Tonnen toneladas tonnellate トン 吨")
	add("mass", 453.59237, "lb lbs")
	add("mass", 28.349523125, "oz ounce ounces")
	add("volume", 1e-3, "ml mL millilitres milliliters Milliliter")
	add("volume", 1e-2, "cl")
	add("volume", 1e-1, "dl dL")
	add("volume", 1e-3, "cm³ cm3 ccm")
	add("volume", 1, "l L litre litres liter liters Liter litros litri リットル")
	add("volume", 100, "hl")
	add("volume", 1e3, "m³ m3 cbm")
	add("area", 1, "m² m2 sqm qm Quadratmeter")
	add("area", 1e4, "ha hectare hectares Hektar hectáreas ettari")
	add("area", 1e6, "km² km2 Quadratkilometer")
	add("power", 1, "W watt watts Watt")
	add("power", 1e3, "kW kilowatt kilowatts Kilowatt")
	add("power", 1e6, "MW megawatt megawatts Megawatt")
	add("power", 1e9, "GW gigawatt gigawatts")
	add("energy", 3600, "Wh")
	add("energy", 3.6e6, "kWh Kilowattstunden")
	add("energy", 3.6e9, "MWh")
	add("energy", 3.6e12, "GWh")
	add("energy", 3.6e15, "TWh")
	add("energy", 1e3, "kJ KJ")
	add("energy", 1e6, "MJ")
	add("energy", 1e9, "GJ")
	add("energy", 4184, "kcal")
	add("power", 745.7, "hp")
	add("torque", 1, "Nm N·m N⋅m")
	add("torque", 1e3, "kNm")
	add("torque", 1.355818, "ftlb")
	add("charge", 1, "Ah")
	add("charge", 1e-3, "mAh")
	add("rotation", 1, "rpm")
	add("loudness", 1, "dB dBA")
	add("frequency", 1, "Hz hertz")
	add("frequency", 1e3, "kHz")
	add("frequency", 1e6, "MHz")
	add("frequency", 1e9, "GHz")
	add("resistance", 1, "Ω ohm ohms")
	add("resistance", 1e3, "kΩ")
	add("resistance", 1e6, "MΩ")
	add("force", 1, "newtons newton")
	add("force", 1e3, "kN")
	add("voltage", 1, "V volts Volt volt")
	add("voltage", 1e-3, "mV")
	add("voltage", 1e3, "kV")
	add("current", 1, "A amps ampere Ampere")
	add("current", 1e-3, "mA")
	add("pressure", 1, "Pa")
	add("pressure", 100, "hPa mbar")
	add("pressure", 1e3, "kPa")
	add("pressure", 1e5, "bar")
	add("pressure", 1e6, "MPa")
	add("pressure", 6894.757, "psi")
	add("pressure", 133.322, "mmHg")
	add("celsius", 1, "°C ℃ Celsius")
	add("fahrenheit", 1, "°F Fahrenheit")
	for _, kind := range []string{"degrees", "celsius", "fahrenheit"} {
		add(kind, 1, "° degrees Grad degrés grados gradi graus")
	}
	add(percent, 1, "% ％ percent pct Prozent procent pourcent percento porcento パーセント")
	add("points", 1, "pp Prozentpunkte Prozentpunkten")
	add("points", 0.01, "bp bps")
	add("permille", 1, "‰ Promille")
	cash := map[string]string{}
	for code, names := range map[string]string{
		"usd": "$ US$ USD dollar dollars Dollar ドル", "eur": "€ EUR euro euros Euro ユーロ",
		"gbp": "£ GBP pound pounds Pfund sterling ポンド",
		"jpy": "¥ ￥ JPY yen Yen 円", "chf": "CHF Franken francs Fr", "nok": "NOK", "sek": "SEK", "dkk": "DKK",
		"pln": "PLN zł zloty", "czk": "CZK Kč",
		"huf": "HUF Ft", "inr": "₹ INR rupees rupee Rs", "cny": "CNY RMB yuan 元 人民币", "krw": "₩ KRW won 원",
		"rub": "₽ RUB руб рублей rubles", "try": "₺ TRY lira",
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
	"mila": 1e3, "duizend": 1e3,
	"тыс": 1e3, "тысяч": 1e3, "тысячи": 1e3, "тысяча": 1e3,
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
	for _, m := range manyWords {
		if len(s) >= len(m[0]) && s[0]|0x20 == m[0][0]|0x20 && strings.EqualFold(s[:len(m[0])], m[0]) &&
			!isWord(firstRune(s[len(m[0]):])) {
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
		return units(fold(s))
	}
	return nil
}

// manyWords maps units of several words to their short forms.
var manyWords = [][2]string{
	{"per cent", "%"},
	{"pour cent", "%"},
	{"por ciento", "%"},
	{"per cento", "%"},
	{"por cento", "%"},
	{"per mille", "‰"},
	{"pro mille", "‰"},
	{"pour mille", "‰"},
	{"por mil", "‰"},
	{"basis points", "bp"},
	{"v. H.", "%"},
	{"v.H.", "%"},
	{"vom Hundert", "%"},
	{"percentage points", "pp"},
	{"percentage point", "pp"},
	{"degrees Celsius", "°C"},
	{"degrees C", "°C"},
	{"deg C", "°C"},
	{"deg. C", "°C"},
	{"degrees centigrade", "°C"},
	{"grados centígrados", "°C"},
	{"deg F", "°F"},
	{"° C", "°C"},
	{"Grad Celsius", "°C"},
	{"degrés Celsius", "°C"},
	{"grados Celsius", "°C"},
	{"degrees Fahrenheit", "°F"},
	{"degrees F", "°F"},
	{"° F", "°F"},
	{"Grad Fahrenheit", "°F"},
	{"Swiss francs", "CHF"},
	{"Schweizer Franken", "CHF"},
	{"US dollars", "USD"},
	{"U.S. dollars", "USD"},
	{"American dollars", "USD"},
	{"US-Dollar", "USD"},
	{"Canadian dollars", "CAD"},
	{"Australian dollars", "AUD"},
	{"pounds sterling", "GBP"},
	{"British pounds", "GBP"},
	{"Danish kroner", "DKK"},
	{"Norwegian kroner", "NOK"},
	{"Swedish kronor", "SEK"},
	{"Japanese yen", "JPY"},
	{"Indian rupees", "INR"},
	{"square metres", "m²"},
	{"square meters", "m²"},
	{"square kilometres", "km²"},
	{"square kilometers", "km²"},
	{"cubic metres", "m³"},
	{"cubic meters", "m³"},
	{"kilowatt hours", "kWh"},
	{"kilowatt-hours", "kWh"},
	{"metric tons", "t"},
	{"metric tonnes", "t"},
	{"ft-lb", "ftlb"},
	{"ft-lbs", "ftlb"},
	{"ft·lb", "ftlb"},
	{"lb-ft", "ftlb"},
	{"foot-pounds", "ftlb"},
	{"foot pounds", "ftlb"},
	{"pound-feet", "ftlb"},
	{"nautical miles", "nmi"},
	{"cubic centimetres", "cm³"},
	{"cubic centimeters", "cm³"},
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
