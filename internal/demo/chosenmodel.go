package demo

import (
	"errors"
	"os"
	"strings"

	"github.com/gorlm/rlm/runner/llm"
)

// Model returns the model for an example: at the endpoint that the environment names (RLM_MODEL with
// OPENAI_API_KEY or OPENAI_BASE_URL), else the recording. recorded reports which.
func Model(replies string) (model llm.Model, recorded bool, err error) {
	name, key, url := os.Getenv("RLM_MODEL"), os.Getenv("OPENAI_API_KEY"), os.Getenv("OPENAI_BASE_URL")
	if name != "" && (key != "" || url != "") {
		model, err := llm.New(llm.Config{Model: name, BaseURL: url, APIKey: llm.NewSecret(key)})
		return model, false, err
	}
	rec, err := Load(strings.NewReader(replies))
	if err != nil {
		return nil, false, err
	}
	if rec.Empty() {
		return nil, false, errors.New(
			"this example has no recording yet; set RLM_MODEL with OPENAI_API_KEY or OPENAI_BASE_URL to let a model answer")
	}
	return rec.Answers(), true, nil
}
