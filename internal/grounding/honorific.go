package grounding

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

var (
	// sentenceEnds end a Japanese sentence.
	sentenceEnds = []string{"でした", "です", "である", "になります", "となります", "になりました", "だった"}
	// honorifics follow a name, and are no part of it.
	honorifics = []string{"さん", "さま", "くん", "ちゃん", "先生", "女士", "小姐", "氏", "様", "君", "殿"}
	// cases are particles behind a value.
	cases = []string{"に", "を", "が", "で", "と", "へ", "から", "まで", "より", "の"}
)

// bareHan returns a text at some offset without the end of its sentence and without the honorific of a name. Behind
// a value, a particle and a verb are no text at all, as in "2時に始まり".
func bareHan(at int, text string, behind bool) (int, string) {
	for _, tail := range sentenceEnds {
		text = strings.TrimSuffix(text, tail)
	}
	for _, h := range honorifics {
		name, ok := strings.CutSuffix(strings.TrimSuffix(text, "で"), h)
		if ok && utf8.RuneCountInString(name) > 1 && !kana(lastRune(name)) {
			text = name
			break
		}
	}
	if k := slices.IndexFunc(cases, func(c string) bool { return strings.HasPrefix(text, c) }); behind && k >= 0 {
		verb := strings.TrimLeftFunc(text[len(cases[k]):], func(r rune) bool { return han(r) })
		if strings.IndexFunc(verb, func(r rune) bool { return !kana(r) }) < 0 &&
			strings.ContainsRune("りるたてしうくむぶすついけせえ", lastRune(verb)) {
			return at, ""
		}
	}
	return at, text
}

// kana reports whether a rune is a letter of hiragana, in which endings and particles are written.
func kana(r rune) bool { return unicode.Is(unicode.Hiragana, r) }

// roles are of people or parties, and a form of "is" and a name follow them.
var roles = sync.OnceValue(func() []string {
	return strings.Fields(`担当 担当者 責任者 氏名 名前 代表 代表者 社長 部長 課長 店長 院長 校長 会長 議長 委員長 司会 司会者 書記 著者 作者 作成者 承認者
 差出人 受取人 医師 講師 監督 契約者 借主 貸主 买方 卖方 负责人 联系人 姓名 经理 总经理 主任 医生 董事长 法定代表人 申请人`)
})

// role reports whether a text ends with a role.
func role(s string) bool {
	return slices.ContainsFunc(roles(), func(r string) bool { return strings.HasSuffix(s, r) })
}

// hanNames adds the names that follow a role in a sentence in Japanese or Chinese, where no capital shows them.
func (x *extractor) hanNames(at, end int) {
	for _, is := range []string{"は", "为", "是", "：", "為"} {
		for from := at; from < end; {
			i := strings.Index(x.answer[from:end], is)
			if i < 0 {
				break
			}
			before := x.answer[at : from+i]
			from += i + len(is)
			n := strings.IndexFunc(x.answer[from:end], func(r rune) bool { return !han(r) && r != '々' })
			if n < 0 {
				n = end - from
			}
			_, name := bareHan(from, x.answer[from:from+n], false)
			if k := utf8.RuneCountInString(name); k > 1 && k < 6 && role(before) && x.free(from, from+len(name)) {
				x.named(from, from+len(name), false)
			}
		}
	}
}
