package corpus_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gorlm/rlm/runner/internal/corpus"
)

// gitFiles returns the files below dir that git would add, according to git.
func gitFiles(t *testing.T, repo, dir string) []string {
	t.Helper()
	cmd := exec.Command("git", "-C", dir, "-c", "core.quotePath=false", "ls-files", "-z", "--others",
		"--exclude-standard", ".")
	out, err := cmd.Output()
	require.NoError(t, err)
	names := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	slices.Sort(names)
	return slices.DeleteFunc(names, func(s string) bool { return s == "" })
}

// ourFiles returns the documents of a text of dir, relative to it.
func ourFiles(t *testing.T, dir string) []string {
	t.Helper()
	text, err := corpus.Build(t.Context(), []corpus.Source{{Path: dir}})
	if err != nil { // no file is left
		require.ErrorContains(t, err, "ignored by")
		return []string{}
	}
	defer text.Close()
	names := []string{}
	for _, d := range text.Documents() {
		names = append(names, strings.TrimPrefix(d.Name, dir+"/"))
	}
	slices.Sort(names)
	return names
}

func gitInit(t *testing.T, dir string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skipf("SKIP %s: there is no git to compare with", t.Name())
	}
	require.NoError(t, exec.Command("git", "init", "-q", dir).Run())
}

// TestIgnoreAgreesWithGit compares with git on random trees and patterns made of relevant pieces.
func TestIgnoreAgreesWithGit(t *testing.T) {
	t.Parallel()
	names := []string{"a", "b", "ab", "a.log", "b.log", ".hid", "x y", "a]b", "foo", "é.txt", "a\\b", "!c", "#d"}
	pieces := []string{
		"a", "b", "foo", "*", "**", "?", ".log", "[ab]", "[!a]", "[^b]", "[a-c]", "[]]", "/", "/", "!", "\\*", "\\!",
		"\\#", " ", "\\ ", ".", "é", "x y",
		"[[:alpha:]]", "***", "[a", "\\", "ab", "#", "[!]a]", "[a\\]]", "[.-x]",
	}
	rounds := 40
	if os.Getenv("RLM_LONG") != "" {
		rounds = 1000
	}
	for seed := range rounds {
		r := rand.New(rand.NewPCG(uint64(seed), 7))
		pick := func(from []string) string { return from[r.IntN(len(from))] }
		pattern := func() string {
			var b strings.Builder
			for range 1 + r.IntN(5) {
				b.WriteString(pick(pieces))
			}
			return b.String()
		}
		dir := t.TempDir()
		gitInit(t, dir)
		folders := []string{"."}
		for range 40 {
			folder := pick(folders)
			name := path.Join(folder, pick(names))
			full := filepath.Join(dir, name)
			if _, err := os.Lstat(full); err == nil {
				continue
			}
			if r.IntN(3) == 0 {
				require.NoError(t, os.Mkdir(full, 0o755))
				folders = append(folders, name)
				continue
			}
			require.NoError(t, os.WriteFile(full, []byte("x\n"), 0o644))
		}
		var rules []string
		for _, folder := range folders {
			if folder != "." && r.IntN(3) > 0 {
				continue
			}
			var lines []string
			for range 1 + r.IntN(4) {
				lines = append(lines, pattern())
			}
			rules = append(rules, fmt.Sprintf("%s/.gitignore: %q", folder, lines))
			require.NoError(t, os.WriteFile(
				filepath.Join(dir, folder, ".gitignore"), []byte(strings.Join(lines, "\n")+"\n"), 0o644))
		}
		require.Equal(t, gitFiles(t, dir, dir), ourFiles(t, dir), "seed %d\n%s", seed, strings.Join(rules, "\n"))
	}
}

func TestRulesOfTheRepositoryAroundAFolder(t *testing.T) {
	dir := tree(t, map[string]string{
		".gitignore":         "*.tmp\n/src/gen/\nbuild/\n!keep.tmp\n",
		".git/info/exclude":  "secret.txt\n",
		"src/a.go":           "x",
		"src/a.tmp":          "x",
		"src/keep.tmp":       "x",
		"src/secret.txt":     "x",
		"src/gen/g.go":       "x",
		"src/sub/.gitignore": "b.go\n",
		"src/sub/b.go":       "x",
		"src/sub/gen/c.go":   "x",
		"build/out.txt":      "x",
		"build/x.tmp":        "x",
	})
	require.Equal(t, []string{"a.go", "keep.tmp", "sub/.gitignore", "sub/gen/c.go"}, ourFiles(t, dir+"/src"))
	require.Equal(t, []string{"out.txt", "x.tmp"}, ourFiles(t, dir+"/build"), "a folder that was named is wanted")
	text := build(t, corpus.Source{Path: dir})
	var skipped []string
	for _, s := range text.Skipped() {
		skipped = append(skipped, strings.TrimPrefix(s.Name, dir+"/")+": "+strings.ReplaceAll(s.Reason, dir+"/", ""))
	}
	require.Equal(t, []string{
		".git: git's own data", "build: ignored by .gitignore", "src/a.tmp: ignored by .gitignore",
		"src/gen: ignored by .gitignore", "src/secret.txt: ignored by .git/info/exclude",
		"src/sub/b.go: ignored by src/sub/.gitignore",
	}, skipped)
}

// Rules outside .gitignore files apply too: those of the user, of the repository that a linked worktree shares,
// and of nested repositories.
func TestRulesOutsideOfTheTree(t *testing.T) {
	home := tree(t, map[string]string{
		".gitconfig":      "[user]\n\tname = x # me\n[include]\n\tpath = more\n[core]\n\tautocrlf\n",
		"more":            "[CORE] ExcludesFile = \"~/my rules\" ; mine\n",
		"my rules":        "*.mine\n!deep.mine\n",
		"xdg/git/ignore":  "*.xdg\n",
		"repo/a.go":       "x",
		"repo/a.mine":     "x",
		"repo/deep.mine":  "x",
		"repo/a.xdg":      "x",
		"repo/shared":     "x",
		"repo/.gitignore": "a.tmp\n!shared\n",
	})
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", home+"/xdg")
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	repo, linked := home+"/repo", home+"/linked"
	gitInit(t, repo)
	for _, args := range [][]string{
		{"-c", "user.email=x@x", "commit", "-q", "--allow-empty", "-m", "x"}, {"worktree", "add", "-q", linked},
	} {
		require.NoError(t, exec.Command("git", append([]string{"-C", repo}, args...)...).Run())
	}
	for name, text := range map[string]string{
		"repo/.git/info/exclude": "shared\nlocal\n", "linked/local": "x", "linked/a.mine": "x", "linked/b": "x",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(home, name), []byte(text), 0o600))
	}
	check := func(want ...string) {
		t.Helper()
		require.Equal(t, gitFiles(t, repo, repo), ourFiles(t, repo))
		require.Equal(t, want, ourFiles(t, linked))
		require.Equal(t, gitFiles(t, linked, linked), ourFiles(t, linked))
	}
	check("b")
	require.NoError(t, exec.Command("git", "-C", repo, "config", "core.excludesFile", "").Run())
	check("a.mine", "b")
	require.NoError(t, exec.Command("git", "-C", repo, "config", "--unset", "core.excludesFile").Run())
	require.NoError(t, os.WriteFile(home+"/more", nil, 0o600))
	check("a.mine", "b")
	require.NotContains(t, ourFiles(t, repo), "a.xdg", "where git looks by itself")
	require.NotContains(t, ourFiles(t, home), "linked/local", "a repository in what is read")

	fifo := "mkfifo " + home + "/pipe && git -C " + repo + " config core.excludesFile " + home + "/pipe"
	require.NoError(t, exec.Command("sh", "-c", fifo).Run())
	require.Contains(t, ourFiles(t, repo), "a.mine", "a pipe is not waited for")
}
