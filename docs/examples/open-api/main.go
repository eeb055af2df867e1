// The example prints the alarms that are open, the newest first. It needs
// TILTH_URL (https://console.example), TILTH_APP_KEY and TILTH_APP_SECRET.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"time"
)

type notice struct {
	ID         int64     `json:"id"`
	Title      string    `json:"title"`
	Level      string    `json:"level"`
	DeviceName string    `json:"deviceName"`
	StartTime  time.Time `json:"startTime"`
}

type page struct {
	Items      []notice `json:"items"`
	NextCursor string   `json:"nextCursor"`
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// settings are what the example needs of its environment.
var settings = []struct{ name, holds string }{
	{"TILTH_URL", "the console's address, https://console.example"},
	{"TILTH_APP_KEY", "the appKey of an API credential (profile page, My app)"},
	{"TILTH_APP_SECRET", "the appSecret that belongs to it"},
}

func run() error {
	for _, s := range settings {
		if os.Getenv(s.name) == "" {
			return fmt.Errorf("%s is missing: %s", s.name, s.holds)
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	parameters := url.Values{"status": {"open"}, "limit": {"400"}}
	for {
		var p page
		if err := get(ctx, "/notices?"+parameters.Encode(), &p); err != nil {
			return err
		}
		for _, n := range p.Items {
			fmt.Printf("%d\t%s\t%s\t%s\t%s\n", n.ID, n.Level, n.Title, n.DeviceName, n.StartTime.Format(time.RFC3339))
		}
		if p.NextCursor == "" {
			return nil
		}
		parameters.Set("cursor", p.NextCursor)
	}
}

// get asks once more when the server says when; any other refusal is an error
// with its reason.
func get(ctx context.Context, path string, into any) error {
	for {
		wait, err := try(ctx, path, into)
		if err != nil || wait == 0 {
			return err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func try(ctx context.Context, path string, into any) (wait time.Duration, err error) {
	r, err := http.NewRequestWithContext(
		ctx,
		http.MethodGet,
		strings.TrimRight(os.Getenv("TILTH_URL"), "/")+"/open-api/v1"+path,
		nil,
	)
	if err != nil {
		return 0, err
	}
	r.SetBasicAuth(os.Getenv("TILTH_APP_KEY"), os.Getenv("TILTH_APP_SECRET"))
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err
	}
	defer func() { _ = res.Body.Close() }() // read to its end below, or of no use
	switch res.StatusCode {
	case http.StatusOK:
		return 0, json.NewDecoder(res.Body).Decode(into)
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		seconds, err := strconv.Atoi(res.Header.Get("Retry-After"))
		return time.Duration(max(seconds, 1)) * time.Second, err
	}
	var problem struct {
		Detail string `json:"detail"`
	}
	if err := json.NewDecoder(res.Body).Decode(&problem); err != nil {
		return 0, fmt.Errorf("%s", res.Status)
	}
	return 0, fmt.Errorf("%s: %s", res.Status, problem.Detail)
}
