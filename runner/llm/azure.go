package llm

import (
	"net/http"
	"net/url"
	"strings"
)

// azureProvider is Azure OpenAI. It differs in three ways: a model is a deployment, whose name does not identify
// the model; the key has a separate header; and the path is that of the v1 interface, or contains deployment and
// version if a version is set.
func azureProvider() Provider {
	return Provider{
		Name: "azure", Title: "Azure OpenAI", Anywhere: true,
		KeyEnv: []string{"AZURE_OPENAI_API_KEY"}, URLEnv: []string{"AZURE_OPENAI_ENDPOINT"},
		VersionEnv: []string{"AZURE_OPENAI_API_VERSION", "OPENAI_API_VERSION"},
		Missing: []string{
			"the window and price of a deployment are known only from a profile (like = \"gpt-4o\")",
			"the list contains models, not deployments",
		},
		sign: func(h http.Header, key string) { h.Set("Api-Key", key) },
		base: func(raw string) string {
			raw = strings.TrimSuffix(strings.TrimSuffix(raw, "/v1"), "/openai")
			return raw + "/openai/v1"
		},
		prepare: func(c *Client) {
			if v := c.cfg.APIVersion; v != "" && v != "v1" && v != "preview" {
				c.listURL = strings.TrimSuffix(c.baseURL, "/v1")
				c.baseURL = strings.TrimSuffix(c.baseURL, "/v1") + "/deployments/" + url.PathEscape(c.model)
				c.version = v
			}
		},
	}
}
