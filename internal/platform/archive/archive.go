// Package archive packs a folder into one file that can be verified: a tar whose last entry lists
// every file with its SHA-256.
package archive

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

var (
	// ErrDamaged means that an archive is cut off, changed, or not an archive at all.
	ErrDamaged = errors.New("the archive is damaged or not whole")
	// ErrNewer means that a later version of this program packed the archive in another format.
	ErrNewer = errors.New("the archive is of a later format")
)

const (
	manifestName     = "manifest.json"
	maxManifestBytes = 64 << 20
	formatVersion    = 1
)

// Manifest is an archive's description of itself.
type Manifest struct {
	Format  int       `json:"format"`
	Version string    `json:"version"` // version of the program that wrote it
	Time    time.Time `json:"time"`    // time of its content
	Files   []File    `json:"files"`
}

// File is one file of an archive.
type File struct {
	Name   string `json:"name"` // with slashes, relative to the folder
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// Size returns the total size of the files in bytes.
func (m *Manifest) Size() (bytes int64) {
	for _, f := range m.Files {
		bytes += f.Size
	}
	return bytes
}

// Write packs the files of dir. m provides the version and the time.
func Write(ctx context.Context, w io.Writer, dir string, m Manifest) error {
	m.Format, m.Files = formatVersion, nil
	t := tar.NewWriter(w)
	err := walkFiles(ctx, dir, func(path, name string, _ fs.DirEntry) error {
		f, err := pack(t, path, name, m.Time)
		m.Files = append(m.Files, f)
		return err
	})
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return err
	}
	if err := t.WriteHeader(header(manifestName, int64(len(text)), m.Time)); err != nil {
		return err
	}
	if _, err := t.Write(text); err != nil {
		return err
	}
	return t.Close()
}

// PackedSize returns how many bytes Write would produce for the files of dir. It does not read
// them.
func PackedSize(ctx context.Context, dir string, m Manifest) (bytes int64, err error) {
	m.Format, m.Files = formatVersion, nil
	err = walkFiles(ctx, dir, func(_, name string, d fs.DirEntry) error {
		info, err := d.Info()
		if err != nil {
			return err
		}
		anySum := hex.EncodeToString(make([]byte, sha256.Size)) // all have the same length
		m.Files = append(m.Files, File{Name: name, Size: info.Size(), SHA256: anySum})
		n, err := entrySize(header(name, info.Size(), m.Time))
		bytes += n
		return err
	})
	if err != nil {
		return 0, err
	}
	text, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return 0, err
	}
	n, err := entrySize(header(manifestName, int64(len(text)), m.Time))
	const end = 2 * blockSize // two empty blocks
	return bytes + n + end, err
}

// blockSize is the unit of all sizes in a tar, in bytes.
const blockSize = 512

// entrySize returns how many bytes a file takes in an archive, with its header.
func entrySize(h *tar.Header) (bytes int64, err error) {
	var size byteCounter
	if err := tar.NewWriter(&size).WriteHeader(h); err != nil {
		return 0, err
	}
	return int64(size) + (h.Size+blockSize-1)/blockSize*blockSize, nil
}

// byteCounter counts what is written to it.
type byteCounter int64

func (c *byteCounter) Write(b []byte) (int, error) {
	*c += byteCounter(len(b))
	return len(b), nil
}

// walkFiles calls f for every file of dir; name is the file's name in archives.
func walkFiles(ctx context.Context, dir string, f func(path, name string, d fs.DirEntry) error) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case !d.Type().IsRegular():
			return nil
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		return f(path, filepath.ToSlash(name), d)
	})
}

func header(name string, size int64, at time.Time) *tar.Header {
	return &tar.Header{Name: name, Mode: 0o600, Size: size, ModTime: at}
}

// pack writes one file up to its current length.
func pack(t *tar.Writer, path, name string, at time.Time) (f File, err error) {
	from, err := os.Open(path)
	if err != nil {
		return f, err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	info, err := from.Stat()
	if err != nil {
		return f, err
	}
	f = File{Name: name, Size: info.Size()}
	if err := t.WriteHeader(header(name, f.Size, at)); err != nil {
		return f, err
	}
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(t, sum), io.LimitReader(from, f.Size))
	if err == nil && n < f.Size {
		err = fmt.Errorf("%s became shorter while it was read", path)
	}
	f.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return f, err
}

// Read checks an archive and, unless dir is empty, unpacks it into dir, which must exist. allowed
// reports which names the archive may contain; nil: all names that stay within dir. After an error,
// unpacked files remain and are not reliable. Read returns ErrDamaged if the content does not match
// the manifest. With ErrNewer it also returns the manifest, as far as it can be read.
func Read(ctx context.Context, r io.Reader, dir string, allowed func(name string) bool) (*Manifest, error) {
	t := tar.NewReader(r)
	var found []File
	for {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		h, err := t.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil, fmt.Errorf("%w: its list of files is missing", ErrDamaged)
		case err != nil:
			return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
		case h.Typeflag != tar.TypeReg || isSparse(h), !isSafeName(h.Name):
			return nil, fmt.Errorf("%w: it holds %q", ErrDamaged, h.Name)
		case h.Name == manifestName:
			return verifyManifest(t, found)
		case allowed != nil && !allowed(h.Name):
			return nil, fmt.Errorf("%w: it holds %q, which no backup does", ErrDamaged, h.Name)
		}
		f, err := unpack(t, h, dir)
		if err != nil {
			return nil, err
		}
		found = append(found, f)
	}
}

// isSparse reports whether a file has holes, which no file of ours has: it could be terabytes long
// in an archive of a few bytes.
func isSparse(h *tar.Header) bool {
	for name := range h.PAXRecords {
		if strings.HasPrefix(name, "GNU.sparse.") {
			return true
		}
	}
	return h.Typeflag == tar.TypeGNUSparse
}

// isSafeName reports whether a name is clean and stays within the folder.
func isSafeName(name string) bool {
	return path.Clean(name) == name && filepath.IsLocal(filepath.FromSlash(name))
}

// unpack reads one file to its end, into dir unless that is empty.
func unpack(t *tar.Reader, h *tar.Header, dir string) (f File, err error) {
	sum := sha256.New()
	to := io.Writer(sum)
	if dir != "" {
		target := filepath.Join(dir, filepath.FromSlash(h.Name))
		if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
			return f, err
		}
		file, err := os.OpenFile(target, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return f, err
		}
		// The file must be on disk before Read returns.
		defer func() { err = errors.Join(err, file.Sync(), file.Close()) }()
		to = io.MultiWriter(sum, file)
	}
	n, err := io.Copy(to, t)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("%w: it ends within %s", ErrDamaged, h.Name)
	}
	return File{Name: h.Name, Size: n, SHA256: hex.EncodeToString(sum.Sum(nil))}, err
}

// verifyManifest compares the found files with the manifest at the archive's end.
func verifyManifest(t *tar.Reader, found []File) (*Manifest, error) {
	text, err := io.ReadAll(io.LimitReader(t, maxManifestBytes))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	var m Manifest
	err = json.Unmarshal(text, &m)
	if m.Format > formatVersion { // even if the rest of the manifest cannot be read
		return &m, fmt.Errorf("%w (it has format %d, this program reads %d)", ErrNewer, m.Format, formatVersion)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: its list of files: %w", ErrDamaged, err)
	}
	if m.Format < formatVersion {
		return nil, fmt.Errorf("%w: it has format %d", ErrDamaged, m.Format)
	}
	if len(m.Files) != len(found) {
		return nil, fmt.Errorf("%w: %d files in place of %d", ErrDamaged, len(found), len(m.Files))
	}
	for i := range found {
		if found[i] != m.Files[i] {
			return nil, fmt.Errorf("%w: %s is not as it was written", ErrDamaged, found[i].Name)
		}
	}
	return &m, nil
}
