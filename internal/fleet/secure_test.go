package fleet_test

import (
	"crypto/tls"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"
	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/internal/fleet"
	"github.com/gorlm/rlm/internal/testing/certificate"
)

// secured returns the TLS configuration of a server on this machine, and the file with which others check its
// certificate.
func secured(t *testing.T) (*tls.Config, string) {
	t.Helper()
	server, authority := certificate.New(t)
	path := filepath.Join(t.TempDir(), "ca.pem")
	require.NoError(t, os.WriteFile(path, authority, 0o600))
	return server, path
}

// runsAJob checks that a batch of one job can be submitted, run and read through a server.
func runsAJob(t *testing.T, s fleet.Server) {
	t.Helper()
	s.DataDir = t.TempDir()
	q, err := fleet.Connect(t.Context(), s)
	require.NoError(t, err)
	q.Hurry(10)
	t.Cleanup(func() { _ = q.Close() })
	_, err = fleet.Submit(t.Context(), q, fleet.Batch{ID: "b"}, jobs(1), fleet.Submission{})
	require.NoError(t, err)
	stop := working(t, nodeOf(q, t.TempDir(), 1, &model{}))
	got, err := awaited(t, q, "b")
	require.NoError(t, err)
	require.Equal(t, fleet.Done, got["0"].State)
	require.NoError(t, stop())
}

// refused checks that a server rejects a connection, and returns the error's text.
func refused(t *testing.T, s fleet.Server) string {
	t.Helper()
	s.DataDir = t.TempDir()
	_, err := fleet.Connect(t.Context(), s)
	require.Error(t, err)
	return err.Error()
}

// A hub that others can reach is named by its certificate, speaks TLS only, and requires a token.
func TestAHubBeyondThisMachineIsSecure(t *testing.T) {
	t.Parallel()
	config, ca := secured(t)
	hub, err := fleet.StartHub(
		fleet.HubConfig{Listen: "0.0.0.0:0", Dir: t.TempDir(), Nodes: []string{"one", "two"}, TLS: config})
	require.NoError(t, err)
	t.Cleanup(func() { _ = hub.Close() })
	url := hub.URL("one")
	require.Contains(t, url, "@localhost:")
	runsAJob(t, fleet.Server{URL: url, CA: ca})

	require.Contains(t, refused(t, fleet.Server{URL: url}), "certificate")
	token := url[strings.Index(url, "one:")+4 : strings.Index(url, "@")]
	for _, wrong := range []string{strings.Replace(url, token, "WRONG", 1), strings.Replace(url, "one:", "two:", 1)} {
		told := refused(t, fleet.Server{URL: wrong, CA: ca})
		require.Contains(t, told, "refused the connection")
		require.NotContains(t, told, token)
		require.NotContains(t, told, "WRONG")
	}
	open := strings.Replace(url, "tls://", "nats://", 1)
	require.Contains(t, refused(t, fleet.Server{URL: open}), "certificate", "nobody is let in without TLS")
}

// Existing servers accept a file of credentials.
func TestCredentialsLetIn(t *testing.T) {
	t.Parallel()
	operator, err := nkeys.CreateOperator()
	require.NoError(t, err)
	public := func(k nkeys.KeyPair) string {
		name, err := k.PublicKey()
		require.NoError(t, err)
		return name
	}
	accounts := &server.MemAccResolver{}
	member := func(limits jwt.JetStreamLimits) nkeys.KeyPair {
		account, err := nkeys.CreateAccount()
		require.NoError(t, err)
		claims := jwt.NewAccountClaims(public(account))
		claims.Limits.JetStreamLimits = limits
		signed, err := claims.Encode(operator)
		require.NoError(t, err)
		require.NoError(t, accounts.Store(public(account), signed))
		return account
	}
	system := member(jwt.JetStreamLimits{})
	account := member(jwt.JetStreamLimits{MemoryStorage: -1, DiskStorage: -1, Streams: -1, Consumer: -1})
	creds := func(by nkeys.KeyPair) string {
		user, err := nkeys.CreateUser()
		require.NoError(t, err)
		token, err := jwt.NewUserClaims(public(user)).Encode(by)
		require.NoError(t, err)
		seed, err := user.Seed()
		require.NoError(t, err)
		text, err := jwt.FormatUserConfig(token, seed)
		require.NoError(t, err)
		path := filepath.Join(t.TempDir(), "user.creds")
		require.NoError(t, os.WriteFile(path, text, 0o600))
		return path
	}
	config, ca := secured(t)
	s, err := server.NewServer(&server.Options{
		ServerName: "other", Host: "127.0.0.1", Port: server.RANDOM_PORT, NoSigs: true, JetStream: true,
		StoreDir: t.TempDir(), DisableJetStreamBanner: true,
		TrustedKeys: []string{public(operator)}, SystemAccount: public(system), AccountResolver: accounts, TLS: true,
		TLSConfig: config, TLSTimeout: 5,
	})
	require.NoError(t, err)
	s.Start()
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	require.True(t, s.ReadyForConnections(time.Minute))
	url := "tls://" + s.Addr().String()
	runsAJob(t, fleet.Server{URL: url, CA: ca, Creds: creds(account)})
	stranger, err := nkeys.CreateAccount()
	require.NoError(t, err)
	require.Contains(t, refused(t, fleet.Server{URL: url, CA: ca, Creds: creds(stranger)}),
		"refused the connection")
	require.Contains(t, refused(t, fleet.Server{URL: url, CA: ca}), "refused the connection")
}
