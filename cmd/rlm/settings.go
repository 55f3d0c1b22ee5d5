package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/lazy"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/llm/names"
	"github.com/gorlm/rlm/sandbox"
	"github.com/gorlm/rlm/termination"
	"github.com/pelletier/go-toml/v2"
)

// settings are everything that can be configured. Flags win over the environment, which wins over the configuration file.
type settings struct {
	Model           string     `toml:"model"`
	SubModel        string     `toml:"sub_model"`
	BaseURL         string     `toml:"base_url"`
	APIKey          llm.Secret `toml:"api_key"`
	Temperature     *float64   `toml:"temperature"`
	MaxOutputTokens int        `toml:"max_output_tokens"`
	ReasoningEffort string     `toml:"reasoning_effort"`

	CallTimeout       duration `toml:"call_timeout"`
	Tries             int      `toml:"tries"`
	RequestsPerMinute int      `toml:"requests_per_minute"`
	TokensPerMinute   int      `toml:"tokens_per_minute"`
	Window            int64    `toml:"window"`
	SubWindow         int64    `toml:"sub_window"`

	MaxIterations int      `toml:"max_iterations"`
	MaxSubCalls   int64    `toml:"max_sub_calls"`
	MaxTokens     int64    `toml:"max_tokens"`
	MaxCost       float64  `toml:"max_cost"`
	MaxTime       duration `toml:"max_time"`
	MaxDepth      int      `toml:"max_depth"`
	MaxErrors     int      `toml:"max_errors"`
	Concurrency   int      `toml:"concurrency"`
	Memo          bool     `toml:"memo"`

	Sandbox     string   `toml:"sandbox"`
	Engine      string   `toml:"engine"`
	CellTimeout duration `toml:"cell_timeout"`
	CellCPU     duration `toml:"cell_cpu"`
	CellMemory  byteSize `toml:"cell_memory"`
	CellOutput  int      `toml:"cell_output"`
	CellSource  byteSize `toml:"cell_source"`
	CellCalls   int      `toml:"cell_calls"`
	PromptSize  byteSize `toml:"prompt_size"`
	AnswerSize  byteSize `toml:"answer_size"`

	ConvertMemory  byteSize  `toml:"convert_memory"`
	ConvertTimeout duration  `toml:"convert_timeout"`
	ConvertCache   cacheSize `toml:"convert_cache"`

	AllowPrivateURLs bool `toml:"-"` // for one command: a file that says so would be forgotten

	// What else ends a run: see stopPolicy.
	Done             []string `toml:"done"`
	RequireEvidence  bool     `toml:"require_evidence"`
	SingleRound      bool     `toml:"single_round"`
	DoneIfTool       bool     `toml:"done_if_tool"`
	DoneIfResponse   []string `toml:"done_if_response"`
	DoneIfNoResponse []string `toml:"done_if_no_response"`
	StringSignals    []string `toml:"string_signals"`

	Mode   string `toml:"mode"`
	System string `toml:"system"`
	Prompt string `toml:"-"` // the name of a shipped prompt, or a folder of templates; "" is the shipped one

	// Fallback names the models that answer in the place of one that is no profile and has no quota left or cannot be reached.
	Fallback []string `toml:"fallback"`
	// Models are profiles: models under names of the user's own. They may name commands that print a key, so they are read from the
	// user's own configuration file and from nowhere else.
	Models map[string]names.Profile `toml:"models"`

	// MCP are servers by name whose tools cells can call. They name commands, so they too are read from nowhere else. MCPAllow lists
	// their tools that may be called though they are not read-only.
	MCP      map[string]mcpServer `toml:"mcp"`
	MCPAllow []string             `toml:"mcp_allow"`

	// Prices maps models to USD per million tokens; they are laid over the built-in table.
	Prices llm.Prices `toml:"prices"`
}

// defaultSettings are the documented defaults: those of the library, and what only a command has.
func defaultSettings() settings {
	b, l := runner.DefaultBudgets(), sandbox.Limits{}.WithDefaults()
	return settings{
		CallTimeout: duration(15 * time.Minute), Tries: 5,
		MaxIterations: b.Iterations, MaxSubCalls: b.SubCalls, MaxTokens: b.Tokens, MaxCost: b.Cost, MaxTime: duration(b.Time),
		MaxDepth: b.Depth, MaxErrors: b.Errors, Concurrency: runner.DefaultConcurrency,
		Sandbox: string(sandbox.Best), Engine: string(sandbox.Auto), CellTimeout: duration(l.CellTime), CellCPU: duration(l.CellCPU), CellMemory: byteSize(l.CellMemory),
		CellSource: byteSize(l.Source), CellCalls: l.InFlight, PromptSize: byteSize(l.Prompt), AnswerSize: byteSize(l.Answer),
		ConvertMemory: 512 << 20, ConvertTimeout: duration(time.Minute), ConvertCache: runner.DefaultCache,
		Mode: string(termination.Response),
	}
}

// configFile is where the configuration file is looked for.
func configFile() (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("finding the folder for configuration: %w", err)
	}
	return filepath.Join(dir, "rlm", "config.toml"), nil
}

// loadSettings reads the configuration file, if there is one, and the environment. With an error the settings are still usable for commands
// that need none.
func loadSettings() (settings, error) {
	s := defaultSettings()
	var err error
	if path, pathErr := configFile(); pathErr == nil {
		err = s.readFile(path)
	}
	s.readEnvironment()
	return s, err
}

func (s *settings) readFile(path string) error {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading the configuration: %w", err)
	}
	read := *s
	dec := toml.NewDecoder(strings.NewReader(string(data)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&read); err != nil {
		return fmt.Errorf("%s: %s", path, tomlError(err))
	}
	if read.holdsSecrets() && openToOthers(path) {
		return fmt.Errorf("%s holds a key and can be read by others: chmod 600 %s", path, path)
	}
	*s = read
	return nil
}

// tomlError says where and what, without the excerpt of the file, which may hold the key.
func tomlError(err error) string {
	var (
		wrong  *toml.DecodeError
		extra  *toml.StrictMissingError
		places []string
	)
	switch {
	case errors.As(err, &extra):
		for _, e := range extra.Errors {
			row, _ := e.Position()
			places = append(places, fmt.Sprintf("line %d: there is no setting %q", row, strings.Join(e.Key(), ".")))
		}
		return strings.Join(places, "; ")
	case errors.As(err, &wrong):
		row, column := wrong.Position()
		text := strings.TrimPrefix(wrong.Error(), "toml: ")
		if m := wrongType().FindStringSubmatch(text); m != nil {
			text = fmt.Sprintf("%s takes %s, not %s", strings.Join(wrong.Key(), "."), kindInWords(m[2]), valueInWords(m[1]))
		}
		return fmt.Sprintf("line %d, column %d: %s", row, column, text)
	default:
		return err.Error()
	}
}

// wrongType is what the decoder says of a value of the wrong type, with names of this program that tell a person nothing.
var wrongType = lazy.Regexp(`^cannot decode TOML (\w+) into .* of type (\S+)`)

// kindInWords is the type of a setting as the person who writes the file thinks of it.
func kindInWords(goType string) string {
	switch strings.TrimLeft(goType, "*") {
	case "int", "int64":
		return "a whole number"
	case "float64":
		return "a number"
	case "bool":
		return "true or false"
	case "string", "llm.Secret":
		return "text in quotes"
	}
	return "another kind of value"
}

// valueInWords is what stands in the file instead.
func valueInWords(tomlType string) string {
	if tomlType == "integer" || tomlType == "array" {
		return "an " + tomlType
	}
	return "a " + tomlType
}

func openToOthers(path string) bool {
	if runtime.GOOS == "windows" {
		return false
	}
	info, err := os.Stat(path)
	return err == nil && info.Mode().Perm()&0o077 != 0
}

// readEnvironment lays the environment over the file.
func (s *settings) readEnvironment() {
	for name, field := range map[string]*string{"RLM_MODEL": &s.Model, "RLM_SUB_MODEL": &s.SubModel, "OPENAI_BASE_URL": &s.BaseURL} {
		if v := os.Getenv(name); v != "" {
			*field = v
		}
	}
	if key := os.Getenv("OPENAI_API_KEY"); key != "" {
		s.APIKey = llm.NewSecret(key)
	}
}
