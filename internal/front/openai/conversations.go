package openai

import (
	"errors"
	"net/http"
	"time"
)

var conversationFields = fields{
	"metadata": {},
	"items": {
		use: defaulted, ok: []string{"[]"},
		why: "a conversation starts with its first question: send the items as its input",
	},
}

type conversation struct {
	ID       string            `json:"id"`
	Object   string            `json:"object"`
	Created  int64             `json:"created_at"`
	Metadata map[string]string `json:"metadata"`
}

// newConversation returns a unique conversation id. Nothing is stored: the first question with an id begins its
// notebook.
func (a *API) newConversation(w http.ResponseWriter, r *http.Request) error {
	out := conversation{ID: newID("conv_"), Object: "conversation", Created: time.Now().Unix()}
	if r.ContentLength != 0 {
		in, err := a.read(w, r, conversationFields)
		if err != nil {
			return err
		}
		err = errors.Join(value(in.fields, "metadata", &out.Metadata), in.body.Close())
		if err != nil {
			return err
		}
	}
	if out.Metadata == nil {
		out.Metadata = map[string]string{}
	}
	send(w, http.StatusOK, out)
	return nil
}
