package text

// descriptor is everything in which one language differs from others on the server, except its
// sentences (locales/TAG.json). The words beside numbers (h, days) are sentences, span.*. The console
// has its own descriptors in web/src/lib/i18n/languages.ts; testdata/formats.json holds both to the
// same formats.
type descriptor struct {
	tag Language

	thousands, decimals string // separators
	percentFirst        bool   // %45,2
	percentGap          string // between the number and the percent sign after it

	dateTime      string // day and time for time.Format; on a 24-hour clock
	shortDateTime string // the same without the year, for SMS
	date          string // the day alone
	shortDate     string // the day alone, without the year, for SMS
	axisDate      string // a day on an axis, in digits for a font without Chinese
	withZone      string // a time and its offset from UTC

	// units are the parts of units that the language writes differently; others stay unchanged.
	units map[string]string
	// unitsWhole: a unit with a part that is not in units stays unchanged as a whole.
	unitsWhole bool

	// smsPlain: SMS replace typographic characters by plain ones (see FoldSMS). A language whose own
	// letters are outside GSM 03.38 gains nothing by that.
	smsPlain bool
	// mailFonts are the system fonts of mails; empty: those of the Latin and Cyrillic scripts.
	mailFonts string
	// namesOptional: a provider's file may leave out this language's names of elements and products;
	// people then read the English ones. A new language starts so, and files that were valid stay
	// valid.
	namesOptional bool

	sentences map[string]string // by key
}

// The languages that the code names. A new language needs no constant.
const (
	English Language = "en-us"
	Chinese Language = "zh-cn"
	Turkish Language = "tr-tr"
	Russian Language = "ru-ru"
)

// shipped are the languages of the console, the default first.
var shipped = []*descriptor{
	{
		tag:       English,
		thousands: ",", decimals: ".",
		dateTime: "Jan 2, 2006, 15:04", shortDateTime: "Jan 2, 15:04",
		date: "Jan 2, 2006", shortDate: "Jan 2", axisDate: "Jan 2", withZone: "%s (%s)",
		smsPlain: true,
	},
	{
		tag:       Chinese,
		thousands: ",", decimals: ".",
		dateTime: "2006-01-02 15:04", shortDateTime: "1月2日15:04",
		date: "2006-01-02", shortDate: "1月2日", axisDate: "01-02", withZone: "%s（%s）",
		// Only here: these fonts set the quotation marks of other languages too wide.
		mailFonts: "-apple-system,'PingFang SC','Microsoft YaHei','Noto Sans CJK SC',sans-serif",
	},
	{
		tag:       Turkish,
		thousands: ".", decimals: ",", percentFirst: true,
		dateTime: "02.01.2006 15:04", shortDateTime: "02.01 15:04",
		date: "02.01.2006", shortDate: "02.01", axisDate: "02.01", withZone: "%s (%s)",
		units: map[string]string{"s": "sn", "min": "dk", "h": "sa", "d": "gün"},
	},
	{
		tag:       Russian,
		thousands: nbsp, decimals: ",", percentGap: nbsp,
		dateTime: "02.01.2006, 15:04", shortDateTime: "02.01 15:04",
		date: "02.01.2006", shortDate: "02.01", axisDate: "02.01", withZone: "%s (%s)",
		unitsWhole: true,
		units: map[string]string{
			"mm":   "мм",
			"cm":   "см",
			"m":    "м",
			"km":   "км",
			"m²":   "м²",
			"m³":   "м³",
			"ha":   "га",
			"ms":   "мс",
			"s":    "с",
			"min":  "мин",
			"h":    "ч",
			"d":    "сут",
			"g":    "г",
			"kg":   "кг",
			"mg":   "мг",
			"µg":   "мкг",
			"t":    "т",
			"L":    "л",
			"l":    "л",
			"mL":   "мл",
			"mol":  "моль",
			"µmol": "мкмоль",
			"Pa":   "Па",
			"hPa":  "гПа",
			"kPa":  "кПа",
			"bar":  "бар",
			"mbar": "мбар",
			"W":    "Вт",
			"kW":   "кВт",
			"Wh":   "Вт·ч",
			"kWh":  "кВт·ч",
			"J":    "Дж",
			"MJ":   "МДж",
			"V":    "В",
			"mV":   "мВ",
			"A":    "А",
			"mA":   "мА",
			"Hz":   "Гц",
			"mS":   "мСм",
			"dS":   "дСм",
			"µS":   "мкСм",
			"lx":   "лк",
			"klx":  "клк",
			"dB":   "дБ",
			"dBm":  "дБм",
			"°C":   "°C",
			"%":    "%",
			"°":    "°",
		},
	},
}
