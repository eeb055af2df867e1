package server

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"time"
)

// boxCases are the cases of operations about the box of a device: its swap, and what it measures wrongly.
var boxCases = map[string]operationCase{
	"console createCalibration": {
		build: func(s *tenantFixture) request {
			return request{body: fields{
				"deviceName": s.device("mast"), "yeuSign": "airTemperature", "fromTime": time.Now().UnixMilli() - 1000,
				"kind": "offset", "offset": 0.0, "note": s.tag,
			}}
		},
		nondeterministic: true,
		// Each costs one of the tenant's changes in an hour.
		onlyValues: []string{"device", "note", "serial", "scene", "tenant", "tenant name", "host"},
		undo: func(w *isolationEnv, s *tenantFixture, res *httptest.ResponseRecorder) {
			var made struct{ Data struct{ ID int64 } }
			if err := json.Unmarshal(res.Body.Bytes(), &made); err != nil {
				w.t.Fatal(err)
			}
			w.mustCall(s, http.MethodPut, pc+"device/calibration/undo", fields{"id": made.Data.ID}, new(any))
		},
	},
	"console getCalibrationPage": {build: mastQuery},
	"console undoCalibration": {build: func(*tenantFixture) request {
		return request{body: fields{"id": 1000000001}}
	}, wantRefusal: true},

	"console swapDevice": {
		build: func(s *tenantFixture) request {
			return request{body: fields{
				"deviceName": s.device("stream"), "serial": s.tag + "-SXT-3", "note": s.tag + " hail",
			}}
		},
		nondeterministic: true,
		// Each costs one of the tenant's few changes in an hour.
		onlyValues: []string{"device", "serial", "tenant", "tenant name", "host"},
	},
	"console getDeviceEvents": {
		build: func(s *tenantFixture) request { return queryRequest("deviceName", s.device("stream")) },
	},
}

func init() { maps.Copy(operationCases, boxCases) }
