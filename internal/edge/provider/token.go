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
)

const (
	minTokenLength   = 32 // characters
	maxTokens        = 2  // of a file, for rotation
	maxTokenFileSize = 4 << 10
)

// Tokens knows which provider's tokens open the door: the one given at the
// start, or those of a file that is read anew when it changed.
type Tokens struct {
	file string // empty: given at the start

	mu       sync.Mutex
	fileInfo fs.FileInfo // of what hashes come from
	hashes   [][sha256.Size]byte
	err      error
}

// NewTokens takes the token of the environment or, where that is empty, those
// of the file: one a line, at most two, each of 32 characters or more. A file
// that does not exist is made with a new token, readable by its owner alone.
func NewTokens(env, file string) (*Tokens, error) {
	if env = strings.TrimSpace(env); env != "" {
		hashes, err := parseTokens(env)
		if err == nil && len(hashes) > 1 {
			err = errors.New("one token is wanted")
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

// makeTokenFile makes the file, unless there is one. It appears whole or not
// at all, so that a crash leaves no empty file to stumble over; what it does leave,
// the next start takes. Nobody else starts on the same folder meanwhile.
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
	_, err = f.WriteString(newSecret() + "\n")
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		return fmt.Errorf("provider token: %w", errors.Join(err, os.Remove(f.Name())))
	}
	return nil
}

// parseTokens reads one or two tokens, one a line. The error names the lines
// that hold none; tokens of other lines are given all the same.
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
		return nil, fmt.Errorf("one or two tokens are wanted, one a line; there are %d", n)
	}
	return hashes, err
}

// Allows tells whether token opens the door, in the same time whatever it is.
// The error says what of the file cannot be used; nobody is let in by that.
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

// reloadIfChanged reads the file where it is another than the one read before. Callers
// hold the lock.
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
