package bench

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"time"
)

const (
	// ackWithin is how long a request with a message may take before the attack fails.
	ackWithin     = 2 * time.Minute
	maxRetryPause = 5 * time.Second
)

// deliver sends a device's message over HTTP until it is acknowledged. If the server has no room,
// deliver tries again when the server says, until ctx ends. It waits for the response to a request
// in progress even after ctx ends, since the caller must know whether the message was accepted.
func deliver(ctx context.Context, base string, d Device, payload []byte) error {
	for {
		status, retry, err := post(context.WithoutCancel(ctx), base, d, payload)
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", d.Name, err)
		case status == http.StatusOK:
			return nil
		case status != http.StatusTooManyRequests && status != http.StatusServiceUnavailable:
			return fmt.Errorf("%s: a message was answered %d", d.Name, status)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(retry):
		}
	}
}

// post sends a message, and returns when to try again if the server refused it.
func post(ctx context.Context, base string, d Device, payload []byte) (status int, retry time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, ackWithin)
	defer cancel()
	r, err := http.NewRequestWithContext(
		ctx,
		http.MethodPost,
		base+"/api/v1/"+d.Secret+"/telemetry",
		bytes.NewReader(payload),
	)
	if err != nil {
		return 0, 0, err
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = res.Body.Close() }() // read to its end
	_, err = io.Copy(io.Discard, res.Body)
	return res.StatusCode, retryAfter(res), err
}

// retryAfter returns when a refusal asks to try again.
func retryAfter(res *http.Response) time.Duration {
	seconds, err := strconv.Atoi(res.Header.Get("Retry-After"))
	if err != nil || seconds < 1 {
		seconds = 1
	}
	return min(time.Duration(seconds)*time.Second, maxRetryPause)
}

// payloadOf returns one message with all the frames.
func payloadOf(properties []string, frames []frame) []byte {
	b := []byte{'['}
	for i, f := range frames {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"ts":`...)
		b = strconv.AppendInt(b, f.time, 10)
		b = append(b, `,"values":{`...)
		some := false
		for p, v := range f.values {
			if math.IsNaN(v) {
				continue
			}
			if some {
				b = append(b, ',')
			}
			some = true
			b = strconv.AppendQuote(b, properties[p])
			b = append(b, ':')
			b = strconv.AppendFloat(b, v, 'f', -1, 64)
		}
		b = append(b, "}}"...)
	}
	return append(b, ']')
}

// oneValue returns a frame with one value.
func oneValue(at int64, property int, value float64) frame {
	f := allValues(at, math.NaN())
	f.values[property] = value
	return f
}

// allValues returns a frame whose values are all the same.
func allValues(at int64, value float64) frame {
	f := frame{time: at, arrived: time.Now().UnixMilli(), values: make([]float64, neighbourValues)}
	for p := range f.values {
		f.values[p] = value
	}
	return f
}

// attackerTenant returns a tenant with a number of devices.
func attackerTenant(tenant string, devices int) Tenant {
	w := NewTenant(devices, neighbourValues)
	w.Name = tenant
	for i := range w.Devices {
		w.Devices[i].Name = fmt.Sprintf("%s-%04d", tenant, i+1)
	}
	return w
}
