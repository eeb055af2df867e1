//go:build unix

package pgpair

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// account is the user who runs PostgreSQL in place of root, which PostgreSQL refuses.
type account struct{ uid, gid uint32 }

// serverAccount returns nil if this process does not run as root.
func serverAccount() (*account, error) {
	if os.Geteuid() != 0 {
		return nil, nil //nolint:nilnil // nil is this process's own user
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return nil, fmt.Errorf("%w (%w)", ErrMissing, err)
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		return nil, err
	}
	return &account{uint32(uid), uint32(gid)}, nil
}

// own makes a file the account's.
func (a *account) own(path string) error {
	if a == nil {
		return nil
	}
	return os.Chown(path, int(a.uid), int(a.gid))
}

// use makes the account run a program. It has a process group of its own, so that an interrupt from
// the keyboard does not reach it.
func (a *account) use(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if a != nil {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: a.uid, Gid: a.gid}
	}
}

// reload makes the postmaster and its children read the settings again.
func (p *process) reload() error { return sendSignal(p.pid, syscall.SIGHUP) }

// stop asks for what PostgreSQL calls a fast shutdown.
func (p *process) stop(patience time.Duration) error {
	if err := p.thaw(); err != nil {
		return err
	}
	if err := sendSignal(p.pid, syscall.SIGINT); err != nil {
		return err
	}
	if !p.endsWithin(patience) {
		return fmt.Errorf("it still runs after %s", patience)
	}
	return nil
}

// freeze returns when every process is halted.
func (p *process) freeze() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.halt()
}

func (p *process) halt() error {
	return poll(context.Background(), "all processes are halted", func(ctx context.Context) (bool, error) {
		family, err := familyOf(ctx, p.pid)
		if err != nil {
			return false, err
		}
		if len(family) > 0 && !family[0].halted {
			family = family[:1] // its children are known only when it starts no more
		}
		all := true
		for _, f := range family {
			if f.halted {
				continue
			}
			all = false
			if err := sendSignal(f.pid, syscall.SIGSTOP); err != nil {
				return false, err
			}
		}
		return all, nil
	})
}

func (p *process) thaw() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.signalAll(syscall.SIGCONT)
}

// kill halts all processes before it ends them, so that none goes on while others have ended.
// Killing the postmaster's process group would not do: each of its children is a group of its own.
func (p *process) kill() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.halt(); err != nil {
		return err
	}
	family, err := familyOf(context.Background(), p.pid)
	if err != nil {
		return err
	}
	if err := p.signalAll(syscall.SIGKILL); err != nil {
		return err
	}
	<-p.exited
	return poll(context.Background(), "all processes have ended", func(ctx context.Context) (bool, error) {
		running, err := processes(ctx)
		if err != nil {
			return false, err
		}
		for _, r := range running {
			for _, f := range family {
				if r.pid == f.pid && r.group == f.group {
					return false, nil
				}
			}
		}
		return true, nil
	})
}

func (p *process) signalAll(s syscall.Signal) error {
	family, err := familyOf(context.Background(), p.pid)
	if err != nil {
		return err
	}
	var errs []error
	for _, f := range family {
		errs = append(errs, sendSignal(f.pid, s))
	}
	return errors.Join(errs...)
}

// sendSignal ignores a process that has ended.
func sendSignal(pid int, s syscall.Signal) error {
	if err := syscall.Kill(pid, s); err != nil && !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return nil
}

// familyMember is a process as the system describes it.
type familyMember struct {
	pid, parent, group int
	halted             bool
}

// familyOf returns a process and, behind their parents, all that descend from it.
func familyOf(ctx context.Context, pid int) (family []familyMember, err error) {
	all, err := processes(ctx)
	if err != nil {
		return nil, err
	}
	for _, m := range all {
		if m.pid == pid {
			family = append(family, m)
		}
	}
	for i := 0; i < len(family); i++ {
		for _, m := range all {
			if m.parent == family[i].pid {
				family = append(family, m)
			}
		}
	}
	return family, nil
}

// processes returns all processes of the system but those that have ended and are only waited for.
func processes(ctx context.Context) ([]familyMember, error) {
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil, err
	}
	if len(stats) == 0 { // not Linux
		return listedProcesses(ctx)
	}
	var all []familyMember
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended since
		}
		// Behind the program's name, which is in parentheses: state, parent, group.
		fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		if len(fields) < 3 {
			return nil, fmt.Errorf("%s is in an unknown form: %q", path, text)
		}
		all, err = appendProcess(all, filepath.Base(filepath.Dir(path)), fields[1], fields[2], fields[0])
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

func listedProcesses(ctx context.Context) (all []familyMember, err error) {
	text, err := exec.CommandContext(ctx, "ps", "-A", "-o", "pid=,ppid=,pgid=,stat=").Output()
	if err != nil {
		return nil, fmt.Errorf("ps: %w", err)
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) != 4 {
			return nil, fmt.Errorf("ps lists processes in an unknown form: %q", line)
		}
		if all, err = appendProcess(all, fields[0], fields[1], fields[2], fields[3]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func appendProcess(all []familyMember, pid, parent, group, state string) ([]familyMember, error) {
	if strings.HasPrefix(state, "Z") || strings.HasPrefix(state, "X") { // it has ended
		return all, nil
	}
	m := familyMember{halted: strings.HasPrefix(state, "T")}
	var errs [3]error
	m.pid, errs[0] = strconv.Atoi(pid)
	m.parent, errs[1] = strconv.Atoi(parent)
	m.group, errs[2] = strconv.Atoi(group)
	return append(all, m), errors.Join(errs[:]...)
}
