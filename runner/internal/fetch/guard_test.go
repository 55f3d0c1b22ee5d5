package fetch_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/dns/dnsmessage"

	"github.com/gorlm/rlm/runner/internal/fetch"
)

// names returns a resolver that uses a DNS server in this process, which answers each request with the address that
// answer returns for the name.
func names(t *testing.T, answer func(name string) string) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	done := make(chan struct{})
	t.Cleanup(func() {
		require.NoError(t, conn.Close())
		<-done
	})
	go func() {
		defer close(done)
		buf := make([]byte, 1500)
		for {
			n, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if m.Unpack(buf[:n]) != nil || len(m.Questions) != 1 {
				continue
			}
			q := m.Questions[0]
			reply := dnsmessage.Message{
				Header: dnsmessage.Header{ID: m.ID, Response: true, RecursionAvailable: true}, Questions: m.Questions,
			}
			if text := answer(strings.TrimSuffix(q.Name.String(), ".")); text == "" {
				reply.RCode = dnsmessage.RCodeNameError
			} else if a := netip.MustParseAddr(text); a.Is4() == (q.Type == dnsmessage.TypeA) {
				var body dnsmessage.ResourceBody = &dnsmessage.AAAAResource{AAAA: a.As16()}
				if a.Is4() {
					body = &dnsmessage.AResource{A: a.As4()}
				}
				reply.Answers = []dnsmessage.Resource{
					{Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class}, Body: body},
				}
			}
			if out, err := reply.Pack(); err == nil {
				_, _ = conn.WriteTo(out, from)
			}
		}
	}()
	var dialer net.Dialer
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return dialer.DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

// TestPrivateAddresses: private addresses are refused before a connection is made, in any notation.
func TestPrivateAddresses(t *testing.T) {
	for _, host := range []string{
		"127.0.0.1", "127.255.255.254", "0.0.0.0", "0.1.2.3", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1",
		"169.254.169.254", "169.254.1.1",
		"100.64.0.1", "100.127.255.255", "100.100.100.200", "192.0.0.192", "168.63.129.16", "198.18.0.1", "224.0.0.1",
		"239.255.255.250", "240.0.0.1",
		"255.255.255.255", "192.0.2.1", "[::]", "[::1]", "[fe80::1]", "[fe80::1%25lo]", "[fc00::1]", "[fd00:ec2::254]",
		"[fec0::1]", "[ff02::1]", "[2001:db8::1]",
		"[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::ffff:10.0.0.1]", "[::ffff:169.254.169.254]", "[::127.0.0.1]",
		"[64:ff9b::7f00:1]", "[64:ff9b::a9fe:a9fe]",
		"[64:ff9b::a00:1]", "[64:ff9b:1::1]", "[2002:7f00:1::1]", "[2002:a00:1::1]", "[2001:0:7f00:1::1]", "[100::1]",
	} {
		c := client()
		c.Private = false
		_, err := fetched(t, c, "http://"+host+":1/")
		require.ErrorContains(t, err, "not a public address", host)
		require.NotContains(t, err.Error(), "refused", "no connection was tried to %s", host)
	}
}

// TestNeverAddresses: some addresses are refused even if private ones are allowed.
func TestNeverAddresses(t *testing.T) {
	for _, host := range []string{
		"169.254.169.254", "[fe80::1%25lo]", "[fd00:ec2::254]", "100.100.100.200", "168.63.129.16",
		"[::ffff:169.254.169.254]", "[64:ff9b::a9fe:a9fe]",
	} {
		_, err := fetched(t, client(), "http://"+host+":1/")
		require.ErrorContains(t, err, "serves machines' credentials", host)
	}
	for _, host := range []string{"0.0.0.0", "[::]", "224.0.0.1", "255.255.255.255", "[ff02::1]", "[2002:7f00:1::1]"} {
		_, err := fetched(t, client(), "http://"+host+":1/")
		require.ErrorContains(t, err, "neither a public nor a private address", host)
	}
}

// TestNamesThatChange: the address of the connection counts, not an earlier resolution of the name.
func TestNamesThatChange(t *testing.T) {
	var asked atomic.Int32
	c := client()
	c.Private = false
	c.Resolver = names(t, func(string) string {
		if asked.Add(1)%2 == 1 {
			return "203.0.113.9"
		}
		return "127.0.0.1"
	})
	for range 4 {
		_, err := fetched(t, c, "http://rebound.test:1/")
		require.Error(t, err)
		require.NotContains(t, err.Error(), "connection refused")
	}
	private := map[string]string{"loopback.test": "127.0.0.1", "inner.test": "10.1.2.3", "meta.test": "169.254.169.254"}
	if l, err := net.Listen("tcp6", "[::1]:0"); err == nil { // IPv6 is available
		require.NoError(t, l.Close())
		private["six.test"], private["unique.test"] = "::1", "fd12::1"
	}
	for name, address := range private {
		c.Resolver = names(t, func(string) string { return address })
		_, err := fetched(t, c, "http://"+name+":1/")
		require.ErrorContains(t, err, "not a public address")
	}
	c.Resolver = names(t, func(string) string { return "" })
	_, err := fetched(t, c, "http://nowhere.test:1/")
	require.ErrorContains(t, err, "there is no host nowhere.test")
}

// TestWherePrivateURLsLead: private URLs reach their own host and port, and no other private address.
func TestWherePrivateURLsLead(t *testing.T) {
	other := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "secret") })
	var to string
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			_, _ = io.WriteString(w, "page")
			return
		}
		http.Redirect(w, r, to, http.StatusFound)
	})
	port := address[strings.LastIndexByte(address, ':'):]
	resolver := names(t, func(string) string { return "127.0.0.1" })
	for _, c := range []struct{ from, to, want string }{
		{"http://one.test" + port + "/go", "/", ""},
		{"http://one.test" + port + "/go", "http://ONE.test" + port + "/", ""},
		{
			"http://one.test" + port + "/go", "http://two.test" + port + "/",
			"it redirects to two.test" + port + ": 127.0.0.1 is not a public address",
		},
		{"http://one.test" + port + "/go", address + "/", "it redirects to 127.0.0.1"},
		{address + "/go", other, "it redirects to 127.0.0.1"},
		{address + "/go", "http://169.254.169.254/latest/", "serves machines' credentials"},
		{address + "/go", "http://localhost" + port + "/", "it redirects to localhost"},
		{address + "/go", "//[::ffff:127.0.0.1]" + port + "/", "not a public address"},
	} {
		client := client()
		client.Resolver, to = resolver, c.to
		g, err := fetched(t, client, c.from)
		if c.want == "" {
			require.NoError(t, err)
			require.Equal(t, "page", g.text)
			continue
		}
		require.ErrorContains(t, err, c.want)
		require.NotContains(t, g.text, "secret")
	}
}

// TestProxies: a proxy may be anywhere, because the person who runs the program named it. Private addresses are
// not requested from it, as far as they can be recognised here.
func TestProxies(t *testing.T) {
	var asked []string
	through := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.String())
		if r.URL.Path == "/away" {
			w.Header().Set("Location", "http://10.0.0.1/")
			w.WriteHeader(302)
			return
		}
		_, _ = io.WriteString(w, "through the proxy")
	})
	proxy, err := url.Parse(through)
	require.NoError(t, err)
	c := &fetch.Client{Proxy: http.ProxyURL(proxy), Resolver: names(t, func(name string) string {
		return map[string]string{"public.test": "9.9.9.9", "inner.test": "10.1.2.3"}[name]
	})}
	for _, address := range []string{"http://public.test/", "http://only-the-proxy-knows.test/"} {
		g, err := fetched(t, c, address)
		require.NoError(t, err, address)
		require.Equal(t, "through the proxy", g.text)
	}
	asked = nil
	for _, address := range []string{
		"http://inner.test/", "http://10.0.0.1/", "http://[::1]/", "http://169.254.169.254/", "http://localhost/",
	} {
		_, err := fetched(t, c, address)
		require.ErrorContains(t, err, "not a public address", address)
	}
	require.Empty(t, asked)
	_, err = fetched(t, c, "http://public.test/away")
	require.ErrorContains(t, err, "it redirects to 10.0.0.1")
	require.Equal(t, []string{"http://public.test/away"}, asked)
}
