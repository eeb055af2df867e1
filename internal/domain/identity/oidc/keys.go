package oidc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync/atomic"

	"github.com/go-jose/go-jose/v4"
)

// maxKeys is how many keys of an issuer are looked at. It is more than any has.
const maxKeys = 200

// keyTransport fetches the keys of an issuer, while allow says yes, and passes on those that can be
// used. The library would refuse all for one that it cannot read, which RFC 7517 asks to ignore.
type keyTransport struct {
	next   http.RoundTripper
	allow  func() bool
	unused atomic.Int64 // keys of the last list that cannot be used
}

// errPaced is the error of a call that came too soon after others.
var errPaced = errors.New("its keys were fetched a moment ago")

// RoundTrip implements http.RoundTripper.
func (k *keyTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if !k.allow() {
		return nil, errPaced
	}
	resp, err := k.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close() // it was only read
	if err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("it answers %d", resp.StatusCode)
	}
	list, unused, err := usableKeys(body)
	if err != nil {
		return nil, err
	}
	k.unused.Store(int64(unused))
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(list)), int64(len(list))
	return resp, nil
}

// usableKeys gives a list of those keys of a list that verify signatures, without what is not needed
// for that, and how many others there are.
func usableKeys(list []byte) (usable []byte, unused int, err error) {
	var from struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(list, &from); err != nil || from.Keys == nil {
		return nil, 0, errors.New("it is no list of keys")
	}
	var to jose.JSONWebKeySet
	for _, raw := range from.Keys[:min(len(from.Keys), maxKeys)] {
		var key jose.JSONWebKey
		if key.UnmarshalJSON(raw) != nil || !key.IsPublic() || !key.Valid() ||
			key.Algorithm != "" && !slices.Contains(asymmetric, key.Algorithm) {
			continue
		}
		to.Keys = append(to.Keys, jose.JSONWebKey{
			Key: key.Key, KeyID: key.KeyID, Algorithm: key.Algorithm, Use: key.Use,
		})
	}
	if to.Keys == nil {
		return nil, 0, fmt.Errorf("none of its %d keys can be used", len(from.Keys))
	}
	usable, err = json.Marshal(to)
	return usable, len(from.Keys) - len(to.Keys), err
}
