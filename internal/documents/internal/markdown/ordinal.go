package markdown

import (
	"strconv"
	"strings"

	"github.com/gorlm/rlm/internal/kit/text"
)

// Ordinal formats the n-th number of a list in a format by its name in Word ("decimal", "lowerLetter", "upperRoman") or
// by its letter in other formats ("a", "A", "i", "I"; in PDF "r", "R"). Unknown formats are decimal.
func Ordinal(n int, format string) string {
	switch format {
	case "none", "bullet":
		return ""
	case "lowerLetter", "a":
		return letters(n, 'a')
	case "upperLetter", "A":
		return letters(n, 'A')
	case "lowerRoman", "i", "r":
		return strings.ToLower(roman(n))
	case "upperRoman", "I", "R":
		return roman(n)
	case "decimalZero":
		if n >= 0 && n < 10 {
			return "0" + strconv.Itoa(n)
		}
	case "ordinal":
		return strconv.Itoa(n) + ordinalSuffix(n)
	case "decimalEnclosedCircle", "decimalEnclosedCircleChinese":
		if n >= 1 && n <= 20 {
			return string(rune('①' + n - 1))
		}
	case "chineseCounting", "chineseCountingThousand", "ideographDigital", "japaneseCounting",
		"taiwaneseCountingThousand":
		return chinese(n)
	case "russianLower":
		return within(n, "абвгдежзиклмнопрстуфхцчшщэюя")
	case "russianUpper":
		return within(n, "АБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЭЮЯ")
	case "arabicAlpha":
		return within(n, "أبتثجحخدذرزسشصضطظعغفقكلمنهوي")
	case "hebrew1", "hebrew2":
		return within(n, "אבגדהוזחט")
	}
	return strconv.Itoa(n)
}

// letters counts a … z, aa, bb … as Word does.
func letters(n int, first rune) string {
	if n < 1 || n > 26*30 {
		return strconv.Itoa(n)
	}
	return strings.Repeat(string(first+rune((n-1)%26)), (n-1)/26+1)
}

func roman(n int) string {
	if n < 1 || n > 3999 {
		return strconv.Itoa(n)
	}
	return text.Roman(n)
}

func ordinalSuffix(n int) string {
	if n%100 >= 11 && n%100 <= 13 {
		return "th"
	}
	switch n % 10 {
	case 1:
		return "st"
	case 2:
		return "nd"
	case 3:
		return "rd"
	}
	return "th"
}

// chinese formats a number up to 99 as Chinese lists do.
func chinese(n int) string {
	digits := []rune("〇一二三四五六七八九")
	switch {
	case n < 0 || n > 99:
		return strconv.Itoa(n)
	case n < 10:
		return string(digits[n])
	}
	s := "十"
	if n >= 20 {
		s = string(digits[n/10]) + s
	}
	if n%10 > 0 {
		s += string(digits[n%10])
	}
	return s
}

func within(n int, alphabet string) string {
	signs := []rune(alphabet)
	if n < 1 || n > len(signs) {
		return strconv.Itoa(n)
	}
	return string(signs[n-1])
}
