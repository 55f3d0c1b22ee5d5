package api

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/gorlm/rlm/internal/kit/files"
)

// keyring knows who has access. It stores the server's token, and the browsers that logged in, in a file that only
// the user can read. Both outlive the server, so that an open page still works after a restart.
type keyring struct {
	file string

	mu   sync.Mutex
	kept serverFile
}

// serverFile is the content of the file.
type serverFile struct {
	Port     int                `json:"port,omitempty"`
	Token    string             `json:"token"`
	Browsers map[string]browser `json:"browsers,omitempty"` // by the hash of the cookie
}

// openKeyring reads the file, or creates it. Renewing replaces the token and logs out all browsers.
func openKeyring(dir string, renew bool) (*keyring, error) {
	k := &keyring{file: filepath.Join(dir, "server.json")}
	err := files.ReadJSON(k.file, &k.kept)
	if at := (*fs.PathError)(nil); errors.As(err, &at) {
		return nil, fmt.Errorf("read the server's token: %w", err)
	}
	if err != nil {
		return nil, fmt.Errorf("read the server's token: %s is damaged (%w); --new-token makes a new one", k.file, err)
	}
	if k.kept.Token == "" || renew {
		k.kept.Token, k.kept.Browsers = secret(), nil
	}
	return k, k.save()
}

// Running finds a running server of a data folder on the loopback interface, and returns its address and token.
func Running(ctx context.Context, dataDir string) (address, token string, ok bool) {
	var k serverFile
	if files.ReadJSON(filepath.Join(dataDir, "server.json"), &k) != nil || k.Port == 0 {
		return "", "", false
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	address = "http://" + net.JoinHostPort("127.0.0.1", strconv.Itoa(k.Port)) + "/"
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address+"api/v1/about", nil)
	if err != nil {
		return "", "", false
	}
	// Another program may use the port by now, so the token is not sent until the server has proved that it knows
	// the token.
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", "", false
	}
	defer res.Body.Close()
	return address, k.Token, res.Header.Get("Rlm-Server") == hashed("server of "+k.Token)
}

// Holder returns the process whose server uses a data folder, or used it last.
func Holder(dataDir string) files.Holder { return files.HolderOf(filepath.Join(dataDir, lockName)) }

// secret returns a new random secret of 256 bits.
func secret() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // never fails
	return base64.RawURLEncoding.EncodeToString(b)
}

// save writes the file. The caller holds mu, or is the only user of k.
func (k *keyring) save() error {
	if err := files.ReplaceJSON(k.file, k.kept); err != nil {
		return fmt.Errorf("save the server's token: %w", err)
	}
	return nil
}

// port returns the last port of the server; 0 if there is none.
func (k *keyring) port() int { return k.kept.Port }

func (k *keyring) setPort(port int) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.kept.Port = port
	return k.save()
}

func (k *keyring) token() string { return k.kept.Token }

// isToken compares s with the token, in constant time.
func (k *keyring) isToken(s string) bool {
	a, b := sha256.Sum256([]byte(s)), sha256.Sum256([]byte(k.kept.Token))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

func hashed(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}
