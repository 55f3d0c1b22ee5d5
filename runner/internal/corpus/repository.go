package corpus

import (
	"bytes"
	"cmp"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// mostRules bounds the git files that are read whole, in bytes: a repository may come from somebody else.
const mostRules = 16 << 20

// readRules reads a git file, whose path may come from git's configuration: it must be a regular file.
func readRules(file string) ([]byte, bool) {
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() {
		return nil, false
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, false
	}
	defer f.Close() // an error after reading does not matter
	data, err := io.ReadAll(io.LimitReader(f, mostRules))
	return data, err == nil
}

// excludes returns the rules of a repository that are not in a .gitignore: those of the user for all repositories,
// and those of this one, which linked worktrees share. They are ordered so that .gitignore files take precedence,
// as in git. base is the top of the repository, relative to the walk; "" if they are the same.
func excludes(top, base string) (files []ignoreFile) {
	own, common := gitFolders(top)
	if own == "" {
		return nil
	}
	for _, file := range []string{excludesFile(top, own, common), filepath.Join(common, "info", "exclude")} {
		if data, ok := readRules(file); ok {
			name := file
			if rel, err := filepath.Rel(top, file); err == nil && filepath.IsLocal(rel) {
				name = filepath.ToSlash(rel)
			}
			if rules, err := parseIgnore(bytes.NewReader(data), name, base); err == nil {
				files = append(files, rules)
			}
		}
	}
	return files
}

// gitFolders are the folders for the data of a working tree, and for the data that it shares with others: the same
// folder, unless .git is a file that refers to another. Both are empty if there is no repository.
func gitFolders(top string) (own, common string) {
	own = filepath.Join(top, ".git")
	info, err := os.Stat(own)
	if err != nil {
		return "", ""
	}
	if !info.IsDir() {
		data, _ := readRules(own)
		to, ok := strings.CutPrefix(strings.TrimSpace(string(data)), "gitdir: ")
		if !ok {
			return "", ""
		}
		own = from(top, to)
	}
	if data, ok := readRules(filepath.Join(own, "commondir")); ok {
		return own, from(own, strings.TrimSpace(string(data)))
	}
	return own, own
}

// from resolves a path that is relative to a folder, or to the user's home.
func from(dir, path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// excludesFile is the user's file of rules for all repositories: core.excludesFile, else git's default.
func excludesFile(top, own, common string) string {
	home, _ := os.UserHomeDir() // without a home only the environment counts
	xdg := filepath.Join(cmp.Or(os.Getenv("XDG_CONFIG_HOME"), filepath.Join(home, ".config")), "git")
	file := filepath.Join(xdg, "ignore")
	var configs []string
	if v := os.Getenv("GIT_CONFIG_NOSYSTEM"); v == "" || v == "0" || v == "false" {
		configs = append(configs, cmp.Or(os.Getenv("GIT_CONFIG_SYSTEM"), "/etc/gitconfig"))
	}
	if global := os.Getenv("GIT_CONFIG_GLOBAL"); global != "" {
		configs = append(configs, global)
	} else {
		configs = append(configs, filepath.Join(xdg, "config"), filepath.Join(home, ".gitconfig"))
	}
	for _, config := range append(configs, filepath.Join(common, "config"), filepath.Join(own, "config.worktree")) {
		gitConfig(config, 0, func(key, value string) {
			if key == "core.excludesfile" {
				file = from(top, value)
				if value == "" {
					file = ""
				}
			}
		})
	}
	return file
}

// mostIncludes bounds the depth of includes in git's configuration.
const mostIncludes = 10

// gitConfig calls set with the settings of a file, in order, including those of unconditionally included files.
// Keys are in lower case.
func gitConfig(file string, depth int, set func(key, value string)) {
	data, ok := readRules(file)
	if !ok || depth > mostIncludes {
		return
	}
	section := ""
	text := strings.NewReplacer("\r\n", "\n", "\\\n", "").Replace(strings.TrimPrefix(string(data), "\uFEFF"))
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if head, rest, ok := strings.Cut(line, "]"); ok && strings.HasPrefix(head, "[") {
			section, line = strings.ToLower(head[1:]), strings.TrimSpace(rest)
		}
		key, value, _ := strings.Cut(line, "=")
		key = strings.ToLower(strings.TrimSpace(key))
		if key == "" || key[0] == '#' || key[0] == ';' {
			continue
		}
		value = gitValue(value)
		if section == "include" && key == "path" {
			gitConfig(from(filepath.Dir(file), value), depth+1, set)
			continue
		}
		set(section+"."+key, value)
	}
}

// gitValue is the value of a setting without quotes and comments.
func gitValue(raw string) string {
	var b strings.Builder
	quoted := false
	raw = strings.TrimSpace(raw)
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\\' && i+1 < len(raw):
			i++
			b.WriteByte(raw[i])
		case (c == '#' || c == ';') && !quoted:
			return strings.TrimSpace(b.String())
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
