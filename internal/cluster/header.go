package cluster

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"slices"
)

// The ports of a cluster: those that clients connect to, and two that only nodes use among
// themselves, for the provider's calls and for seeds.
const (
	PortHTTP    = "http"
	PortHTTPS   = "https"
	PortMQTT    = "mqtt"
	PortMQTTTLS = "mqtt-tls"
	PortAdmin   = "admin"
	PortSeed    = "seed"
)

var portNames = []string{PortHTTP, PortHTTPS, PortMQTT, PortMQTTTLS, PortAdmin, PortSeed}

// A connection between nodes begins with a header, inside TLS:
//
//	"tlth"   4 bytes
//	version  1 byte
//	length   1 byte, of what follows: at most headerMost
//	name     1 byte with its length, then the port's name
//	address  the rest: 4 or 16 bytes of the client's IP and 2 of its port (big endian), or nothing
//
// The other node answers it with one byte, an answer. From then on both sides send what client and
// server send.
const (
	headerMagic   = "tlth"
	headerVersion = 1
	headerMost    = 64
)

// answer is what the node that reads a header says.
type answer byte

const (
	answerAccepted answer = 1 // what follows goes to the server and comes from it
	answerNotNow   answer = 2 // the node does not lead, or its server is not there; ask again later
	answerRefused  answer = 3 // the header has another version, or an unknown port
)

var (
	errHeaderMagic   = errors.New("the header of a node was expected, and something else came")
	errHeaderVersion = errors.New("the header of the other node has another version: do all nodes run the same Tilth?")
	errHeaderFormat  = errors.New("the header of the other node is damaged")
	errHeaderPort    = errors.New("the header of the other node names an unknown port")
)

// header says what a connection between nodes is for.
type header struct {
	port   string         // one of portNames
	client netip.AddrPort // the zero value: the other node speaks for itself
}

// encode returns the bytes of a header. The client's address is written without its zone, which has
// a meaning on its own machine only, and an IPv4 address always as such.
func (h header) encode() []byte {
	var address []byte
	if h.client.IsValid() {
		a := netip.AddrPortFrom(h.client.Addr().Unmap().WithZone(""), h.client.Port())
		address = append(a.Addr().AsSlice(), byte(a.Port()>>8), byte(a.Port()))
	}
	b := []byte(headerMagic)
	b = append(b, headerVersion, byte(1+len(h.port)+len(address)), byte(len(h.port)))
	b = append(b, h.port...)
	return append(b, address...)
}

// readHeader reads a header, and no byte beyond it.
func readHeader(r io.Reader) (header, error) {
	var buf [len(headerMagic) + 2 + headerMost]byte
	begin := buf[:len(headerMagic)+2]
	if _, err := io.ReadFull(r, begin); err != nil {
		return header{}, fmt.Errorf("the header of the other node: %w", err)
	}
	version, length := begin[len(headerMagic)], int(begin[len(headerMagic)+1])
	switch {
	case string(begin[:len(headerMagic)]) != headerMagic:
		return header{}, errHeaderMagic
	case version != headerVersion:
		return header{}, errHeaderVersion
	case length == 0 || length > headerMost:
		return header{}, errHeaderFormat
	}
	rest := buf[len(begin) : len(begin)+length]
	if _, err := io.ReadFull(r, rest); err != nil {
		return header{}, fmt.Errorf("the header of the other node: %w", err)
	}
	return parseHeader(rest)
}

// parseHeader parses what follows the length of a header.
func parseHeader(rest []byte) (header, error) {
	nameEnd := 1 + int(rest[0])
	if nameEnd > len(rest) {
		return header{}, errHeaderFormat
	}
	h := header{port: string(rest[1:nameEnd])}
	if !slices.Contains(portNames, h.port) {
		return header{}, errHeaderPort
	}
	address := rest[nameEnd:]
	if len(address) == 0 {
		return h, nil
	}
	if len(address) < 2 {
		return header{}, errHeaderFormat
	}
	host, port := address[:len(address)-2], address[len(address)-2:]
	ip, ok := netip.AddrFromSlice(host)
	if !ok || ip.Is4In6() {
		return header{}, errHeaderFormat
	}
	h.client = netip.AddrPortFrom(ip, uint16(port[0])<<8|uint16(port[1]))
	return h, nil
}

// clientAddress is the address of a client for a header; the zero value: it has none.
func clientAddress(a net.Addr) netip.AddrPort {
	tcp, ok := a.(*net.TCPAddr)
	if !ok {
		return netip.AddrPort{}
	}
	return tcp.AddrPort()
}
