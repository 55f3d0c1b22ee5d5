package thought_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/kit/thought"
)

func nothing(string) bool { return false }

// Apart finds the marks of thoughts and answers as models write them and servers leave them, but not similar text.
func TestApart(t *testing.T) {
	for name, c := range map[string][2]string{
		"orphan":     {"let me see\n</think>\n\nyes", "yes"},
		"orphan2":    {"thinking it over</think>\nyes", "yes"},
		"empty head": {"</think>\n\nyes", "yes"},
		"two":        {"<think>a</think><think>b</think>yes", "yes"},
		"nested":     {"<think>a<think>b</think>c</think>yes", "yes"},
		"THINK":      {"<THINK>a</THINK>yes", "yes"},
		"attr":       {`<thinking type="x">a</thinking>yes`, "yes"},
		"mistral":    {"[THINK]a[/THINK]yes", "yes"},
		"kimi":       {"◁think▷a◁/think▷yes", "yes"},
		"cohere":     {"<|START_THINKING|>a<|END_THINKING|><|START_RESPONSE|>yes<|END_RESPONSE|>", "yes"},
		"openthinker": {
			"<|begin_of_thought|>a<|end_of_thought|>\n\n<|begin_of_solution|>\nyes\n<|end_of_solution|>", "yes",
		},
		"gemma4":      {"<|channel>thought\na<channel|>yes<turn|>", "yes"},
		"apertus":     {"<|inner_prefix|>a<|inner_suffix|>yes", "yes"},
		"ernie":       {"<think>a</think>\n<response>\nyes\n</response>", "yes"},
		"answer":      {"<think>a</think><answer>yes</answer>", "yes"},
		"chatml":      {"yes<|im_end|>", "yes"},
		"chatml run":  {"yes<|im_end|>\n<|im_start|>user\nand?", "yes"},
		"chatml head": {"<|im_start|>assistant\nyes<|im_end|>", "yes"},
		"llama3":      {"<|start_header_id|>assistant<|end_header_id|>\n\nyes<|eot_id|>", "yes"},
		"s":           {"yes</s>", "yes"},
		"gemma":       {"<start_of_turn>model\nyes<end_of_turn>", "yes"},
		"deepseek":    {"yes<｜end▁of▁sentence｜>", "yes"},
		"harmony2": {
			"<|start|>assistant<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>commentary<|message|>plan<|end|><|start|>assistant<|channel|>final<|message|>yes", "yes",
		},
		"harmony head in prompt": {
			"analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>yes<|return|>", "yes",
		},
		"harmony no marks": {"analysisWe need.assistantfinalyes", "yes"},
		"harmony json": {
			"<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final <|constrain|>json<|message|>{\"a\":1}<|return|>", `{"a":1}`,
		},
		"harmony final only":    {"<|channel|>final<|message|>yes<|return|>", "yes"},
		"harmony stripped head": {"a thought<|end|><|start|>assistant<|channel|>final<|message|>yes<|return|>", "yes"},
		"after":                 {"yes\n<think>sure?</think>", "yes"},
		"scratch":               {"<scratchpad>a</scratchpad>\nyes", "yes"},
		"reasoning":             {"<reasoning>a</reasoning>\nyes", "yes"},
		"reflection":            {"<thinking>a<reflection>b</reflection></thinking><output>yes</output>", "yes"},
		"seed":                  {"<seed:think>a</seed:think>yes", "yes"},
		"think unclosed other":  {"<thinking>a</think>yes", "yes"},
		"behind an empty line":  {"\n<think>a</think>yes", "yes"},
		"about both":            {"use <think> and </think>\nok", "use <think> and </think>\nok"},
		"not closed":            {"<think>a", ""},
		"not closed behind":     {"yes\n<think>a", "yes"},
		"not closed and unsure": {"<analysis>a", "<analysis>a"},
		"an unsure one behind":  {"yes\n<analysis>a</analysis>", "yes\n<analysis>a</analysis>"},
		"a token in the text": {
			"<|channel|>analysis<|message|>say <|end|> at the end<|end|><|start|>assistant<|channel|>final<|message|>a <| b<|return|>", "a <| b",
		},
		"a channel cut short": {"<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>fin", ""},
		"a head alone":        {"<|im_start|>assistant\n", ""},
		"a role in the text":  {"<|im_start|>models are", "models are"},
		"a user's turn":       {"<|user|>yes", "<|user|>yes"},
		"two ends":            {"a <|im_end|> b<|im_end|><|endoftext|>", "a <|im_end|> b"},
		"struck":              {"<s>a</s>", "<s>a</s>"},
		"about":               {"use <think> for it", "use <think> for it"},
		"about2":              {"the token <|im_end|> ends a turn", "the token <|im_end|> ends a turn"},
		"code":                {"```\na</think>\n```\nok", "```\na</think>\n```\nok"},
		"html":                {"<s>struck</s>", "<s>struck</s>"},
		"inst":                {"[INST] x [/INST]", "[INST] x [/INST]"},
		"bullet":              {"<user>x</user>", "<user>x</user>"},
		"multi":               {"`<|end|>`", "`<|end|>`"},
	} {
		said, _, call := thought.Apart(c[0], nothing)
		require.Equal(t, c[1], said, name)
		require.False(t, call, name)
	}
}

// A mark that occurs in the prompt stays in the reply, except a plain <think>.
func TestMarksThatThePromptHolds(t *testing.T) {
	asked := func(mark string) bool {
		return strings.Contains("Put it in <analysis> tags, and tell about <|im_end|> and </think>: <think>", mark)
	}
	for text, want := range map[string]string{
		"<analysis>a</analysis>yes": "<analysis>a</analysis>yes",
		"yes<|im_end|>":             "yes<|im_end|>",
		"the end is\n</think>\nok":  "the end is\n</think>\nok",
		"<think>a</think>yes":       "yes",
	} {
		said, _, _ := thought.Apart(text, asked)
		require.Equal(t, want, said)
	}
}

// A channel that calls a tool is reported.
func TestACallInAChannel(t *testing.T) {
	said, _, call := thought.Apart(
		`<|channel|>commentary to=functions.look <|constrain|>json<|message|>{"q":1}<|call|>`, nothing)
	require.Empty(t, said)
	require.True(t, call)
}
