package llm

import (
	"errors"
	"fmt"
	"net/http"
)

// mostRedirects bounds the redirects within an endpoint.
const mostRedirects = 5

// sameEndpoint follows only redirects that keep scheme, host, port and method, because the prompt and the key are
// meant for the configured endpoint.
func sameEndpoint(req *http.Request, via []*http.Request) error {
	from := via[0]
	if len(via) > mostRedirects {
		return errors.New("the endpoint redirects too many times")
	}
	if req.URL.Scheme == from.URL.Scheme && req.URL.Host == from.URL.Host && req.Method == from.Method {
		return nil
	}
	to := PublicURL(req.URL.Scheme + "://" + req.URL.Host) // without the path, which may contain a secret
	return failure{as: ErrBadRequest, status: req.Response.StatusCode, message: fmt.Sprintf(
		"the redirect to %s was not followed, because prompt and key are only for the configured endpoint; if the model is there, set the base URL to it", to)}
}
