package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/gorlm/rlm/examples/recorded"
	"github.com/gorlm/rlm/internal/kit/startup"
	"github.com/gorlm/rlm/internal/testing/fakeapi"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
)

// The scripts under testdata/script run the command as a shell would, against a local endpoint that speaks real
// HTTP. They have these commands besides testscript's own:
//
//	endpoint FILE      start an endpoint that plays FILE (see fakeapi.Parse); sets OPENAI_BASE_URL and a key for it,
//	                   and ENDPOINT to its address without /v1
//	service NAME FILE  start an endpoint that behaves like a provider and plays FILE; SERVICE is its base URL,
//	                   SERVICE_KEY the key that it accepts
//	site DIR           serve the files of DIR at the address SITE; /moved/X redirects to X, /away to another port
//	calls N            the endpoint has received exactly N calls
//	waitcalls N        wait until it has received N calls
//	waitunlocked GLOB  wait until the locks are free; processes that a killed one was starting hold them for a moment
//	bytes FILE HEX     make a file of bytes that a script cannot contain
//	exits CODE ARG…    run rlm with these arguments, which must end with this code
//	sent TEXT          the last call contained TEXT (! sent: no call did)

const canary = "sk-canary-7d1f2b9e4c"

// endpointKey is the key of a script's endpoint.
type endpointKey struct{}

type holder struct{ s *fakeapi.Server }

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"rlm":         rlm,
		"nats-member": natsMember,
	})
}

// silenceVariable is the environment variable that shortens the silence of nodes that tests start.
const silenceVariable = "RLM_TEST_SILENCE"

// rlm is the main function of the command in scripts. Like main, it lets the heap grow.
func rlm() {
	startup.GrowHeap()
	silence, _ := time.ParseDuration(os.Getenv(silenceVariable)) // 0 means the default
	os.Exit(execute(context.Background(), os.Args[1:], silence))
}

func TestScripts(t *testing.T) {
	t.Parallel()
	documents, err := filepath.Abs("../../internal/documents/testdata/corpus")
	require.NoError(t, err)
	items, err := filepath.Abs("../../internal/eval/data/testdata")
	require.NoError(t, err)
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("XDG_CONFIG_HOME", env.WorkDir+"/config")
			env.Setenv("RLM_DATA_DIR", env.WorkDir+"/data")
			env.Setenv("OLLAMA_HOST", "127.0.0.1:1")
			env.Setenv("NO_PROXY", "127.0.0.1")
			env.Setenv("DOCUMENTS", documents)
			env.Setenv("ITEMS", items)
			env.Values[endpointKey{}] = &holder{}
			return nil
		},
		Condition: func(name string) (bool, error) {
			if name != "recorded" {
				return false, fmt.Errorf("there is no condition %q", name)
			}
			for _, ex := range recorded.Examples() {
				if strings.TrimSpace(ex.Replies) == "" {
					return false, nil
				}
			}
			return true, nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"endpoint":  startEndpoint,
			"service":   startService,
			"site":      startSite,
			"served":    startServer,
			"calls":     checkCalls,
			"waitcalls": waitCalls, "waitunlocked": waitUnlocked,
			"sent":  checkSent,
			"exits": checkExit,
			"bytes": makeBytes,
		},
	})
}

func startEndpoint(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 || neg {
		ts.Fatalf("usage: endpoint FILE")
	}
	rules, err := fakeapi.Parse(ts.ReadFile(args[0]))
	ts.Check(err)
	s := fakeapi.Start(rules...)
	ts.Defer(s.Close)
	ts.Value(endpointKey{}).(*holder).s = s
	ts.Setenv("OPENAI_BASE_URL", s.URL())
	ts.Setenv("OPENAI_API_KEY", canary)
	ts.Setenv("RLM_MODEL", "root")
	ts.Setenv("ENDPOINT", strings.TrimSuffix(s.URL(), "/v1"))
}

// startServer starts rlm serve over the script's data folder, sets SERVER to its address and RLM_SERVER_TOKEN
// to its token, and sets another data folder for later commands.
func startServer(ts *testscript.TestScript, neg bool, args []string) {
	bin, err := exec.LookPath("rlm")
	ts.Check(err)
	cmd := exec.Command(bin, append([]string{"serve", "--json", "--no-open", "--listen", "127.0.0.1:0"}, args...)...)
	cmd.Dir = ts.MkAbs(".")
	for _, name := range []string{
		"HOME", "XDG_CONFIG_HOME", "RLM_DATA_DIR", "OLLAMA_HOST", "NO_PROXY",
		"OPENAI_BASE_URL", "OPENAI_API_KEY", "RLM_MODEL", "PATH",
	} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	ts.Defer(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	})
	var at struct{ URL, Token string }
	ts.Check(json.NewDecoder(out).Decode(&at))
	ts.Setenv("SERVER", at.URL)
	ts.Setenv("RLM_SERVER_TOKEN", at.Token)
	ts.Setenv("SERVED_DATA", ts.Getenv("RLM_DATA_DIR"))
	ts.Setenv("RLM_DATA_DIR", ts.MkAbs("elsewhere"))
}

func startSite(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 || neg {
		ts.Fatalf("usage: site DIR")
	}
	other := httptest.NewServer(http.NotFoundHandler())
	ts.Defer(other.Close)
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir(ts.MkAbs(args[0]))))
	mux.HandleFunc("/moved/{name}", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/"+r.PathValue("name"), http.StatusFound)
	})
	mux.Handle("/away", http.RedirectHandler(other.URL, http.StatusFound))
	s := httptest.NewServer(mux)
	ts.Defer(s.Close)
	ts.Setenv("SITE", s.URL)
}

func startService(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 || neg {
		ts.Fatalf("usage: service NAME FILE")
	}
	rules, err := fakeapi.Parse(ts.ReadFile(args[1]))
	ts.Check(err)
	for _, service := range fakeapi.Services() {
		if service.Name == args[0] {
			s := fakeapi.PlayService(service, rules...)
			ts.Defer(s.Close)
			ts.Value(endpointKey{}).(*holder).s = s
			ts.Setenv("SERVICE", s.URL())
			ts.Setenv("SERVICE_KEY", fakeapi.ServiceKey)
			return
		}
	}
	ts.Fatalf("there is no service %s", args[0])
}

// endpoint returns the endpoint that the script has started.
func endpoint(ts *testscript.TestScript) *fakeapi.Server {
	s := ts.Value(endpointKey{}).(*holder).s
	if s == nil {
		ts.Fatalf("no endpoint was started")
	}
	return s
}

func checkExit(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 2 {
		ts.Fatalf("usage: exits CODE ARG…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	code := 0
	if err := ts.Exec("rlm", args[1:]...); err != nil {
		var ended *exec.ExitError
		if !errors.As(err, &ended) {
			ts.Fatalf("rlm did not run: %v", err)
		}
		code = ended.ExitCode()
	}
	if code != want {
		ts.Fatalf("the code is %d, not %d", code, want)
	}
}

func makeBytes(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: bytes FILE HEX")
	}
	data, err := hex.DecodeString(args[1])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), data, 0o600))
}

func count(ts *testscript.TestScript, args []string) int {
	if len(args) != 1 {
		ts.Fatalf("usage: calls N")
	}
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	return n
}

func checkCalls(ts *testscript.TestScript, neg bool, args []string) {
	if got, want := len(endpoint(ts).Requests()), count(ts, args); (got == want) == neg {
		ts.Fatalf("the endpoint has received %d calls", got)
	}
}

func waitUnlocked(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: waitunlocked GLOB")
	}
	locks, err := filepath.Glob(ts.MkAbs(args[0]))
	ts.Check(err)
	if len(locks) == 0 {
		ts.Fatalf("there is no %s", args[0])
	}
	for _, path := range locks {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
		lock := flock.New(path)
		_, err := lock.TryLockContext(ctx, 5*time.Millisecond)
		cancel()
		ts.Check(err)
		ts.Check(lock.Close())
	}
}

func waitCalls(ts *testscript.TestScript, _ bool, args []string) {
	want := count(ts, args)
	for end := time.Now().Add(2 * time.Minute); len(endpoint(ts).Requests()) < want; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			ts.Fatalf("the endpoint has received only %d calls", len(endpoint(ts).Requests()))
		}
	}
}

func checkSent(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: sent TEXT")
	}
	requests := endpoint(ts).Requests()
	if neg {
		for _, r := range requests {
			if bytes.Contains([]byte(r.Last()), []byte(args[0])) {
				ts.Fatalf("a call held %q", args[0])
			}
		}
		return
	}
	if len(requests) == 0 || !bytes.Contains([]byte(requests[len(requests)-1].Last()), []byte(args[0])) {
		ts.Fatalf("the last call did not hold %q: %s", args[0], requests[len(requests)-1].Last())
	}
}
