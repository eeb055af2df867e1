package text

// localeFormat is how a language writes numbers, days and times. The words beside them
// (h, days) are sentences, span.*, and units are in unit.go. The console has the
// same in web/src/lib/format; testdata/formats.json holds both to one text.
type localeFormat struct {
	thousands, decimals string // the marks
	percentFirst        bool   // %45,2
	percentGap          string // between the number and the sign behind it
	dateTime            string // day and time, as time.Format takes it; on a 24-hour clock
	shortDateTime       string // the same without its year, as short as an SMS has it
	axisDate            string // a day on an axis, in figures of a face without Chinese
	withZone            string // a moment and its offset from UTC
}

var localeFormats = map[Language]localeFormat{
	English: {",", ".", false, "", "Jan 2, 2006, 15:04", "Jan 2, 15:04", "Jan 2", "%s (%s)"},
	Chinese: {",", ".", false, "", "2006-01-02 15:04", "1月2日15:04", "01-02", "%s（%s）"},
	Turkish: {".", ",", true, "", "02.01.2006 15:04", "02.01 15:04", "02.01", "%s (%s)"},
	Russian: {nbsp, ",", false, nbsp, "02.01.2006, 15:04", "02.01 15:04", "02.01", "%s (%s)"},
}

const (
	nbsp = "\u00a0"
	// minus is what people read; SMS and machines have a hyphen.
	minus = "\u2212"
)

func formatOf(l Language) localeFormat {
	if f, ok := localeFormats[l]; ok {
		return f
	}
	return localeFormats[English]
}
