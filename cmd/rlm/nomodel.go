package main

import "fmt"

// noModelError says that there is nobody to ask, and what to do. A session is of use all the same: cells run in it.
type noModelError struct {
	missing string // what there is not
	ways    string // to end that, a line each
	rest    string
}

func (e *noModelError) Error() string { return e.missing + e.ways + e.rest }

// inSession is the error in a session, where the model is named by a command.
func (e *noModelError) inSession() error {
	const command = "\n  /model NAME                           here in the session; /model ollama/NAME needs no key"
	return &noModelError{e.missing, command + e.ways, ".\nWithout any model cells run: > CODE"}
}

// noModel says how to name a model, or who serves the one that is named. noOllama is why the local one cannot help, nil if it was
// not asked.
func (s settings) noModel(noOllama error) *noModelError {
	path, err := configFile()
	if err != nil {
		path = "the configuration file"
	}
	e := &noModelError{missing: "no model is named. Ways to name a model:", ways: `
  rlm run --model NAME …                with a key (OPENAI_API_KEY, ANTHROPIC_API_KEY, …), or --base-url URL
  RLM_MODEL=NAME in the environment     with a key, and OPENAI_BASE_URL for an endpoint other than OpenAI's
  model = "NAME" in ` + path + `, with a key there or stored with 'rlm keys set'
A local Ollama is used when it answers`}
	if s.Model != "" {
		e.missing = fmt.Sprintf("model %s is named, but no key and no endpoint. Ways to say who serves it:", s.Model)
		e.ways = `
  OPENAI_API_KEY=… in the environment   or kept for later with 'rlm keys set openai'
  PROVIDER/NAME as its name             with the provider's key: anthropic, gemini, openrouter, azure; ollama needs none
  --base-url URL, or OPENAI_BASE_URL    an OpenAI-compatible endpoint, such as http://localhost:8000/v1
A local Ollama is used when it answers and has the model`
	}
	if noOllama != nil {
		e.ways += " (" + noOllama.Error() + ")"
	}
	e.rest = ".\nWithout any model and key: rlm demo"
	return e
}
