package thought

import (
	"slices"
	"strings"
)

// Span is a part of a text.
type Span struct {
	Start, End int
	// Thought means that a model wrote the part for itself; otherwise the part is a token of a template.
	Thought bool
	// Call means that the part calls a tool.
	Call bool
}

// Marks finds, in order, what a server that does not parse replies leaves in the text besides elements ([Tags]):
// the channels of gpt-oss other than the final one, and the tokens of the model's template around the reply,
// including any text that the model wrote in other roles after its turn. Such tokens in the middle of a text are
// part of the text.
func Marks(text string) []Span {
	if !mayHoldMarks(text) {
		return nil
	}
	if spans, ok := channels(text); ok {
		return spans
	}
	return template(text)
}

func mayHoldMarks(text string) bool {
	holds := func(mark string) bool { return strings.Contains(text, mark) }
	return slices.ContainsFunc([]string{"|>", "<｜", "</s>", "_of_turn>", "<|turn>", "assistantfinal"}, holds)
}

// The marks of gpt-oss's channels (harmony).
const (
	messageStart = "<|start|>"
	channelName  = "<|channel|>"
	messageBody  = "<|message|>"
	messageEnd   = "<|end|>"
	replyEnd     = "<|return|>"
	callEnd      = "<|call|>"
)

// channels parses a reply in gpt-oss's channels. The text for the user is in the final channel.
func channels(text string) (spans []Span, ok bool) {
	if spans, ok = bareChannels(text); ok {
		return spans, true
	}
	if !inChannels(text) {
		return nil, false
	}
	for at := 0; at < len(text); {
		headEnd := strings.Index(text[at:], messageBody)
		if headEnd < 0 {
			return append(spans, Span{Start: at, End: len(text), Thought: len(spans) == 0}), true
		}
		body := at + headEnd + len(messageBody)
		head := text[at : at+headEnd]
		// A head that does not begin with its mark is preceded by a body whose head was in the prompt.
		if i := strings.Index(head, messageStart); i > 0 && !strings.Contains(head[:i], channelName) {
			spans = append(spans, Span{Start: at, End: at + i, Thought: true})
			at += i
			continue
		}
		end := bodyEnd(text, body)
		channel := head
		if _, behind, found := strings.Cut(head, channelName); found {
			channel = behind
		}
		channel = strings.TrimSpace(channel)
		if strings.HasPrefix(channel, "final") {
			spans = append(spans, Span{Start: at, End: body})
		} else {
			call := strings.Contains(head, " to=")
			spans = append(spans, Span{Start: at, End: body}, Span{Start: body, End: end, Thought: true, Call: call})
		}
		at = end
	}
	return spans, true
}

// inChannels reports whether a text is in channels: by the marks at its head, or by a message that begins after
// another.
func inChannels(text string) bool {
	head := strings.TrimSpace(text)
	begins := []string{
		channelName, messageStart, "analysis" + messageBody, "final" + messageBody,
		"commentary" + messageBody,
	}
	if prefixOf(head, begins) != "" {
		return strings.Contains(head, messageBody)
	}
	return strings.Contains(text, messageStart+"assistant"+channelName) && strings.Contains(text, messageBody)
}

// bodyEnd returns the end of a message's body: a mark after which the reply ends or another message begins.
func bodyEnd(text string, body int) int {
	for at := body; ; {
		i := strings.Index(text[at:], "<|")
		if i < 0 {
			return len(text)
		}
		at += i
		mark := prefixOf(text[at:], []string{messageEnd, replyEnd, callEnd})
		behind := strings.TrimSpace(text[at+len(mark):])
		if mark != "" && behind == "" || prefixOf(behind, []string{messageStart, channelName}) != "" {
			return at
		}
		at += len("<|")
	}
}

// bareChannels parses channels whose marks the server removed, so that their names run into the text.
func bareChannels(text string) ([]Span, bool) {
	const last = "assistantfinal"
	head := strings.TrimLeft(text, space)
	at := strings.LastIndex(text, last)
	if at < 0 || !strings.HasPrefix(head, "analysis") && !strings.HasPrefix(head, "commentary") {
		return nil, false
	}
	from := len(text) - len(head) + len(prefixOf(head, []string{"analysis", "commentary"}))
	return []Span{{Start: 0, End: from}, {Start: from, End: at, Thought: true}, {Start: at, End: at + len(last)}}, true
}

// ends are the tokens at which a turn of a model ends; starts those at which a turn begins.
var (
	ends = [...]string{
		"<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|endoftext|>", "<|end_of_text|>", "<|end|>", "<|return|>",
		"<|EOT|>", "<|eot|>", "<|END_OF_TURN_TOKEN|>",
		"<|END_RESPONSE|>", "<|end_of_solution|>", "<|end_of_role|>", "<|eos|>", "<|im_sep|>", "<|assistant_end|>",
		"<|endofturn|>", "<|end_of_sentence|>",
		"<｜end▁of▁sentence｜>", "</s>", "<end_of_turn>", "<turn|>", "<eos>",
	}
	starts = [...]string{
		"<|im_start|>", "<|start_header_id|>", "<|begin_of_text|>", "<|assistant|>", "<|user|>", "<|system|>",
		"<|observation|>", "<|start|>", "<|begin|>",
		"<|START_OF_TURN_TOKEN|>", "<|CHATBOT_TOKEN|>", "<|USER_TOKEN|>", "<|START_RESPONSE|>", "<|begin_of_solution|>",
		"<|start_of_role|>", "<|header_start|>",
		"<｜begin▁of▁sentence｜>", "<｜Assistant｜>", "<｜User｜>", "<start_of_turn>", "<|turn>", "<bos>",
	}
	// roles may occur between two tokens at which a turn of a model begins, or after one.
	roles = [...]string{"assistant", "model", "final", "chatbot"}
	heads = [...]string{
		"<|end_header_id|>", "<|im_sep|>", "<|end_of_role|>", "<|header_end|>", "<|content|>",
		"<|message|>", "<|im_middle|>",
	}
)

// template finds the tokens around a reply, and everything after the end of its turn.
func template(text string) (spans []Span) {
	if n := turnHead(text); n > 0 {
		spans = append(spans, Span{Start: 0, End: n})
	}
	from := 0
	if len(spans) > 0 {
		from = spans[0].End
	}
	if end := turnEnd(text, from); end < len(text) {
		spans = append(spans, Span{Start: end, End: len(text)})
	}
	return spans
}

// turnHead returns the length of the tokens at the start of a text at which a turn of a model begins.
func turnHead(text string) int {
	rest := text
	for {
		trimmed := strings.TrimLeft(rest, space)
		token := prefixOf(trimmed, starts[:])
		if token == "" || token == "<|user|>" {
			break
		}
		rest = trimmed[len(token):]
		if role := prefixOf(rest, roles[:]); role != "" {
			named := rest[len(role):]
			if head := prefixOf(named, heads[:]); head != "" {
				rest = named[len(head):]
			} else if named == "" || named[0] == '\n' {
				rest = named
			}
		}
		rest = strings.TrimLeft(rest, "\r\n")
	}
	return len(text) - len(rest)
}

// turnEnd returns the offset of the token that ends the turn, after which the text ends or another turn begins;
// len(text) if there is none.
func turnEnd(text string, from int) int {
	end := len(text)
	for _, token := range ends {
		for at := from; ; {
			i := strings.Index(text[at:end], token)
			if i < 0 {
				break
			}
			if token == "</s>" && strings.Contains(text[from:at+i], "<s>") { // struck-out text of a web page
				break
			}
			behind := strings.TrimLeft(text[at+i+len(token):end], space)
			if behind == "" || prefixOf(behind, starts[:]) != "" || prefixOf(behind, ends[:]) != "" {
				end = at + i
				break
			}
			at += i + len(token)
		}
	}
	return end
}

// prefixOf returns the first of some words that a text begins with, "" if there is none.
func prefixOf(text string, words []string) string {
	if i := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(text, w) }); i >= 0 {
		return words[i]
	}
	return ""
}
