package api

import (
	"context"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strings"
)

type prefixKey struct{}

// based records the path below which browsers find the server: Config.BasePath, or the prefix that a proxy reports
// having removed.
func (s *Server) based(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = oneSlash(r)
		prefix := s.cfg.BasePath
		if prefix == "" {
			prefix = strings.TrimSuffix(r.Header.Get("X-Forwarded-Prefix"), "/")
		}
		if !IsBasePath(prefix) {
			next.ServeHTTP(w, r)
			return
		}
		r = r.WithContext(context.WithValue(r.Context(), prefixKey{}, prefix))
		if rest, ok := strings.CutPrefix(r.URL.Path, s.cfg.BasePath); ok && s.cfg.BasePath != "" &&
			(rest == "" || rest[0] == '/') {
			at := *r.URL
			at.Path, at.RawPath = "/"+strings.TrimPrefix(rest, "/"), strings.TrimPrefix(r.URL.RawPath, s.cfg.BasePath)
			r.URL = &at
		}
		next.ServeHTTP(w, r)
	})
}

// oneSlash merges repeated slashes in a request's path. They come from clients that join a base URL ending in a
// slash with a path beginning with one. The mux would redirect instead, but not every client sends its body again,
// and the redirect lacks the prefix.
func oneSlash(r *http.Request) *http.Request {
	if !strings.Contains(r.URL.Path, "//") {
		return r
	}
	many, out := regexp.MustCompile("//+"), *r
	at := *r.URL
	at.Path, at.RawPath = many.ReplaceAllString(at.Path, "/"), many.ReplaceAllString(at.RawPath, "/")
	out.URL = &at
	return &out
}

// IsBasePath reports whether p is a path such as /rlm or /tools/rlm.
func IsBasePath(p string) bool {
	u, err := url.Parse(p)
	return err == nil && strings.HasPrefix(p, "/") && len(p) > 1 && path.Clean(p) == p && u.Path == p &&
		u.EscapedPath() == p && !strings.ContainsAny(p, `"'<>&;`)
}

// prefixOf returns the path below which the browser that sent a request finds the server; "" if there is none.
func prefixOf(r *http.Request) string {
	prefix, _ := r.Context().Value(prefixKey{}).(string)
	return prefix
}
