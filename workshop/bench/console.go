package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// console is a signed-in person's client of the server.
type console struct {
	base  string // http://host:port
	token string
	http  *http.Client
}

// signIn signs the tenant's user in with a client of its own.
func signIn(ctx context.Context, base string, w Tenant) (*console, error) {
	c := &console{base: base, http: &http.Client{Transport: &http.Transport{
		// Compression would cost both sides more time than it saves on a loopback.
		DisableCompression: true, MaxIdleConnsPerHost: parallelReads, Proxy: http.ProxyFromEnvironment,
	}}}
	return c, c.enter(ctx, w)
}

const signInPath = "/app-api/member/auth/login-username"

func signInBody(w Tenant) ([]byte, error) {
	return json.Marshal(map[string]string{"userName": w.User, "password": w.Password, "tenantName": w.Name})
}

// enter signs the tenant's user in.
func (c *console) enter(ctx context.Context, w Tenant) error {
	body, err := signInBody(w)
	if err != nil {
		return err
	}
	var session struct {
		AccessToken string `json:"accessToken"`
	}
	if err := c.call(ctx, http.MethodPost, signInPath, body, &session); err != nil {
		return fmt.Errorf("sign in as %s: %w", w.User, err)
	}
	c.token = session.AccessToken
	return nil
}

// point is one reading of one property.
type point struct {
	Time  int64   `json:"time"`
	Value float64 `json:"value"`
}

// history reads a device's readings between two times, epoch ms, both included.
func (c *console) history(
	ctx context.Context,
	device string,
	properties []string,
	from, to int64,
) (map[string][]point, error) {
	query := url.Values{
		"deviceName": {device}, "startTime": {strconv.FormatInt(from, 10)}, "endTime": {strconv.FormatInt(to, 10)},
		"yeuSignList": {strings.Join(properties, ",")},
	}
	var series map[string][]point
	path := "/admin-api/client/pc/device/get/format-map/time-interval-data?" + query.Encode()
	err := c.call(ctx, http.MethodGet, path, nil, &series)
	return series, err
}

func (c *console) request(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	if c.token != "" {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	return c.http.Do(r)
}

func (c *console) call(ctx context.Context, method, path string, body []byte, data any) error {
	res, err := c.request(ctx, method, path, body)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }() // read to its end
	envelope := struct {
		Code int    `json:"code"`
		Msg  string `json:"msg"`
		Data any    `json:"data"`
	}{Data: data}
	if err := json.NewDecoder(res.Body).Decode(&envelope); err != nil {
		return fmt.Errorf("%s, %s: %w", res.Status, res.Header.Get("Content-Type"), err)
	}
	if envelope.Code != 200 {
		return fmt.Errorf("answer %d: %s", envelope.Code, envelope.Msg)
	}
	_, err = io.Copy(io.Discard, res.Body)
	return err
}

// readMetrics reads the numbers without labels of a metrics page.
func readMetrics(ctx context.Context, address string) (map[string]float64, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, err
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }() // read to its end
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, err
	}
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", address, res.Status)
	}
	found := map[string]float64{}
	for line := range strings.Lines(string(raw)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if n, err := strconv.ParseFloat(value, 64); err == nil {
			found[name] = n
		}
	}
	return found, nil
}
