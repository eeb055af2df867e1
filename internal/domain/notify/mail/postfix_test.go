package mail

import (
	"fmt"
	"net"
	netmail "net/mail"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"tilth/internal/domain/notify"
	"tilth/internal/tools/testkit"
)

// postfix starts Debian's Postfix with its own configuration on a free port. It accepts mail for
// ada@example.com over TLS, up to 100 kB, and stores it in the folder inbox.
func postfix(t *testing.T) (set Settings, inbox string) {
	t.Helper()
	command, err := exec.LookPath("postfix")
	if err == nil && os.Getuid() != 0 {
		err = fmt.Errorf("postfix starts as root only")
	}
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("no mail server to test against: %v (scripts/tools.sh installs it)", err)
		}
		t.Skipf("no mail server to test against: %v (scripts/tools.sh installs it)", err)
	}
	dir, err := os.MkdirTemp("", "postfix") // Postfix's users may not enter the test's own
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	cert, key, roots := testkit.Certificate(t, dir, time.Now())
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	owner := ids(t, "postfix")
	inbox = filepath.Join(dir, "inbox", "ada", "new")
	write := func(name, content string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, folder := range []string{"queue", "data", "inbox"} {
		if err := os.Mkdir(filepath.Join(dir, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, folder := range []string{"data", "inbox"} {
		if err := os.Chown(filepath.Join(dir, folder), owner[0], owner[1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	write("main.cf", fmt.Sprintf(`compatibility_level = 3.6
queue_directory = %[1]s/queue
data_directory = %[1]s/data
maillog_file = %[1]s/log
maillog_file_prefixes = %[1]s
mail_owner = postfix
myhostname = mail.example.org
mydestination =
inet_interfaces = loopback-only
inet_protocols = ipv4
alias_maps =
local_recipient_maps =
virtual_mailbox_domains = example.com
virtual_mailbox_base = %[1]s/inbox
virtual_mailbox_maps = inline:{ada@example.com=ada/}
virtual_uid_maps = static:%[2]d
virtual_gid_maps = static:%[3]d
virtual_minimum_uid = 1
smtpd_tls_cert_file = %[4]s
smtpd_tls_key_file = %[5]s
smtpd_tls_security_level = may
smtpd_relay_restrictions = reject_unauth_destination
smtpd_recipient_restrictions = check_recipient_access inline:{{later@example.com=450 4.2.0 come back later}}
message_size_limit = 100000
`, dir, owner[0], owner[1], cert, key))
	write("master.cf", strings.ReplaceAll(`127.0.0.1:PORT inet n - n - - smtpd
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
virtual unix - n n - - virtual
error unix - - n - - error
retry unix - - n - - error
anvil unix - - n - 1 anvil
proxymap unix - - n - - proxymap
postlog unix-dgram n - n - 1 postlogd
`, "PORT", strconv.Itoa(port)))
	run := func(what string) {
		if out, err := exec.CommandContext(t.Context(), command, "-c", dir, what).CombinedOutput(); err != nil {
			log, _ := os.ReadFile(filepath.Join(dir, "log"))
			t.Fatalf("postfix %s: %v\n%s\n%s", what, err, out, log)
		}
	}
	run("start")
	t.Cleanup(func() {
		if out, err := exec.Command(command, "-c", dir, "stop").CombinedOutput(); err != nil {
			t.Errorf("postfix stop: %v\n%s", err, out)
		}
	})
	return Settings{Host: "127.0.0.1", Port: port, TLS: StartTLS, Roots: roots,
		From: netmail.Address{Address: "alerts@example.org"}}, inbox
}

// ids gives the numeric ids of a user and its group.
func ids(t *testing.T, user string) (pair [2]int) {
	t.Helper()
	for i, which := range []string{"-u", "-g"} {
		out, err := exec.CommandContext(t.Context(), "id", which, user).Output()
		if err != nil {
			t.Fatal(err)
		}
		if pair[i], err = strconv.Atoi(strings.TrimSpace(string(out))); err != nil {
			t.Fatal(err)
		}
	}
	return pair
}

var queued = regexp.MustCompile(`^250 2\.0\.0 Ok: queued as [0-9A-Za-z]+$`)

// Postfix accepts mails, its answers are passed on, and its refusals are classified correctly.
func TestPostfix(t *testing.T) {
	set, inbox := postfix(t)
	s := newTestSMTP(t, set, time.Now)
	m := hello
	m.Picture = &Picture{ID: "chart@letter", Name: "chart.png", PNG: make([]byte, 20_000)}
	for range 3 { // over one connection
		if answer, err := s.Send(t.Context(), m); err != nil || !queued.MatchString(answer) {
			t.Fatalf("%q %v", answer, err)
		}
	}
	for to, want := range map[string]struct {
		kind notify.FailureKind
		says string
	}{
		"nobody@example.com":    {notify.Permanent, "550 5.1.1"},
		"later@example.com":     {notify.Transient, "450 4.2.0"},
		"ada@elsewhere.example": {notify.Permanent, "554 5.7.1"},
	} {
		other := hello
		other.To = to
		if f := wantFailure(t, s, other); !strings.Contains(f.Answer, want.says) || f.Kind != want.kind {
			t.Errorf("%s: %v %q", to, f.Kind, f.Answer)
		}
	}
	m.Picture.PNG = make([]byte, 120_000)
	if f := wantFailure(t, s, m); f.Kind != notify.Permanent || !strings.HasPrefix(f.Answer, "552 5.3.4") {
		t.Errorf("too large: %+v", f)
	}
	var mails []os.DirEntry
	testkit.Eventually(t, "three mails in the inbox", func() bool {
		mails, _ = os.ReadDir(inbox)
		return len(mails) == 3
	})
	file, err := os.Open(filepath.Join(inbox, mails[0].Name()))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	read, err := netmail.ReadMessage(file)
	if err != nil || read.Header.Get("Message-Id") != "<account-7-abc@example.org>" ||
		!strings.Contains(read.Header.Get("Received"), " ESMTPS ") {
		t.Errorf("%+v %v", read, err)
	}
}
