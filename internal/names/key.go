package names

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/gorlm/rlm/internal/kit/text/decoding"
	"github.com/gorlm/rlm/runner/llm"
)

// providerKey returns the key of a provider: from the environment, else from the stored ones.
func (r *Resolver) providerKey(p llm.Provider) (key llm.Secret, from string, err error) {
	for _, name := range p.KeyEnv {
		if v := r.cfg.Getenv(name); v != "" {
			return llm.NewSecret(v), name, nil
		}
	}
	return r.stored(p.Name)
}

// profileKey returns a profile's own key.
func (r *Resolver) profileKey(ctx context.Context, name string, p Profile) (key llm.Secret, from string, err error) {
	switch {
	case p.KeyEnv != "":
		v := r.cfg.Getenv(p.KeyEnv)
		if v == "" {
			return key, "", fmt.Errorf("%s, which should contain its key, is not set", p.KeyEnv)
		}
		return llm.NewSecret(v), p.KeyEnv, nil
	case len(p.KeyCommand) > 0:
		key, err = commandKey(ctx, p.KeyCommand)
		return key, "its command", err
	}
	return r.stored(name)
}

func (r *Resolver) stored(name string) (key llm.Secret, from string, err error) {
	if r.cfg.Keys == nil {
		return key, "", nil
	}
	key, err = r.cfg.Keys.Get(name)
	if key.Empty() {
		return key, "", err
	}
	return key, "the key file", err
}

// commandPatience is how long a command may take to print a key: somebody may have to unlock a password store.
const commandPatience = time.Minute

// commandKey runs a command that prints a key. No error contains its output.
func commandKey(ctx context.Context, command []string) (llm.Secret, error) {
	ctx, cancel := context.WithTimeout(ctx, commandPatience)
	defer cancel()
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stdout = &out
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); err != nil {
		return llm.Secret{}, fmt.Errorf("the command for its key, %s, failed: %w", command[0], err)
	}
	key := strings.TrimSpace(string(decoding.Bytes(out.Bytes())))
	if key == "" {
		return llm.Secret{}, fmt.Errorf("the command for its key, %s, printed nothing", command[0])
	}
	return llm.NewSecret(key), nil
}
