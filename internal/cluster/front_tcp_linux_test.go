package cluster

import (
	"net"
	"testing"

	"golang.org/x/sys/unix"
)

func tcpOption(t *testing.T, nc net.Conn, option int) (value int) {
	t.Helper()
	raw, err := nc.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	if e := raw.Control(func(fd uintptr) {
		value, err = unix.GetsockoptInt(int(fd), unix.IPPROTO_TCP, option)
	}); e != nil || err != nil {
		t.Fatal(e, err)
	}
	return value
}

// Both ends of a connection between nodes notice a machine that is gone. Only the end that speaks
// to the leader gives up what is not acknowledged: at the other, a client may be slow.
func TestDeadMachineIsNoticed(t *testing.T) {
	leading, following := startNode(t, FrontOptions{}), startNode(t, FrontOptions{})
	ln := leading.Local(PortSeed)
	leading.leads(1, following)
	c, err := following.Dial(t.Context(), PortSeed)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	s, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	inner := func(nc net.Conn) net.Conn {
		return nc.(*termConn).Plain().(interface{ NetConn() net.Conn }).NetConn()
	}
	for name, nc := range map[string]net.Conn{"to the leader": inner(c), "from the node": inner(s)} {
		for option, want := range map[int]int{unix.TCP_KEEPIDLE: 1, unix.TCP_KEEPINTVL: 1, unix.TCP_KEEPCNT: 3} {
			if got := tcpOption(t, nc, option); got != want {
				t.Errorf("%s: option %d is %d, want %d", name, option, got, want)
			}
		}
	}
	if got := tcpOption(t, inner(c), unix.TCP_USER_TIMEOUT); got != 60_000 {
		t.Errorf("to the leader, the limit is %d ms", got)
	}
	if got := tcpOption(t, inner(s), unix.TCP_USER_TIMEOUT); got != 0 {
		t.Errorf("from the node, the limit is %d ms", got)
	}
}
