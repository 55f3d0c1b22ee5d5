package api

import (
	"net/http"
	"strings"

	"github.com/gorlm/rlm/internal/front/openai"
	"github.com/gorlm/rlm/internal/front/web"
	"github.com/gorlm/rlm/internal/session"
)

// likeOpenAI makes the handler of OpenAI's API; see package openai.
func (s *Server) likeOpenAI() (*openai.API, error) {
	return openai.New(openai.Config{
		Runner: s.cfg.Runner, Sessions: s.sessions, Models: s.cfg.Models, Model: s.cfg.Model, NoModel: s.cfg.NoModel,
		Inputs:  s.cfg.Inputs,
		Budgets: s.cfg.Budgets, System: s.cfg.System, Call: s.cfg.Call, SubCall: s.cfg.SubCall,
		DataDir: s.cfg.DataDir, MaxUpload: s.cfg.MaxUpload, MaxText: s.cfg.MaxText, Log: s.cfg.Log,
		Who:   func(r *http.Request) session.Person { return personOf(r.Context()) },
		Asked: func(who session.Person, did, id string, run int) { s.audit.asked(who.Name, "openai", did, id, run) },
	})
}

// isOpenAI reports whether a request is for OpenAI's API, so that a refusal must have its format.
func isOpenAI(r *http.Request) bool {
	return strings.HasPrefix(r.URL.Path+"/", "/v1/") || strings.HasPrefix(r.URL.Path, "/openai/")
}

// refuseIn refuses a request, either in the format of the requested API or as a page if a person will read it.
func refuseIn(w http.ResponseWriter, r *http.Request, e *session.Error) {
	if byPerson(r) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(statusOf(e))
		_, _ = w.Write(web.Refused(e.Message)) // fails only if the client is gone
		return
	}
	if !isOpenAI(r) {
		refuse(w, e)
		return
	}
	code := string(e.Code)
	if code == "token" {
		code = "invalid_api_key"
	}
	openai.Refuse(w, &openai.Failure{Status: statusOf(e), Code: code, Message: e.Message})
}
