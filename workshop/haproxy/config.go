package haproxy

import (
	"fmt"
	"net"
	"regexp"
	"strings"
)

// Node is a node of a cluster: host:port of its ports.
type Node struct{ Name, HTTP, MQTT, Admin string }

// Addresses are where clients reach the node that leads: host:port each, or as HAProxy names it.
type Addresses struct{ HTTP, MQTT, Admin string }

var (
	sectionLine = regexp.MustCompile(`^(global|defaults|listen)(?: (\S+))?$`)
	bindLine    = regexp.MustCompile(`^\s+bind (.*)$`)
	userLine    = regexp.MustCompile(`^\s+(user|group) `)
	serverLine  = regexp.MustCompile(`^\s+server \S+ \S+(.*)$`)
)

// shippedBinds are where the configuration that users get listens.
var shippedBinds = map[string]string{"http": ":80", "mqtt": ":1883", "admin": ":9090"}

// localConfig makes the configuration that users get one for nodes of this machine: it replaces where
// HAProxy listens, and the nodes.
func localConfig(shipped string, at Addresses, nodes []Node, socket string) (string, error) {
	binds := map[string]string{"http": at.HTTP, "mqtt": at.MQTT, "admin": at.Admin}
	ports := map[string]func(n *Node) string{
		"http":  func(n *Node) string { return n.HTTP },
		"mqtt":  func(n *Node) string { return n.MQTT },
		"admin": func(n *Node) string { return n.Admin },
	}
	var out strings.Builder
	section, named := "", 0
	for line := range strings.Lines(shipped) {
		if found := sectionLine.FindStringSubmatch(strings.TrimRight(line, "\n")); found != nil {
			section, named = found[2], 0
			out.WriteString(line)
			if found[1] == "global" {
				fmt.Fprintf(&out, "    stats socket %s\n", socket)
			}
			continue
		}
		if userLine.MatchString(line) { // only root can become another user
			continue
		}
		server := serverLine.FindStringSubmatch(strings.TrimRight(line, "\n"))
		bind := bindLine.FindStringSubmatch(strings.TrimRight(line, "\n"))
		switch {
		case bind != nil:
			address, known := binds[section]
			if !known {
				return "", fmt.Errorf("haproxy: nobody has said where to listen for %q", section)
			}
			if bind[1] != shippedBinds[section] {
				return "", fmt.Errorf("haproxy: it listens at %q for %s, and not at %q",
					bind[1], section, shippedBinds[section])
			}
			fmt.Fprintf(&out, "    bind %s\n", address)
			delete(binds, section)
		case server == nil:
			out.WriteString(line)
		case named == 0:
			for i := range nodes {
				_, check, err := net.SplitHostPort(nodes[i].Admin)
				if err != nil {
					return "", err
				}
				address := ports[section](&nodes[i])
				fmt.Fprintf(&out, "    server %s %s port %s%s\n", nodes[i].Name, address, check, server[1])
			}
			named++
		}
	}
	if len(binds) > 0 {
		return "", fmt.Errorf("haproxy: the configuration listens for none of %v", binds)
	}
	return out.String(), nil
}
