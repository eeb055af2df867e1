package provider

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"unicode/utf8"

	"tilth/internal/domain/device"
)

const (
	minTokenLength   = 32 // characters
	maxTokens        = 2  // in a file, for rotation
	maxTokenFileSize = 4 << 10
)

// Tokens checks the provider's tokens: the one that was given at the start, or those of a file,
// which is read again after it changed.
type Tokens struct {
	file string // empty: the token was given at the start

	mu       sync.Mutex
	fileInfo fs.FileInfo // of the file version from which hashes were read
	hashes   [][sha256.Size]byte
	err      error
}

// NewTokens takes the token of the environment or, if that is empty, those of the file: one a line,
// at most two, each of 32 characters or more. If the file does not exist, NewTokens makes it with a
// new token, readable by its owner alone.
func NewTokens(env, file string) (*Tokens, error) {
	if env = strings.TrimSpace(env); env != "" {
		hashes, err := parseTokens(env)
		if err == nil && len(hashes) > 1 {
			err = errors.New("give exactly one token")
		}
		if err != nil {
			return nil, fmt.Errorf("TILTH_PROVIDER_TOKEN: %w", err)
		}
		return &Tokens{hashes: hashes}, nil
	}
	if err := makeTokenFile(file); err != nil {
		return nil, err
	}
	t := &Tokens{file: file}
	t.reloadIfChanged()
	return t, t.err
}

// makeTokenFile makes the file unless it exists. The file appears whole or not at all, so that a
// crash leaves no empty file; a temporary file that a crash leaves is overwritten at the next
// start. No other server starts on the same folder meanwhile.
func makeTokenFile(file string) error {
	_, err := os.Stat(file)
	if err == nil {
		return nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("provider token: %w", err)
	}
	f, err := os.OpenFile(file+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("provider token: %w", err)
	}
	_, err = f.WriteString(device.GenerateSecret(false) + "\n")
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		return fmt.Errorf("provider token: %w", errors.Join(err, os.Remove(f.Name())))
	}
	return nil
}

// parseTokens reads one or two tokens, one a line. The error names the lines with invalid tokens;
// the tokens of the other lines are returned all the same.
func parseTokens(text string) (hashes [][sha256.Size]byte, err error) {
	number := 0
	for line := range strings.Lines(text) {
		number++
		token := strings.TrimSpace(line)
		switch {
		case token == "":
		case utf8.RuneCountInString(token) < minTokenLength:
			err = errors.Join(
				err,
				fmt.Errorf("line %d: a token must have %d characters or more", number, minTokenLength),
			)
		case strings.ContainsAny(token, " \t"):
			err = errors.Join(err, fmt.Errorf("line %d: a token must not have spaces", number))
		default:
			hashes = append(hashes, sha256.Sum256([]byte(token)))
		}
	}
	if n := len(hashes); n > maxTokens || n == 0 && err == nil {
		return nil, fmt.Errorf("give one or two tokens, one a line; there are %d", n)
	}
	return hashes, err
}

// Allows tells whether a token is valid, and takes the same time for every token. The error says
// what is wrong with the file; the file's valid tokens stay valid.
func (t *Tokens) Allows(token string) (bool, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.file != "" {
		t.reloadIfChanged()
	}
	asked := sha256.Sum256([]byte(token))
	match := 0
	for _, h := range t.hashes {
		match |= subtle.ConstantTimeCompare(asked[:], h[:])
	}
	return match == 1, t.err
}

// reloadIfChanged reads the file if it is not the version that was read before. The caller holds
// the lock.
func (t *Tokens) reloadIfChanged() {
	info, err := os.Stat(t.file)
	if err == nil && t.fileInfo != nil && os.SameFile(info, t.fileInfo) &&
		info.ModTime().Equal(t.fileInfo.ModTime()) && info.Size() == t.fileInfo.Size() {
		return
	}
	t.fileInfo, t.hashes = nil, nil
	var raw []byte
	if err == nil && info.Size() > maxTokenFileSize {
		err = errors.New("the file is too large to hold tokens")
	}
	if err == nil {
		raw, err = os.ReadFile(t.file)
	}
	if err == nil {
		t.hashes, err = parseTokens(string(raw))
	}
	t.err = nil
	if err != nil {
		t.err = fmt.Errorf("provider token in %s: %w", t.file, err)
		return
	}
	t.fileInfo = info
}
