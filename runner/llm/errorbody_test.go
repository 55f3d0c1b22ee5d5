package llm_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/testing/fakeapi"
	"github.com/gorlm/rlm/runner/llm"
)

// A code that is a failure status counts as the status, wherever the error is; all other codes are words.
func TestCodesInErrors(t *testing.T) {
	for code, want := range map[string]int{
		`400`: 400, `"400"`: 400, `599`: 599, `"503"`: 503, `429`: 429, `399`: 0,
		`600`: 0, `7`: 0, `"x"`: 0, `""`: 0, `null`: 0, `[1]`: 0,
	} {
		for form, status := range map[string]int{
			`{"error":{"message":"m","code":%s}}`:              502, // it replaces a status of 200
			`{"message":"m","code":%s}`:                        502,
			`data: {"error":{"message":"m","code":%s}}` + "\n": 0,
		} {
			s := fakeapi.Start(fakeapi.Rule{Times: -1, Reply: fakeapi.Reply{Body: fmt.Sprintf(form, code)}})
			e := failure(t, client(t, s, func(cfg *llm.Config) { cfg.Tries = 1 }), ask("hi"))
			if want != 0 {
				status = want
			}
			require.Equal(t, status, e.Status, "%s in %s", code, form)
			require.Contains(t, e.Message, ": m")
		}
	}
	for body, kind := range map[string]llm.ErrorKind{
		`{"error":{"message":"m","code":"insufficient_quota","type":"x"}}`: llm.ErrQuota,
		`{"error":{"message":"m","code":429,"type":"insufficient_quota"}}`: llm.ErrQuota,
		`{"error":{"message":"m","code":"","type":"insufficient_quota"}}`:  llm.ErrQuota,
		`{"error":{"message":"m","type":"insufficient_quota"}}`:            llm.ErrQuota,
		`{"error":{"message":"m","code":"x","type":"insufficient_quota"}}`: llm.ErrUnavailable,
	} {
		s := fakeapi.Start(fakeapi.Rule{Times: -1, Reply: fakeapi.Reply{Body: body}})
		require.Equal(t, kind, failure(t, client(t, s, func(cfg *llm.Config) { cfg.Tries = 1 }), ask("hi")).Kind, body)
	}
	for body, status := range map[string]int{
		`{"base_resp":{"status_code":2013,"status_msg":"m"}}`: 400,
		`{"base_resp":{"status_code":1000,"status_msg":"m"}}`: 502,
	} {
		s := fakeapi.Start(fakeapi.Rule{Times: -1, Reply: fakeapi.Reply{Body: body}})
		e := failure(t, client(t, s, func(cfg *llm.Config) { cfg.Tries = 1 }), ask("hi"))
		require.Equal(t, status, e.Status, body)
	}
	// The code of a broken server counts with a status of 500, not below.
	for status, kind := range map[int]llm.ErrorKind{499: llm.ErrQuota, 500: llm.ErrUnavailable} {
		s := fakeapi.Start(fakeapi.Rule{Times: -1, Reply: fakeapi.Reply{
			Status: status,
			Body:   `{"error":{"code":"insufficient_quota","error":{"code":"server_error","message":"m"}}}`,
		}})
		e := failure(t, client(t, s, func(cfg *llm.Config) { cfg.Tries = 1 }), ask("hi"))
		require.Equal(t, kind, e.Kind, status)
	}
}

// nested puts the text of an error into so many objects, each as it is or quoted.
func nested(object string, quoted bool, n int) string {
	inner := `{"message":"cause"}`
	for range n - 1 {
		if quoted {
			inner = strconv.Quote(inner)
		}
		inner = fmt.Sprintf(object, inner)
	}
	return `{"error":` + inner + `}`
}

// If a body has no readable message, the error's message is the name of the status.
func TestErrorsWithoutAMessage(t *testing.T) {
	for body, says := range map[string]string{
		"":                                "Service Unavailable",
		" \n":                             "Service Unavailable",
		"<html>gateway</html>":            "Service Unavailable",
		"upstream is down":                "upstream is down",
		"[]":                              ": []",
		`{"error":{}}`:                    "{}",
		`{"error":{"message":""}}`:        `{"message":""}`,
		`{"error":null,"message":"m"}`:    ": m",
		`{"detail":{"a":1}}`:              `{"a":1}`,
		`{"error":{"message":["a","b"]}}`: "a, b",
		`{"error":{},"message":"m"}`:      ": m",
		`{"error":[],"message":"m"}`:      ": m",
		`{"error":[[[[[["deep"]]]]]]}`:    ": deep",
		`{"error":[[[[[[["deep"]]]]]]]}`:  `[[[[[[["deep"]]]]]]]`,
		`{"error":{"message":"proxy: {not JSON"}}`:                                        ": proxy: {not JSON",
		`{"error":{"message":"proxy says {\"error\":{\"message\":\"the cause\"}}"}}`:      ": proxy says: the cause",
		`{"error":{"message":"proxy: {\"error\":{\"message\":\"the cause\"}}"}}`:          ": proxy: the cause",
		`{"error":{"message":"it failed: ","detail":"the cause:"}}`:                       ": it failed: the cause:",
		`{"error":{"message":"{\"message\":\"inner\"}"}}`:                                 "): inner",
		`{"error":{"message":"{\"a\":1}"}}`:                                               `): {"a":1}`,
		`{"error":{"message":"` + strings.Repeat("x", 299) + `{\"message\":\"inner\"}"}}`: "x: inner",
		`{"error":{"message":"` + strings.Repeat("x", 300) + `{\"message\":\"inner\"}"}}`: `x{"message":"inner"}`,
		nested(`{"message":%s}`, false, 6):                                                ": cause",
		nested(`{"message":%s}`, false, 7):                                                `{"message":{"message"`,
		nested(`{"cause":%s}`, false, 6):                                                  ": cause",
		nested(`{"cause":%s}`, false, 7):                                                  `{"cause":{"cause"`,
		nested(`{"message":%s}`, true, 3):                                                 ": cause",
		nested(`{"message":%s}`, true, 4):                                                 `{"message":"cause"}`,
		`[{"error":{"message":"first"}},{"error":{"message":"second"}}]`:                  ": first",
	} {
		s := fakeapi.Start(fakeapi.Rule{Times: -1, Reply: fakeapi.Reply{Status: 503, Body: body}})
		e := failure(t, client(t, s, func(cfg *llm.Config) { cfg.Tries = 1 }), ask("hi"))
		require.Contains(t, e.Message, says, body)
		require.NotContains(t, e.Message, "<html>")
	}
}

// Google's wait is in the body of the error; a daily quota is not a wait.
func TestWaitsInErrors(t *testing.T) {
	wait := func(details string) string {
		return `{"error":{"code":429,"message":"quota: billing","details":[` + details + `]}}`
	}
	const minute, day = `{"violations":[{"quotaId":"PerMinute"}]}`,
		`{"violations":[{"quotaId":"x"},{"quotaId":"PerDay"}]}`
	for body, kind := range map[string]llm.ErrorKind{
		wait(minute + `,{"retryDelay":"0.001s"}`):                                llm.ErrRateLimit,
		"[" + wait(minute+`,{"retryDelay":"0.001s"}`) + "]":                      llm.ErrRateLimit,
		wait(day + `,{"retryDelay":"0.001s"}`):                                   llm.ErrQuota,
		wait(`{"retryDelay":"0.001s"},` + day):                                   llm.ErrQuota,
		wait(`{"retryDelay":"soon"}`):                                            llm.ErrQuota,
		wait(`{"retryDelay":"0s"}`):                                              llm.ErrQuota,
		wait(`{"retryDelay":"-1s"}`):                                             llm.ErrQuota,
		wait(`5`):                                                                llm.ErrQuota,
		`{"error":{"message":"quota: billing"},"details":[{"retryDelay":"1s"}]}`: llm.ErrQuota,
	} {
		s := fakeapi.Start(fakeapi.Rule{Times: -1, Reply: fakeapi.Reply{Status: 429, Body: body}})
		require.Equal(t, kind, failure(t, client(t, s, func(cfg *llm.Config) { cfg.Tries = 2 }), ask("hi")).Kind, body)
	}
}

// An event with a usage is no error, whatever it says besides.
func TestAUsageIsNoError(t *testing.T) {
	s := fakeapi.Start(fakeapi.Rule{Reply: events(`{"choices":[{"delta":{"content":"ok"}}]}`, stopped,
		`{"usage":{"prompt_tokens":3,"completion_tokens":4},"message":"all is well"}`)})
	resp, _ := generate(t, client(t, s), ask("hi"))
	require.Equal(t, "ok", resp.Content)
	require.Equal(t, llm.Usage{Prompt: 3, Completion: 4}, resp.Usage)
}
