package files

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
)

// ReadJSON reads the file at path into v, and does not change v if there is no file.
func ReadJSON(path string, v any) error {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(b, v)
}

// ReplaceJSON writes v to the file at path, indented; see Replace.
func ReplaceJSON(path string, v any) error {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return Replace(path, append(b, '\n'))
}
