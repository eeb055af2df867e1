package ingest

import (
	"net/http"

	"tilth/internal/domain/device"
	"tilth/internal/edge/httpbase"
)

// weatherStationPath is where stations report that speak Weather Underground's protocol; many have
// it built in.
const weatherStationPath = "/weatherstation/updateweatherstation.php"

// maxUnsignedForm is the size in bytes of a form that is read before its sender is known, because
// it holds the secret itself. A station's has less than 4 KiB.
const maxUnsignedForm = 16 << 10

// ecowitt takes a report in the Ecowitt protocol. Its PASSKEY follows from the station's MAC
// address, which is no secret, so only the path's secret counts.
func (h *httpEdge) ecowitt(w http.ResponseWriter, r *http.Request) {
	form, e, release := h.receive(w, r)
	defer release()
	if e != nil {
		h.commit(w, r, h.message(e, StationReport, form), func(w http.ResponseWriter) {
			writeText(w, http.StatusOK, "OK")
		})
	}
}

// weatherStation takes a report in Weather Underground's protocol: GET with a query, or POST with a
// form, a query, or both.
func (h *httpEdge) weatherStation(w http.ResponseWriter, r *http.Request) {
	report, hasBody := []byte(r.URL.RawQuery), r.Method == http.MethodPost
	name, secret := stationSignIn(report)
	if hasBody && (name == "" || secret == "") {
		if h.refuseShortOfMemory(w) {
			return
		}
		from := httpbase.Sender{Network: networkOf(h.opts.ClientAddr(r))}
		body, release, err := h.read(w, r, from, min(maxUnsignedForm, h.opts.MaxMessage))
		defer release()
		if err != nil {
			answerReadError(w, err) // the body names the device, so the error counts for no device
			return
		}
		report, hasBody = joinForms(report, body), false
		name, secret = stationSignIn(report)
	}
	if name == "" || secret == "" {
		name, secret = "", "" // either alone could be taken for a secret without a name
	}
	e := h.signInDevice(w, r, name, secret, answerInvalidStation)
	if e == nil || !h.admit(w, e) {
		return
	}
	if hasBody {
		body, release, ok := h.readOf(w, r, e)
		defer release()
		if !ok {
			return
		}
		if e = h.signInAgain(w, e, name, secret, answerInvalidStation); e == nil {
			return
		}
		report = joinForms(report, body)
	}
	if len(report) > h.opts.MaxMessage {
		h.pipeline.rejectOversized(e)
		answerReadError(w, errTooLarge)
		return
	}
	h.commit(w, r, h.message(e, StationReport, report), func(w http.ResponseWriter) {
		writeText(w, http.StatusOK, "success")
	})
}

func answerInvalidStation(w http.ResponseWriter) {
	writeText(w, http.StatusUnauthorized, "INVALIDPASSWORDID")
}

// stationSignIn returns the device name and the secret in a report.
func stationSignIn(report []byte) (name, secret string) {
	form, ok := parseForm(report)
	if !ok {
		return "", ""
	}
	return form.values["ID"], form.values["PASSWORD"]
}

// joinForms joins two forms; of a field that both have, that of the second counts.
func joinForms(first, second []byte) []byte {
	return append(append(first[:len(first):len(first)], '&'), second...)
}

func writeText(w http.ResponseWriter, status int, body string) {
	write(w, status, "text/plain; charset=utf-8", []byte(body))
}

// decodeReport decodes what a weather station reports of itself: a form, percent-encoded.
func (d *decoder) decodeReport(c *messageContent, e *device.Entry, payload []byte, at int64) {
	d.begin(c)
	defer d.finish(c)
	p := deviceContent{ref: e.Ref, at: at}
	if form, ok := parseForm(payload); ok {
		d.decodeForm(c, &p, e, form)
	} else {
		p.refuse("", device.ReasonUnreadable)
	}
	c.parts = append(c.parts, p)
}
