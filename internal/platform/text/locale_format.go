package text

// localeFormat is how a language writes numbers, days and times. The words beside them (h, days)
// are sentences, span.*, and units are in unit.go. The console has the same formats in
// web/src/lib/format; the tests of both use testdata/formats.json.
type localeFormat struct {
	thousands, decimals string // separators
	percentFirst        bool   // %45,2
	percentGap          string // between the number and the percent sign after it
	dateTime            string // day and time for time.Format; on a 24-hour clock
	shortDateTime       string // the same without the year, for SMS
	axisDate            string // a day on an axis, in digits for a font without Chinese
	withZone            string // a time and its offset from UTC
}

var localeFormats = map[Language]localeFormat{
	English: {",", ".", false, "", "Jan 2, 2006, 15:04", "Jan 2, 15:04", "Jan 2", "%s (%s)"},
	Chinese: {",", ".", false, "", "2006-01-02 15:04", "1月2日15:04", "01-02", "%s（%s）"},
	Turkish: {".", ",", true, "", "02.01.2006 15:04", "02.01 15:04", "02.01", "%s (%s)"},
	Russian: {nbsp, ",", false, nbsp, "02.01.2006, 15:04", "02.01 15:04", "02.01", "%s (%s)"},
}

const (
	nbsp = "\u00a0"
	// minus is the sign that people read; SMS and machines use a hyphen.
	minus = "\u2212"
)

func formatOf(l Language) localeFormat {
	if f, ok := localeFormats[l]; ok {
		return f
	}
	return localeFormats[English]
}
