package webhook_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"tilth/internal/domain/notify"
	"tilth/internal/domain/notify/webhook"
	"tilth/internal/tools/testkit"
)

type addr = netip.Addr

func contextWithCancel(t *testing.T) (context.Context, context.CancelFunc) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	return ctx, cancel
}

func webhookTo(url string) *notify.Webhook {
	return &notify.Webhook{Name: url, URL: url, Opened: true, Enabled: true}
}

// verify is an independent implementation of a receiver's check.
func verify(h testkit.WebhookCall, secret string) error {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return err
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(h.Header.Get("webhook-id") + "." + h.Header.Get("webhook-timestamp") + "." + string(h.Body)))
	for one := range strings.SplitSeq(h.Header.Get("webhook-signature"), " ") {
		version, given, _ := strings.Cut(one, ",")
		if raw, err := base64.StdEncoding.DecodeString(given); err == nil && version == "v1" &&
			hmac.Equal(raw, mac.Sum(nil)) {
			return nil
		}
	}
	return errWrong
}

// The example of the Standard Webhooks specification.
func TestSignStandardWebhooksExample(t *testing.T) {
	key, err := notify.SecretBytes("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	if err != nil {
		t.Fatal(err)
	}
	h := http.Header{}
	webhook.Sign(h, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, []byte(`{"test": 2432232314}`), [][]byte{key})
	if got := h.Get("webhook-signature"); got != "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=" {
		t.Error(got)
	}
}
