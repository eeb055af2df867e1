package server

import (
	"encoding/json"
	"net/http"
	"time"
)

// fewChanges limits the values that are tried of calls that cost one of the tenant's changes in an hour.
var fewChanges = []string{"mast's ID", "scenes", "tenants", "tenant name", "host"}

// deviceRows are the calls that find, add, change and delete devices.
var deviceRows = map[string]operationRow{
	"console getOverviewStatistics": {call: noParams, noNames: true},
	"console getAttention":          {call: noParams},
	"console getProductSimpleList":  {call: noParams, noNames: true},
	"console getSearchResult":       {call: func(s *tenantFixture) request { return queryRequest("text", s.tag) }},
	"console getDevicePage":         {query: firstPage, call: noParams},
	"console getGroupDeviceList": {
		call: func(s *tenantFixture) request { return queryRequest("groupId", number(s.scene)) },
	},
	"console getDevicesByNames": {
		call: func(s *tenantFixture) request { return queryRequest("deviceNames", s.device("mast")) },
	},
	"console getDeviceMap":         {call: noParams},
	"console getTsl":               {call: mastQuery},
	"console getDeviceConnection":  {call: mastQuery},
	"console getDevicePresence":    {call: mastQuery, noNames: true},
	"console getDeviceDiagnostics": {call: mastQuery, noNames: true},
	"console getDeviceSilence":     {call: mastQuery, noNames: true},
	"console getDeviceProperties":  {call: mastQuery},
	"console getDeviceVideo":       {call: streamQuery},
	"console getDeviceEvents":      {call: streamQuery},
	"console updateDevice": {
		call: func(s *tenantFixture) request {
			return request{body: fields{"deviceName": s.device("mast"), "noteName": s.tag + " Pump 3", "groupId": 0}}
		},
		undo: func(w *isolationEnv, s *tenantFixture, _ *httpAnswer) {
			w.mustCall(s, http.MethodPut, pc+"device/update", fields{
				"deviceName": s.device("mast"), "noteName": s.tag + " note", "groupId": s.scene,
				"longitude": 32.85, "latitude": 39.92,
			}, new(any))
		},
		log: "device.update TAG note; noteName: TAG note > TAG Pump 3; groupName: TAG scene > <nil>; " +
			"longitude: 32.85 > <nil>; latitude: 39.92 > <nil>",
		screens: []string{"device"},
	},
	"console newDeviceSecret": {
		call: func(s *tenantFixture) request { return request{body: fields{"deviceName": s.device("stream")}} },
		log:  "device.update TAG-stream; secrets hidden", screens: []string{"device"}, nondeterministic: true,
	},
	"console swapDevice": {
		call: func(s *tenantFixture) request {
			return request{body: fields{
				"deviceName": s.device("stream"), "serial": s.fresh("SXT-"), "note": s.tag + " hail",
			}}
		},
		log:     "device.swap TAG-stream; secrets hidden; serial: TAG… > TAG SXT-…; note: <nil> > TAG hail",
		screens: []string{"device"}, nondeterministic: true, onlyValues: fewChanges,
	},
	"console getDeviceOffer": {call: noParams, noNames: true},
	"console createDevice": {
		call: func(s *tenantFixture) request {
			return request{body: fields{
				"noteName": s.tag + " added", "productId": s.product, "serial": s.tag + "-added", "groupId": s.scene,
			}}
		},
		undo: func(w *isolationEnv, s *tenantFixture, res *httpAnswer) {
			var made struct{ Data struct{ DeviceName string } }
			if err := json.Unmarshal(res.Body.Bytes(), &made); err != nil {
				w.t.Fatal(err)
			}
			w.mustCall(s, http.MethodDelete, pc+"device/delete?deviceName="+made.Data.DeviceName, nil, new(any))
		},
		log: "device.create TAG added; product: <nil> > mast; serial: <nil> > TAG-added; " +
			"noteName: <nil> > TAG added; groupName: <nil> > TAG scene",
		screens: []string{"device"}, nondeterministic: true, onlyValues: fewChanges,
	},
	"console importDevices": {
		call: func(s *tenantFixture) request {
			return request{body: fields{"csv": "noteName,product\n" + s.fresh("row") + ",mast\n", "dryRun": false}}
		},
		log:     "device.create TAG row…; product: <nil> > mast; noteName: <nil> > TAG row…",
		screens: []string{"device"}, nondeterministic: true,
	},
	"console deleteDevice": {
		call:      func(s *tenantFixture) request { return queryRequest("deviceName", s.freshDevice()) },
		log:       "device.delete TAG device…",
		logBefore: "device.update TAG device…; disabled: false > true", // until it is deleted
		screens:   []string{"device"},
	},
	"console getFirstReading": {call: mastQuery},
	"console readClaim": {
		call:     func(*tenantFixture) request { return request{body: fields{"text": "7K3Q-9DMX-2B4F-7"}} },
		unlogged: "reads", unseen: "reads", noNames: true, publicAnswer: "what the text itself says",
	},
	// Codes of other tenants: TestClaimOfAnotherTenant.
	"console claimDevice": {
		call: func(s *tenantFixture) request {
			return request{body: fields{"text": s.shelved(), "noteName": s.tag + " claimed", "groupId": s.scene}}
		},
		log: "device.create TAG claimed; product: <nil> > mast; serial: <nil> > TAG-box-…; " +
			"noteName: <nil> > TAG claimed",
		screens: []string{"device"}, nondeterministic: true,
		// A code is used once, and ten wrong ones are too many.
		onlyValues: []string{"tenants", "tenant name", "host"},
	},
	"console getCalibrationPage": {call: mastQuery},
	"console createCalibration": {
		call: func(s *tenantFixture) request { return request{body: calibrationForm(s, -0.5)} },
		undo: func(w *isolationEnv, s *tenantFixture, res *httpAnswer) {
			var made struct{ Data struct{ ID int64 } }
			if err := json.Unmarshal(res.Body.Bytes(), &made); err != nil {
				w.t.Fatal(err)
			}
			w.mustCall(s, http.MethodPut, pc+"device/calibration/undo", fields{"id": made.Data.ID}, new(any))
		},
		log: "device.calibrate TAG note; attribute: <nil> > airTemperature; fromTime: <nil> > …; " +
			"calibrationKind: <nil> > offset; offset: <nil> > -0.5",
		nondeterministic: true, onlyValues: fewChanges,
	},
	"console undoCalibration": {
		call: func(s *tenantFixture) request {
			return request{body: fields{"id": s.makeThing("device/calibration/create", calibrationForm(s, -0.5))}}
		},
		log: "device.undoCalibration TAG note; attribute: <nil> > airTemperature; fromTime: <nil> > …; " +
			"calibrationKind: <nil> > offset; offset: <nil> > -0.5",
	},
}

func calibrationForm(s *tenantFixture, offset float64) fields {
	return fields{
		"deviceName": s.device("mast"), "yeuSign": "airTemperature", "fromTime": time.Now().UnixMilli() - 1000,
		"kind": "offset", "offset": offset, "note": s.tag,
	}
}

// readingRows are the calls that read what devices have measured.
var readingRows = map[string]operationRow{
	"console getElementMap": {
		call:    func(*tenantFixture) request { return queryRequest("yeuSigns", "airTemperature") },
		noNames: true,
	},
	"console getDataLast":       {call: mastQuery},
	"console getDeviceCoverage": {call: recentReadings, noNames: true},
	"console getDerivedAccount": {noNames: true, call: func(s *tenantFixture) request {
		return queryRequest("deviceName", s.device("mast"), "yeuSign", "chill")
	}},
	"console getTimeIntervalDataMap":     {call: recentReadings},
	"console getTimeIntervalDataRows":    {call: recentReadings},
	"console getTimeIntervalDataColumns": {call: recentReadings},
	"console getAggregatedData":          {call: recentReadings},
	"console getOnTimes":                 {call: recentSwitch, noNames: true},
	"console getDayLines": {call: func(s *tenantFixture) request {
		return queryRequest("deviceNames", s.device("mast"), "yeuSigns", "airTemperature")
	}},
	"console getSignData":      {call: recentReadings},
	"console exportDeviceData": {call: recentReadings, log: "device.export TAG note; startTime: <nil> > …"},
}

// sceneRows are the calls about scenes.
var sceneRows = map[string]operationRow{
	"console pageScenes": {query: firstPage, call: noParams},
	"console getScene":   {call: func(s *tenantFixture) request { return queryRequest("id", number(s.scene)) }},
	"console createScene": {
		call: func(s *tenantFixture) request {
			return request{body: fields{"groupName": s.tag + " other", "groupStatus": 1}}
		},
		undo: deleteCreated("group/page", "group/delete"),
		log:  "scene.create TAG other; name: <nil> > TAG other; groupStatus: <nil> > 1", screens: []string{"scene"},
	},
	"console updateScene": {
		call: func(s *tenantFixture) request {
			id, name := s.freshScene(), s.fresh("scene")
			return request{body: fields{"id": id, "groupName": name, "groupStatus": 2}}
		},
		log: "scene.update TAG scene…; name: TAG scene… > TAG scene…; groupStatus: 1 > 2", screens: []string{"scene"},
	},
	"console deleteScene": {
		call: func(s *tenantFixture) request { return queryRequest("id", number(s.freshScene())) },
		log:  "scene.delete TAG scene…; name: TAG scene… > <nil>; groupStatus: 1 > <nil>", screens: []string{"scene"},
	},
}

// mastQuery asks for the mast.
func mastQuery(s *tenantFixture) request { return queryRequest("deviceName", s.device("mast")) }

func streamQuery(s *tenantFixture) request { return queryRequest("deviceName", s.device("stream")) }

// recentSwitch asks when the mast's pump was on. The hour is the same in all calls: the time since a
// midnight would differ between them.
func recentSwitch(s *tenantFixture) request {
	return queryRequest("deviceName", s.device("mast"), "yeuSign", "pump",
		"startTime", number(s.ruled-3_600_000), "endTime", number(s.ruled))
}

// recentReadings asks for the mast's latest readings.
func recentReadings(s *tenantFixture) request {
	now := time.Now().UnixMilli()
	return queryRequest("deviceName", s.device("mast"), "yeuSignList", "note,airTemperature",
		"startTime", number(now-3_600_000), "endTime", number(now+3_600_000))
}
