package server

import (
	"net/http"
	"strings"

	"github.com/gorlm/rlm/internal/server/openai"
	"github.com/gorlm/rlm/internal/server/page"
)

// likeOpenAI makes the endpoint that speaks OpenAI's API; see package openai.
func (s *Server) likeOpenAI() (*openai.API, error) {
	return openai.New(openai.Config{
		Runner: s.cfg.Runner, Sessions: s.sessions, Models: s.cfg.Models, Model: s.cfg.Model, NoModel: s.cfg.NoModel, Inputs: s.cfg.Inputs,
		Budgets: s.cfg.Budgets, System: s.cfg.System, Call: s.cfg.Call, SubCall: s.cfg.SubCall,
		Keys: s.requests, DataDir: s.cfg.DataDir, MaxUpload: s.cfg.MaxUpload, MaxText: s.cfg.MaxText, Log: s.cfg.Log,
		Who: func(r *http.Request) openai.Caller {
			who := personOf(r.Context())
			return openai.Caller{Name: who.Name, Owner: who.Owner}
		},
		May: func(who openai.Caller, session string) bool {
			return s.owners.may(Person{who.Name, who.Owner}, session)
		},
		Belongs: func(who openai.Caller, session string) error {
			person := Person{who.Name, who.Owner}
			if err := s.room(person); err != nil || person.Owner {
				return err
			}
			return s.owners.set(session, owned{Owner: who.Name})
		},
		Admit: s.admitAPI,
		Asked: func(who openai.Caller, did, session string, run int) {
			s.audit.asked(who.Name, "openai", did, session, run)
		},
	})
}

// isOpenAI reports whether a request speaks OpenAI's API, and is refused in its way.
func isOpenAI(r *http.Request) bool { return strings.HasPrefix(r.URL.Path, "/v1/") }

// refuseIn refuses a request in the way of the API that it speaks, or in words if a person looks at the answer.
func refuseIn(w http.ResponseWriter, r *http.Request, f *failure) {
	if byPerson(r) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(f.status)
		_, _ = w.Write(page.Refused(f.message)) // nobody is left to be told
		return
	}
	if !isOpenAI(r) {
		refuse(w, f)
		return
	}
	code := f.code
	if code == "token" {
		code = "invalid_api_key"
	}
	openai.Refuse(w, &openai.Failure{Status: f.status, Code: code, Message: f.message})
}
