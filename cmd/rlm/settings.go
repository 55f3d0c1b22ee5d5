package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/documents/cache"
	"github.com/gorlm/rlm/internal/front/terminal/screen"
	"github.com/gorlm/rlm/internal/kit/startup"
	"github.com/gorlm/rlm/internal/kit/text/decoding"
	"github.com/gorlm/rlm/internal/kit/units"
	"github.com/gorlm/rlm/internal/names"
	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/sandbox"
	"github.com/gorlm/rlm/termination"
	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// settings are all values that can be configured. Flags override the environment, which overrides the configuration
// file.
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

	AllowPrivateURLs bool `toml:"-"` // only a flag: in a file it would be forgotten

	// Further conditions that end a run; see stopPolicy.
	Done             []string `toml:"done"`
	RequireEvidence  bool     `toml:"require_evidence"`
	RequireGrounded  bool     `toml:"require_grounded"`
	SingleRound      bool     `toml:"single_round"`
	DoneIfTool       bool     `toml:"done_if_tool"`
	DoneIfResponse   []string `toml:"done_if_response"`
	DoneIfNoResponse []string `toml:"done_if_no_response"`
	StringSignals    []string `toml:"string_signals"`

	Mode   string `toml:"mode"`
	System string `toml:"system"`
	Prompt string `toml:"-"` // name of a shipped prompt, or a folder of templates; "" means the default

	// Fallback names the models that replace a model without a profile when it has no quota left or cannot be
	// reached.
	Fallback []string `toml:"fallback"`
	// Models are profiles: models under names that the user chose. They can contain commands that print a key, so
	// they are read only from the user's configuration file.
	Models map[string]names.Profile `toml:"models"`

	// MCP are servers whose tools cells can call, by name. They contain commands, so they too are read only from
	// that file. MCPAllow names tools that may be called although they are not read-only.
	MCP      map[string]mcpServer `toml:"mcp"`
	MCPAllow []string             `toml:"mcp_allow"`

	// Prices are in USD per million tokens, by model. They override the built-in table.
	Prices llm.Prices `toml:"prices"`

	mcp    []string // servers named on the command line
	broken error    // error in the configuration file, which ready returns
}

// defaultSettings returns the documented defaults: those of the library, and those of settings that only commands
// have.
func defaultSettings() settings {
	b, l := runner.DefaultBudgets(), sandbox.Limits{}.WithDefaults()
	return settings{
		CallTimeout: duration(15 * time.Minute), Tries: 5,
		MaxIterations: b.Iterations, MaxSubCalls: b.SubCalls, MaxTokens: b.Tokens, MaxCost: b.Cost,
		MaxTime:  duration(b.Time),
		MaxDepth: b.Depth, MaxErrors: b.Errors, Concurrency: runner.DefaultConcurrency,
		Sandbox: string(sandbox.Best), Engine: string(sandbox.Auto), CellTimeout: duration(l.CellTime),
		CellCPU: duration(l.CellCPU), CellMemory: byteSize(l.CellMemory),
		CellSource: byteSize(l.Source), CellCalls: l.InFlight, PromptSize: byteSize(l.Prompt),
		AnswerSize:    byteSize(l.Answer),
		ConvertMemory: 512 << 20, ConvertTimeout: duration(time.Minute), ConvertCache: cache.DefaultBound,
		Mode: string(termination.Response),
	}
}

// configFile returns the path of the configuration file.
func configFile() (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("finding the configuration folder: %w", err)
	}
	return filepath.Join(dir, "rlm", "config.toml"), nil
}

// loadSettings reads the configuration file, if there is one, and the environment.
func loadSettings() *settings {
	s := defaultSettings()
	if path, err := configFile(); err == nil {
		s.broken = s.readFile(path)
	}
	s.readEnvironment()
	return &s
}

func (s *settings) readFile(path string) error {
	data, err := readConfig(path)
	if err != nil || data == nil {
		return err
	}
	text, err := decoding.Text(bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	read := *s
	dec := toml.NewDecoder(strings.NewReader(text)).EnableUnmarshalerInterface() // numbers go through Set too
	dec.DisallowUnknownFields()
	if err := dec.Decode(&read); err != nil {
		return fmt.Errorf("%s: %s", path, tomlError(err))
	}
	var wrong settingError
	if errors.As(read.check(), &wrong) {
		return fmt.Errorf("%s: line %d: %s", path, lineOf(text, wrong.key), wrong.inFile())
	}
	if read.holdsSecrets() && openToOthers(path) {
		return fmt.Errorf("%s contains a key and can be read by others: chmod 600 %s", path, path)
	}
	*s = read
	return nil
}

// readConfig reads the configuration file; nil if there is none. It refuses anything but a regular file, because
// opening a pipe would block until something writes to it.
func readConfig(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		if null, err := os.Stat(os.DevNull); err == nil && os.SameFile(info, null) {
			return nil, nil // a link to the null device means no configuration
		}
		return nil, fmt.Errorf("%s is not a regular file: remove it, or replace it with a settings file", path)
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the configuration: %w", err)
	}
	return data, nil
}

// lineOf returns the line of a key in a configuration file, or of the innermost table that contains it.
func lineOf(text string, key []string) (line int) {
	var (
		p      unstable.Parser
		table  []string
		common int
	)
	p.Reset([]byte(text))
	for p.NextExpression() {
		e := p.Expression()
		var at []string
		if e.Kind == unstable.KeyValue {
			at = slices.Clone(table)
		}
		row := 0
		for part := e.Key(); part.Next(); row = p.Shape(part.Node().Raw).Start.Line {
			at = append(at, string(part.Node().Data))
		}
		if e.Kind != unstable.KeyValue {
			table = at
		}
		same := 0
		for same < min(len(at), len(key)) && strings.EqualFold(at[same], key[same]) {
			same++
		}
		if same > common {
			common, line = same, row
		}
	}
	return line
}

// tomlError describes an error and its position. It leaves out the excerpt of the file, which may contain a key.
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
			key := strings.Join(e.Key(), ".")
			places = append(places, fmt.Sprintf(
				"line %d: there is no setting %q%s", row, key, screen.DidYouMean(key, settingNames())))
		}
		return strings.Join(places, "; ")
	case errors.As(err, &wrong):
		row, column := wrong.Position()
		text := strings.TrimPrefix(wrong.Error(), "toml: ")
		if m := wrongType().FindStringSubmatch(text); m != nil {
			text = fmt.Sprintf("%s takes %s, not %s", strings.Join(wrong.Key(), "."), kindInWords(m[2]),
				valueInWords(m[1]))
		}
		return fmt.Sprintf("line %d, column %d: %s", row, column, text)
	default:
		return err.Error()
	}
}

// settingNames returns the names of the settings that are not tables.
func settingNames() (list []string) {
	for f := range reflect.TypeFor[settings]().Fields() {
		if name := f.Tag.Get("toml"); name != "" && name != "-" && f.Type.Kind() != reflect.Map {
			list = append(list, name)
		}
	}
	return list
}

// wrongType matches the decoder's error for a value of the wrong type. That error contains Go types, which users do
// not know.
var wrongType = startup.Regexp(`^cannot decode TOML (\w+) into .* of type (\S+)`)

// kindInWords describes the type of a setting for users.
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

// valueInWords describes the type of a value in the file for users.
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

// readEnvironment overrides settings of the file by the environment.
func (s *settings) readEnvironment() {
	for name, field := range map[string]*string{
		"RLM_MODEL": &s.Model, "RLM_SUB_MODEL": &s.SubModel, "OPENAI_BASE_URL": &s.BaseURL,
	} {
		if v := os.Getenv(name); v != "" {
			*field = v
		}
	}
	if key := os.Getenv("OPENAI_API_KEY"); key != "" {
		s.APIKey = llm.NewSecret(key)
	}
}

// setTo sets a setting to a value of a configuration file, as a flag would: a text without its quotes, a number
// without its digit separators.
func setTo(setting interface{ Set(string) error }, value []byte) error {
	text := strings.Trim(string(value), `"'`)
	if len(text) == len(value) {
		text = strings.ReplaceAll(text, "_", "")
	}
	if err := setting.Set(text); err != nil {
		return unstable.NewParserError(value, "%v", err)
	}
	return nil
}

// duration is a time.Duration in the form in which people write it: "90s", "1h30m", or a number of seconds.
type duration time.Duration

func (d duration) String() string { return time.Duration(d).String() }

// Type returns the kind of value in help texts.
func (d duration) Type() string { return "duration" }

// Set parses a duration, which must be positive or -1.
func (d *duration) Set(text string) error {
	v, ok := units.ParseTime(text)
	if text == "-1" {
		v, ok = -time.Second, true
	}
	if !ok {
		return fmt.Errorf("%q is not a duration (for example 90s, 5m or 1h30m)", text)
	}
	*d = duration(v)
	return nil
}

// UnmarshalTOML is Set for configuration files.
func (d *duration) UnmarshalTOML(value []byte) error { return setTo(d, value) }

// MarshalText formats the duration for Set.
func (d duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// byteSize is a number of bytes in the form in which people write it: "512MB", "1GiB", "4096". MB is decimal, MiB
// binary.
type byteSize int64

var sizeUnits = []struct {
	name  string
	bytes int64
}{
	{"KIB", 1 << 10},
	{"MIB", 1 << 20},
	{"GIB", 1 << 30},
	{"TIB", 1 << 40},
	{"KB", 1e3},
	{"MB", 1e6},
	{"GB", 1e9},
	{"TB", 1e12},
	{"K", 1 << 10},
	{"M", 1 << 20},
	{"G", 1 << 30},
	{"T", 1 << 40},
	{"B", 1},
}

func (s byteSize) String() string {
	for i := 3; i >= 0; i-- {
		if u := sizeUnits[i]; s != 0 && int64(s)%u.bytes == 0 {
			return fmt.Sprintf("%d%s", int64(s)/u.bytes, strings.Replace(u.name, "I", "i", 1))
		}
	}
	return strconv.FormatInt(int64(s), 10)
}

// Type returns the kind of value in help texts.
func (s byteSize) Type() string { return "size" }

// Set parses a size.
func (s *byteSize) Set(text string) error {
	number, factor := strings.ToUpper(strings.TrimSpace(text)), int64(1)
	for _, u := range sizeUnits {
		if rest, ok := strings.CutSuffix(number, u.name); ok {
			number, factor = strings.TrimSpace(rest), u.bytes
			break
		}
	}
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || !(v > 0 && v*float64(factor) <= 1<<60) {
		return fmt.Errorf("%q is not a size (for example 512MiB or 1GiB)", text)
	}
	*s = byteSize(v * float64(factor))
	return nil
}

// UnmarshalTOML is Set for configuration files.
func (s *byteSize) UnmarshalTOML(value []byte) error { return setTo(s, value) }

// MarshalText formats the size for Set.
func (s byteSize) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// cacheSize is a size that may also be 0 or "off", which mean no cache.
type cacheSize int64

func (s cacheSize) String() string { return byteSize(s).String() }

// Type returns the kind of value in help texts.
func (s cacheSize) Type() string { return "size" }

// Set parses a size.
func (s *cacheSize) Set(text string) error {
	if text == "0" || text == "off" {
		*s = 0
		return nil
	}
	return (*byteSize)(s).Set(text)
}

// UnmarshalTOML is Set for configuration files.
func (s *cacheSize) UnmarshalTOML(value []byte) error { return setTo(s, value) }

// MarshalText formats the size for Set.
func (s cacheSize) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// optionalFloat is a number that may be missing.
type optionalFloat struct{ v **float64 }

func (o optionalFloat) String() string {
	if o.v == nil || *o.v == nil {
		return ""
	}
	return strconv.FormatFloat(**o.v, 'g', -1, 64)
}

// Type returns the kind of value in help texts.
func (o optionalFloat) Type() string { return "number" }

// Set parses the number.
func (o optionalFloat) Set(text string) error {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v >= 0 && v <= 2) {
		return fmt.Errorf("%q is not a temperature (0 to 2)", text)
	}
	*o.v = &v
	return nil
}
