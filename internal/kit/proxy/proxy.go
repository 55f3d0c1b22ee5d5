// Package proxy finds the proxy of a request in the environment, as curl does: in HTTP_PROXY or HTTPS_PROXY, else
// in ALL_PROXY, unless NO_PROXY names the host.
package proxy

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"

	"golang.org/x/net/http/httpproxy"
)

// FromEnvironment returns a function that finds the proxy of a request, according to the present environment: nil
// for none. Its error is for an unusable proxy, and does not contain a password in the proxy's address.
func FromEnvironment() func(*http.Request) (*url.URL, error) {
	c := httpproxy.FromEnvironment()
	all := cmp.Or(os.Getenv("all_proxy"), os.Getenv("ALL_PROXY"))
	c.HTTPProxy, c.HTTPSProxy = cmp.Or(c.HTTPProxy, all), cmp.Or(c.HTTPSProxy, all)
	c.NoProxy = without(c.NoProxy)
	find := c.ProxyFunc()
	return func(r *http.Request) (*url.URL, error) {
		named := c.HTTPSProxy
		if r.URL.Scheme == "http" {
			named = c.HTTPProxy
		}
		through, err := find(r.URL)
		if err != nil || named == "" {
			return through, err
		}
		if through == nil && usable(named) {
			return nil, nil // NO_PROXY names the host
		}
		if !usable(named) {
			// The package ignores an invalid URL, and the request would bypass the proxy.
			return nil, fmt.Errorf("the proxy set in the environment for %s cannot be used: "+
				"its address must begin with http, https, socks5 or socks5h", r.URL.Scheme)
		}
		return through, nil
	}
}

func usable(address string) bool {
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return false
	}
	switch u.Scheme {
	case "http", "https", "socks5", "socks5h":
		return true
	}
	return false
}

// without normalises a list of hosts as curl reads it: blanks are separators as well, and a host that begins with
// a dot includes the domain itself.
func without(list string) string {
	hosts := strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' })
	for i, h := range hosts {
		hosts[i] = strings.Trim(h, ".")
	}
	return strings.Join(hosts, ",")
}
