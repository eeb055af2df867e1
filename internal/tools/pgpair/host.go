package pgpair

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
)

// ErrMissing is the error if PostgreSQL cannot run here at all.
var ErrMissing = errors.New("PostgreSQL is missing: scripts/tools.sh installs it")

// host is what the servers of a pair share: the folder, PostgreSQL's programs, the user who runs
// them, and the log.
type host struct {
	dir       string
	temporary bool // delete dir at the end
	programs  string
	user      *account // nil: the user of this process
	log       *os.File
	options   Options
}

// longestSocketName is what PostgreSQL adds to the path of the folder of sockets.
const longestSocketName = "/.s.PGSQL.65535"

// longestSocketPath is the limit of Linux less the zero at the end. macOS allows 103.
const longestSocketPath = 103

func newHost(o Options) (_ *host, err error) {
	h := &host{dir: o.Dir, options: o}
	if h.programs, err = findPrograms(); err != nil {
		return nil, err
	}
	if h.user, err = serverAccount(); err != nil {
		return nil, err
	}
	if err := h.makeDir(); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, h.discard())
		}
	}()
	if n := len(h.sockets() + longestSocketName); n > longestSocketPath {
		return nil, fmt.Errorf("the folder %s has too long a path for sockets: %d bytes too many",
			h.dir, n-longestSocketPath)
	}
	if err := h.makeFolder(h.sockets(), 0o755); err != nil {
		return nil, err
	}
	h.log, err = os.OpenFile(h.logPath(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	return h, err
}

func (h *host) makeDir() (err error) {
	if h.dir == "" {
		h.temporary = true
		if h.dir, err = os.MkdirTemp("", "pgpair"); err != nil {
			return err
		}
		return os.Chmod(h.dir, 0o755) // so that another user can run the servers
	}
	if h.dir, err = filepath.Abs(h.dir); err != nil {
		return err
	}
	return os.MkdirAll(h.dir, 0o755)
}

// makeFolder makes a new folder into which PostgreSQL writes.
func (h *host) makeFolder(path string, mode os.FileMode) error {
	err := os.Mkdir(path, mode)
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("the folder %s holds earlier servers: %w", h.dir, err)
	}
	if err != nil {
		return err
	}
	return h.user.own(path)
}

func (h *host) sockets() string { return filepath.Join(h.dir, "s") }

func (h *host) logPath() string { return filepath.Join(h.dir, "log") }

func (h *host) readLog() (string, error) {
	text, err := os.ReadFile(h.logPath())
	return string(text), err
}

// logTail returns the end of the log for an error's text.
func (h *host) logTail() string {
	text, err := h.readLog()
	if err != nil {
		return err.Error()
	}
	return text[max(0, len(text)-4096):]
}

// run runs one of PostgreSQL's programs, or another of the PATH, until it ends.
func (h *host) run(ctx context.Context, program string, args ...string) error {
	path := program
	if hasPrograms(h.programs, program) {
		path = filepath.Join(h.programs, program)
	}
	cmd := exec.CommandContext(ctx, path, args...)
	h.prepare(cmd)
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	err := cmd.Run()
	if _, logErr := h.log.Write(output.Bytes()); logErr != nil {
		return errors.Join(err, logErr)
	}
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", program, err, output.Bytes())
	}
	return nil
}

// prepare sets what all of PostgreSQL's programs need: a user who is not root, and none of this
// user's settings.
func (h *host) prepare(cmd *exec.Cmd) {
	h.user.use(cmd)
	cmd.Dir = "/"
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "TZ=UTC"}
}

// server returns the server of a number, which is not made yet.
func (h *host) server(number int) *Server {
	return &Server{
		host: h,
		name: "pg" + strconv.Itoa(number+1),
		port: h.options.Ports[number],
	}
}

// discard ends the servers and deletes the folder if it is temporary.
func (h *host) discard(servers ...*Server) error {
	var errs []error
	for _, s := range servers {
		errs = append(errs, s.Kill()) // works in any state, and needs no other server
	}
	if h.log != nil {
		if err := h.log.Close(); !errors.Is(err, os.ErrClosed) {
			errs = append(errs, err)
		}
	}
	if h.temporary {
		errs = append(errs, os.RemoveAll(h.dir))
	}
	return errors.Join(errs...)
}

// findPrograms returns the folder of PostgreSQL's programs: the newest of Debian's, else that of the
// PATH's initdb.
func findPrograms() (string, error) {
	candidates, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil {
		return "", err
	}
	byVersion := map[int]string{}
	for _, path := range candidates {
		if version, err := strconv.Atoi(filepath.Base(filepath.Dir(filepath.Dir(path)))); err == nil {
			byVersion[version] = path
		}
	}
	candidates = nil
	if path, err := exec.LookPath("initdb"); err == nil {
		candidates = append(candidates, path)
	}
	for _, version := range slices.Backward(slices.Sorted(maps.Keys(byVersion))) {
		candidates = append(candidates, byVersion[version])
	}
	for _, path := range candidates {
		path, err = filepath.EvalSymlinks(path) // the PATH may have a link to initdb alone
		if err != nil {
			continue // a link to nothing
		}
		dir := filepath.Dir(path)
		if hasPrograms(dir, "postgres", "pg_basebackup") {
			return dir, nil
		}
	}
	return "", ErrMissing
}

func hasPrograms(dir string, names ...string) bool {
	return !slices.ContainsFunc(names, func(name string) bool {
		_, err := exec.LookPath(filepath.Join(dir, name))
		return err != nil
	})
}
