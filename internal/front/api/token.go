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

// keyring knows who may speak: it keeps the token that the server prints, and the browsers that were let in by it, in a file that only
// the user can read. Both outlive the server, so that an open page goes on by itself after a restart.
type keyring struct {
	file string

	mu   sync.Mutex
	kept serverFile
}

// serverFile is what the file holds.
type serverFile struct {
	Port     int                `json:"port,omitempty"`
	Token    string             `json:"token"`
	Browsers map[string]browser `json:"browsers,omitempty"` // by the hash of their cookie
}

// openKeyring reads the file, or makes it. A new token takes the place of the old one and of all that it let in.
func openKeyring(dir string, renew bool) (*keyring, error) {
	k := &keyring{file: filepath.Join(dir, "server.json")}
	err := files.ReadJSON(k.file, &k.kept)
	if at := (*fs.PathError)(nil); errors.As(err, &at) {
		return nil, fmt.Errorf("read the server's token: %w", err)
	}
	if err != nil {
		return nil, fmt.Errorf("read the server's token: %s is damaged (%w); --new-token makes another", k.file, err)
	}
	if k.kept.Token == "" || renew {
		k.kept.Token, k.kept.Browsers = secret(), nil
	}
	return k, k.save()
}

// Running finds a server of a data folder that runs on the loopback: its address and its token.
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
	// Another program may have the port by now; it is not told the token before it shows that it knows it.
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", "", false
	}
	defer res.Body.Close()
	return address, k.Token, res.Header.Get("Rlm-Server") == hashed("server of "+k.Token)
}

// Holder is the process whose server works with a data folder, or did last.
func Holder(dataDir string) files.Holder { return files.HolderOf(filepath.Join(dataDir, lockName)) }

// secret is a new one of 256 bits.
func secret() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // never fails
	return base64.RawURLEncoding.EncodeToString(b)
}

// save writes the file. The caller holds mu or is alone.
func (k *keyring) save() error {
	if err := files.ReplaceJSON(k.file, k.kept); err != nil {
		return fmt.Errorf("keep the server's token: %w", err)
	}
	return nil
}

// port is the one that was used the last time, 0 if there is none.
func (k *keyring) port() int { return k.kept.Port }

func (k *keyring) setPort(port int) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.kept.Port = port
	return k.save()
}

func (k *keyring) token() string { return k.kept.Token }

// isToken compares in constant time.
func (k *keyring) isToken(s string) bool {
	a, b := sha256.Sum256([]byte(s)), sha256.Sum256([]byte(k.kept.Token))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

func hashed(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}
