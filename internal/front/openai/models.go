package openai

import (
	"net/http"
	"slices"
	"strings"

	"github.com/gorlm/rlm/internal/kit/text"
)

// modelName is the name of the server's default model; modelName/NAME is the name of another configured model.
const modelName = "rlm"

type model struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	OwnedBy string `json:"owned_by"`
}

func (a *API) models() []model {
	out := []model{{modelName, "model", 0, "rlm"}}
	for _, name := range a.cfg.Models {
		out = append(out, model{modelName + "/" + name, "model", 0, "rlm"})
	}
	return out
}

// list is a list in the form of OpenAI's API.
type list[T any] struct {
	Object  string `json:"object"`
	Data    []T    `json:"data"`
	HasMore bool   `json:"has_more"`
}

func (a *API) listModels(w http.ResponseWriter, _ *http.Request) error {
	send(w, http.StatusOK, list[model]{Object: "list", Data: a.models()})
	return nil
}

func (a *API) oneModel(w http.ResponseWriter, r *http.Request) error {
	id := r.PathValue("model")
	if _, err := a.named(id); err != nil {
		return err
	}
	send(w, http.StatusOK, model{id, "model", 0, "rlm"})
	return nil
}

// named returns the configured model for a model name of this endpoint; "" means the server's default.
func (a *API) named(id string) (string, error) {
	if id == modelName {
		return "", nil
	}
	if name, ok := strings.CutPrefix(id, modelName+"/"); ok && slices.Contains(a.cfg.Models, name) {
		return name, nil
	}
	return "", a.noModel("model", id)
}

// configured returns an error for a model that is not configured.
func (a *API) configured(param, name string) error {
	if name == "" || slices.Contains(a.cfg.Models, name) {
		return nil
	}
	return a.noModel(param, name)
}

func (a *API) noModel(param, name string) error {
	var all []string
	for _, m := range a.models() {
		all = append(all, m.ID)
	}
	return &Failure{
		Status: http.StatusNotFound, Code: "model_not_found", Param: param,
		Message: "the model '" + text.Short(name, 64) + "' does not exist: available are " + strings.Join(all, ", ") +
			"; the server's configuration can add others",
	}
}
