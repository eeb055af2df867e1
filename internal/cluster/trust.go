package cluster

import (
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"math/big"
	"time"
)

const (
	deviceKeySize = 32 // bytes of the platform's device key

	// nodeKeyInfo tells the key of nodes from everything else that is derived from the device key.
	nodeKeyInfo = "tilth cluster node"
)

// OtherKeyError says that a node has another key than this one.
type OtherKeyError struct {
	Address string // of the other node
}

func (e *OtherKeyError) Error() string {
	return fmt.Sprintf(
		"the node at %s has another key: it belongs to another cluster, or was not joined with tilth join",
		e.Address,
	)
}

// Trust is how the nodes of a cluster know each other. All have the platform's device key and
// derive one and the same key pair from it. A node is whoever proves, in a TLS 1.3 handshake, that
// it has this pair. No name, no authority and no clock is asked.
type Trust struct {
	public      ed25519.PublicKey
	certificate tls.Certificate
}

// NewTrust derives the nodes' key from the platform's device key, which has 32 bytes, and makes a
// certificate of it. The certificate is kept nowhere.
func NewTrust(deviceKey []byte) (*Trust, error) {
	if len(deviceKey) != deviceKeySize {
		return nil, fmt.Errorf("cluster: the device key has %d bytes in place of %d", len(deviceKey), deviceKeySize)
	}
	seed, err := hkdf.Key(sha256.New, deviceKey, nil, nodeKeyInfo, ed25519.SeedSize)
	if err != nil {
		return nil, fmt.Errorf("cluster: the key of nodes: %w", err)
	}
	key := ed25519.NewKeyFromSeed(seed)
	public := key.Public().(ed25519.PublicKey)
	// TLS wants a certificate around the key. Nobody reads its name or its times.
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		Subject:      pkix.Name{CommonName: nodeKeyInfo},
		NotBefore:    time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC),
		NotAfter:     time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC),
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, public, key)
	if err != nil {
		return nil, fmt.Errorf("cluster: the certificate of nodes: %w", err)
	}
	return &Trust{
		public:      public,
		certificate: tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key},
	}, nil
}

// ServerConfig is the TLS configuration for connections from other nodes. It refuses clients with
// another key or none.
func (t *Trust) ServerConfig() *tls.Config {
	c := t.config()
	c.ClientAuth = tls.RequireAnyClientCert // VerifyConnection decides
	return c
}

// ClientConfig is the TLS configuration for connections to other nodes. It refuses servers with
// another key; the handshake then returns an *OtherKeyError without an address, which the caller
// fills in.
func (t *Trust) ClientConfig() *tls.Config {
	c := t.config()
	// This turns off only the check of the chain and of the name, which self-signed certificates
	// cannot pass. VerifyConnection compares the server's key in every handshake, and TLS 1.3 has
	// the server sign with that key.
	c.InsecureSkipVerify = true
	return c
}

func (t *Trust) config() *tls.Config {
	return &tls.Config{
		MinVersion:             tls.VersionTLS13,
		Certificates:           []tls.Certificate{t.certificate},
		VerifyConnection:       t.verify,
		SessionTicketsDisabled: true, // each connection proves the key anew
	}
}

// verify refuses a peer whose key is not the key of this cluster's nodes.
func (t *Trust) verify(s tls.ConnectionState) error {
	if len(s.PeerCertificates) == 0 { // the configurations above do not let it come to this
		return errors.New("cluster: the node has no key")
	}
	if !t.public.Equal(s.PeerCertificates[0].PublicKey) {
		return &OtherKeyError{}
	}
	return nil
}

// withAddress fills in whose key is another one.
func withAddress(err error, address string) error {
	if other := (*OtherKeyError)(nil); errors.As(err, &other) {
		return &OtherKeyError{Address: address}
	}
	return err
}
