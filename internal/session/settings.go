package session

import (
	"context"
	"slices"

	"github.com/gorlm/rlm/runner"
	"github.com/gorlm/rlm/runner/llm"
	"github.com/gorlm/rlm/runner/trajectory"
	"github.com/gorlm/rlm/termination"
)

// Choice is what a client can choose for later questions.
type Choice struct {
	Model    string          `json:"model,omitempty"`
	SubModel string          `json:"sub_model,omitempty"`
	Mode     string          `json:"mode,omitempty"`
	Budgets  *runner.Budgets `json:"budgets,omitempty"`
}

// options converts a choice to options. Its models must be models of the server, unless the manager is Local.
func (m *Manager) options(ctx context.Context, c Choice) ([]runner.Option, error) {
	var opts []runner.Option
	for _, chosen := range []struct {
		name string
		with func(llm.Model) runner.Option
	}{{c.Model, runner.WithModel}, {c.SubModel, runner.WithSubModel}} {
		if chosen.name == "" {
			continue
		}
		model, err := m.model(ctx, chosen.name)
		if err != nil {
			return nil, err
		}
		opts = append(opts, chosen.with(model))
	}
	switch c.Mode {
	case "":
	case string(termination.Response), string(termination.Task):
		opts = append(opts, runner.WithMode(termination.Mode(c.Mode)))
	default:
		return nil, badRequest("mode must be response or task")
	}
	if c.Budgets != nil {
		opts = append(opts, runner.WithBudgets(*c.Budgets))
	}
	return opts, nil
}

// model returns a model of the server by name.
func (m *Manager) model(ctx context.Context, name string) (llm.Model, error) {
	if !m.cfg.Local && !slices.Contains(m.cfg.Models, name) {
		return nil, badRequest(name + " is not one of the server's models")
	}
	model, err := m.cfg.Model(ctx, name)
	if err != nil {
		return nil, &Error{Code: NoModel, Message: err.Error()}
	}
	return model, nil
}

// CanAsk returns an error if there is neither a chosen nor a default model.
func (m *Manager) CanAsk(c Choice) error {
	if m.cfg.NoModel != "" && c.Model == "" {
		return &Error{Code: NoModel, Message: m.cfg.NoModel}
	}
	return nil
}

// choose checks a question's choice, which is applied when the question is asked.
func (c *Call) choose(ctx context.Context, choice Choice) (err error) {
	if !c.live.named.Load() {
		err = c.manager.CanAsk(choice)
	}
	if err == nil {
		c.options, err = c.manager.options(ctx, choice)
	}
	return err
}

// Settings are the settings for later questions, and the session's usage so far.
type Settings struct {
	Model    string         `json:"model"`
	SubModel string         `json:"sub_model"`
	Mode     string         `json:"mode"`
	Budgets  runner.Budgets `json:"budgets"`
	Level    string         `json:"level"` // level of the sandbox
	Totals   Totals         `json:"totals"`
	Pending  bool           `json:"pending"`            // the last run can be resumed
	Engine   string         `json:"engine,omitempty"`   // the engine in which the next cell starts; empty if unknown
	NoModel  string         `json:"no_model,omitempty"` // why no question can be asked
	Servers  []Server       `json:"servers,omitempty"`  // MCP servers whose tools are functions of the notebook
}

// Server is an MCP server with the names of its tools.
type Server struct {
	Name  string   `json:"name"`
	Tools []string `json:"tools"`
}

// serversOf groups tools by server, in the order in which the servers appear.
func serversOf(tools []runner.OutsideTool) (servers []Server) {
	for _, t := range tools {
		i := slices.IndexFunc(servers, func(s Server) bool { return s.Name == t.Server })
		if i < 0 {
			i, servers = len(servers), append(servers, Server{Name: t.Server})
		}
		servers[i].Tools = append(servers[i].Tools, t.Name)
	}
	return servers
}

// SetRequest changes the settings of later questions, and the engine.
type SetRequest struct {
	Choice
	Engine string `json:"engine,omitempty"` // auto, yaegi or exact; a notebook never leaves the exact engine
}

// Totals are the usage of a session.
type Totals struct {
	Cost  float64                     `json:"cost"`
	Known bool                        `json:"known"` // false if no price is known
	Usage map[string]trajectory.Usage `json:"usage"`
}

func set(ctx context.Context, c *Call, in SetRequest) (Settings, error) {
	named := in.Model != "" && c.manager.cfg.NoModel != "" && !c.live.named.Load()
	if named && in.SubModel == "" { // there was no model before, so this one also answers sub-calls
		in.SubModel = in.Model
	}
	opts, err := c.manager.options(ctx, in.Choice)
	if err == nil && in.Engine != "" {
		var engine runner.Option
		if engine, err = c.engine(in.Engine); engine != nil {
			opts = append(opts, engine)
		}
	}
	if err == nil {
		err = c.with(ctx, "settings", func(rs *runner.Session) error { return rs.Set(opts...) })
	}
	if err != nil {
		return Settings{}, err
	}
	if named {
		c.live.named.Store(true)
	}
	return settings(ctx, c, struct{}{})
}

// engine returns the option of an engine.
func (c *Call) engine(name string) (runner.Option, error) {
	switch name {
	case "auto":
		return runner.WithEngine("auto"), nil
	case "yaegi":
		return runner.WithEngine("yaegi"), nil
	case "exact":
		return runner.WithEngine("exact"), nil
	}
	return nil, badRequest("engine must be yaegi, exact or auto (starts with yaegi and switches to exact when a cell needs it)")
}

// addServer adds the tools of an MCP server to the notebook.
func addServer(ctx context.Context, c *Call, in ServerRequest) (struct{}, error) {
	if c.manager.cfg.AddServer == nil {
		return struct{}{}, &Error{Code: Forbidden, Message: "MCP servers cannot be added here"}
	}
	opts, err := c.manager.cfg.AddServer(ctx, in.Server)
	if err == nil {
		err = c.with(ctx, "settings", func(rs *runner.Session) error { return rs.Set(opts...) })
	}
	return struct{}{}, err
}

// ServerRequest names an MCP server: a command with its arguments, or a URL.
type ServerRequest struct {
	Server string `json:"server"`
}

func settings(ctx context.Context, c *Call, _ struct{}) (out Settings, err error) {
	err = c.live.Look(ctx, func(rs *runner.Session) error {
		t := rs.Totals()
		out = Settings{
			Model: rs.Model().Name(), SubModel: rs.SubModel().Name(), Mode: string(rs.Mode()), Budgets: rs.Budgets(),
			Level:  string(rs.Level()),
			Totals: Totals{t.Cost, t.CostKnown, t.Usage}, Servers: serversOf(rs.OutsideTools()),
		}
		if c.manager.cfg.NoModel != "" && !c.live.named.Load() {
			out.NoModel = c.manager.cfg.NoModel
		}
		if t.Usage == nil {
			out.Totals.Usage = map[string]trajectory.Usage{}
		}
		return nil
	})
	if err != nil {
		return out, err
	}
	err = c.live.Ask(ctx, func(_ context.Context, rs *runner.Session) error {
		out.Pending = rs.Pending()
		engine, err := rs.Engine()
		out.Engine = string(engine)
		return err
	})
	if Is(err, Busy) { // a task has started meanwhile: Pending and Engine remain unknown
		err = nil
	}
	return out, err
}
