package pgpair

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	role      = "tilth" // owns the database, and is no superuser
	database  = "tilth"
	superuser = "postgres"
)

// stopPatience is how long a server may take to stop.
const stopPatience = 30 * time.Second

// Server is one PostgreSQL server. Its address stays the same as long as it exists.
type Server struct {
	host *host
	name string // of its folder, its slot and its connections to a primary

	mu       sync.Mutex
	port     int
	settings map[string]string
	process  *process // nil until the first start
}

// Name returns the server's name in the log.
func (s *Server) Name() string { return s.name }

// Addr returns the address at which it listens, or would.
func (s *Server) Addr() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(s.portNumber())) }

// URL returns the address of this server's database.
func (s *Server) URL() string {
	return strings.Replace(databaseURL(s.Addr()), "target_session_attrs=primary&", "", 1)
}

// Log is Pair.Log.
func (s *Server) Log() (string, error) { return s.host.readLog() }

func (s *Server) portNumber() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.port
}

func (s *Server) data() string { return filepath.Join(s.host.dir, s.name) }

func (s *Server) settingsFile() string { return filepath.Join(s.host.dir, s.name+".conf") }

// Connect connects to the database as superuser, through the socket: whatever happens to the port,
// it is this server that answers.
func (s *Server) Connect(ctx context.Context) (*pgx.Conn, error) { return s.connectTo(ctx, database) }

func (s *Server) connectTo(ctx context.Context, name string) (*pgx.Conn, error) {
	options := url.Values{
		"host":            {s.host.sockets()},
		"port":            {strconv.Itoa(s.portNumber())},
		"sslmode":         {"disable"},
		"connect_timeout": {"10"},
	}
	address := url.URL{Scheme: "postgres", User: url.User(superuser), Path: "/" + name, RawQuery: options.Encode()}
	return pgx.Connect(ctx, address.String())
}

// exec runs statements, each for itself, as superuser.
func (s *Server) exec(ctx context.Context, name string, statements ...string) error {
	conn, err := s.connectTo(ctx, name)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }() // the statements have been answered
	for _, statement := range statements {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%s: %s: %w", s.name, statement, err)
		}
	}
	return nil
}

// await asks on one connection until the answer is yes.
func (s *Server) await(
	ctx context.Context,
	what string,
	ask func(ctx context.Context, conn *pgx.Conn) (bool, error),
) error {
	conn, err := s.Connect(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }() // it only asked
	return poll(ctx, what, func(ctx context.Context) (bool, error) { return ask(ctx, conn) })
}

// create makes a server with an empty database and starts it. Its collation sorts unlike SQLite, as
// that of most operators does.
func (s *Server) create(ctx context.Context, standbys string) error {
	if err := s.host.makeFolder(s.data(), 0o700); err != nil {
		return err
	}
	args := []string{
		"-D", s.data(), "-U", superuser, "-A", "trust", "--no-instructions",
		"--encoding=UTF8", "--locale=C.UTF-8", "--locale-provider=icu", "--icu-locale=en-US",
	}
	if !s.host.options.Fsync {
		args = append(args, "--no-sync")
	}
	if err := s.host.run(ctx, "initdb", args...); err != nil {
		return err
	}
	s.reset(map[string]string{"synchronous_standby_names": standbys})
	if err := s.startFirst(ctx); err != nil {
		return err
	}
	return s.exec(ctx, "postgres",
		"SET synchronous_commit = local", // there is no copy yet
		"CREATE ROLE "+role+" LOGIN",
		"CREATE DATABASE "+database+" OWNER "+role)
}

// copyFrom makes this server a copy of a primary, with a slot of its own there, and starts it. What
// data it had are deleted.
func (s *Server) copyFrom(ctx context.Context, primary *Server) error {
	if err := os.RemoveAll(s.data()); err != nil {
		return err
	}
	if err := s.host.makeFolder(s.data(), 0o700); err != nil {
		return err
	}
	if err := primary.exec(
		ctx,
		"postgres",
		// A slot is in use until the primary has noticed that an earlier copy is dead.
		"SELECT pg_terminate_backend(active_pid, 5000) FROM pg_replication_slots WHERE active AND slot_name = '"+s.name+"'",
		"SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = '"+s.name+"'",
		"SELECT pg_create_physical_replication_slot('"+s.name+"', true)",
	); err != nil {
		return err
	}
	args := []string{
		"-h", s.host.sockets(), "-p", strconv.Itoa(primary.portNumber()), "-U", superuser,
		"-D", s.data(), "-X", "stream", "-c", "fast", "-S", s.name, "--no-manifest",
	}
	if !s.host.options.Fsync {
		args = append(args, "--no-sync")
	}
	if err := s.host.run(ctx, "pg_basebackup", args...); err != nil {
		return err
	}
	signal := filepath.Join(s.data(), "standby.signal")
	if err := os.WriteFile(signal, nil, 0o600); err != nil {
		return err
	}
	if err := s.host.user.own(signal); err != nil {
		return err
	}
	s.reset(map[string]string{
		"primary_conninfo":  s.connectionTo(primary),
		"primary_slot_name": s.name,
	})
	return s.startFirst(ctx)
}

func (s *Server) connectionTo(primary *Server) string {
	return fmt.Sprintf("host=127.0.0.1 port=%d user=%s application_name=%s connect_timeout=5",
		primary.portNumber(), superuser, s.name)
}

// reset gives the server the settings that all have, and more.
func (s *Server) reset(more map[string]string) {
	settings := map[string]string{
		"listen_addresses":            "127.0.0.1",
		"unix_socket_directories":     s.host.sockets(),
		"max_connections":             "200",
		"shared_buffers":              "32MB",
		"wal_level":                   "replica",
		"hot_standby":                 "on",
		"max_wal_size":                "256MB",
		"wal_retrieve_retry_interval": "100ms", // a copy finds its primary again at once, and is promoted at once
		// Killed servers leave no shared memory outside their folder.
		"dynamic_shared_memory_type": "mmap",
		"log_line_prefix":            "%m [%p] " + s.name + " ",
		"log_checkpoints":            "off",
		"cluster_name":               s.clusterName(),
	}
	if !s.host.options.Fsync {
		settings["fsync"] = "off"
		settings["full_page_writes"] = "off"
	}
	maps.Copy(settings, more)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settings = settings
}

// clusterName returns what lists of processes show: the folder's name and the server's.
func (s *Server) clusterName() string {
	const longest = 63
	folder := filepath.Base(s.host.dir)
	return folder[:min(len(folder), longest-len(s.name)-1)] + " " + s.name
}

func (s *Server) writeSettings() error {
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(s.settings)) {
		fmt.Fprintf(&text, "%s = '%s'\n", name, strings.ReplaceAll(s.settings[name], "'", "''"))
	}
	fmt.Fprintf(&text, "port = %d\n", s.port)
	return os.WriteFile(s.settingsFile(), []byte(text.String()), 0o644)
}

// set changes a setting of a server that runs, and returns when it is in force for every commit that
// begins.
func (s *Server) set(ctx context.Context, name, value string) error {
	if err := s.reload(name, value); err != nil {
		return err
	}
	err := poll(ctx, s.name+" has read "+name, func(ctx context.Context) (bool, error) {
		conn, err := s.Connect(ctx) // a new process, which knows what the postmaster has read
		if err != nil {
			return false, err
		}
		defer func() { _ = conn.Close(ctx) }() // it only asked
		var now string
		err = conn.QueryRow(ctx, "SELECT current_setting($1)", name).Scan(&now)
		return now == value, err
	})
	if err != nil {
		return err
	}
	// The checkpointer tells the others whether commits wait for a copy. The postmaster has told it to
	// read the settings, and it reads them before it makes another checkpoint.
	return s.exec(ctx, "postgres", "CHECKPOINT")
}

func (s *Server) reload(name, value string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settings[name] = value
	if err := s.writeSettings(); err != nil {
		return err
	}
	if s.process.ended() {
		return fmt.Errorf("%s does not run", s.name)
	}
	return s.process.reload()
}

// Start starts a server that was killed or stopped, and returns when it answers queries.
func (s *Server) Start(ctx context.Context) error {
	p, err := s.launch()
	if err != nil {
		return err
	}
	err = poll(ctx, s.name+" answers", func(ctx context.Context) (bool, error) {
		if p.ended() {
			return false, errors.New("it has ended")
		}
		conn, err := s.connectTo(ctx, "postgres")
		if err != nil {
			return false, nil //nolint:nilerr // it does not answer yet
		}
		return true, conn.Close(ctx)
	})
	if err != nil {
		return fmt.Errorf("%w\n%s", err, s.host.logTail())
	}
	return nil
}

func (s *Server) launch() (*process, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.process.ended() {
		return nil, fmt.Errorf("%s runs already", s.name)
	}
	if err := s.writeSettings(); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(context.Background(), // it ends with the server's methods alone
		filepath.Join(s.host.programs, "postgres"), "-D", s.data(), "-c", "config_file="+s.settingsFile())
	s.host.prepare(cmd)
	cmd.Stdout, cmd.Stderr = s.host.log, s.host.log
	p, err := startProcess(cmd)
	if err != nil {
		return nil, err
	}
	s.process = p
	return p, nil
}

// startFirst starts a server that may have no port yet. PostgreSQL cannot choose one, so another
// process may take it first; then another is tried.
func (s *Server) startFirst(ctx context.Context) error {
	if s.portNumber() != 0 {
		return s.Start(ctx)
	}
	for attempt := 1; ; attempt++ {
		port, err := freePort()
		if err != nil {
			return err
		}
		s.mu.Lock()
		s.port = port
		s.mu.Unlock()
		err = s.Start(ctx)
		if err == nil || attempt == 5 || s.running() || isFree(port) {
			return err
		}
	}
}

func (s *Server) running() bool { return !s.current().ended() }

// current returns the newest process; nil if there was none.
func (s *Server) current() *process {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.process
}

// Kill ends all of the server's processes at one instant, as if its machine lost power. A server that
// does not run remains so.
func (s *Server) Kill() error {
	p := s.current()
	if p.ended() {
		return nil
	}
	if err := p.kill(); err != nil {
		return fmt.Errorf("kill %s: %w", s.name, err)
	}
	return s.releaseMemory()
}

// Stop ends the server in order: its connections are closed, its data are written, and its copy has
// received all. A server that is frozen is thawed. One that does not stop within half a minute is
// killed, which is an error.
func (s *Server) Stop() error {
	p := s.current()
	if p.ended() {
		return nil
	}
	if err := p.stop(stopPatience); err != nil {
		return errors.Join(fmt.Errorf("stop %s: %w", s.name, err), s.Kill())
	}
	return nil
}

// Freeze halts all of the server's processes, until Thaw: they keep their connections and answer
// nothing.
func (s *Server) Freeze() error {
	p := s.current()
	if p.ended() {
		return fmt.Errorf("freeze %s: it does not run", s.name)
	}
	return p.freeze()
}

// Thaw undoes Freeze.
func (s *Server) Thaw() error {
	p := s.current()
	if p.ended() {
		return fmt.Errorf("thaw %s: it does not run", s.name)
	}
	return p.thaw()
}

// Promote makes a copy a primary, and returns when it can be written to.
func (s *Server) Promote(ctx context.Context) error {
	conn, err := s.Connect(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }() // the promotion has been answered
	var promoted bool
	err = conn.QueryRow(ctx, "SELECT pg_promote(true, $1)", int(patience.Seconds())).Scan(&promoted)
	if err == nil && !promoted {
		err = errors.New("it has not become a primary in time")
	}
	if err != nil {
		return fmt.Errorf("promote %s: %w", s.name, err)
	}
	return nil
}

// Discard ends a server of StartSingle and deletes its temporary folder.
func (s *Server) Discard() error { return s.host.discard(s) }

// releaseMemory removes the shared memory by which PostgreSQL knows that a data folder is in use. The
// system keeps it when processes are killed, and has room for few thousands of them.
func (s *Server) releaseMemory() error {
	text, err := os.ReadFile(filepath.Join(s.data(), "postmaster.pid"))
	if errors.Is(err, os.ErrNotExist) {
		return nil // it was killed while it started or stopped
	}
	if err != nil {
		return err
	}
	lines := strings.Split(string(text), "\n")
	if len(lines) < 7 {
		return nil // it was killed before it had any
	}
	key := strings.Fields(lines[6])
	if len(key) < 2 {
		return nil
	}
	return s.host.run(context.Background(), "ipcrm", "-m", key[1])
}

// freePort returns a port below those that the system gives to connections, of which one might
// take it at any time.
func freePort() (int, error) {
	const lowest, count = 20000, 12000
	start := int(time.Now().UnixNano()/1000) % count
	for i := range count {
		if port := lowest + (start+i)%count; isFree(port) {
			return port, nil
		}
	}
	return 0, errors.New("no port is free")
}

func isFree(port int) bool {
	l, err := (&net.ListenConfig{}).Listen(
		context.Background(), "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return false
	}
	return l.Close() == nil
}
