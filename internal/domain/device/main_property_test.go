package device

import "testing"

func TestMainProperty(t *testing.T) {
	number := func(identifiers ...string) (list []Property) {
		for _, identifier := range identifiers {
			list = append(list, Property{Identifier: identifier, DataType: Number})
		}
		return list
	}
	for _, c := range []struct {
		name    string
		product Product
		want    string
	}{
		{"soil probe", Product{Properties: number("soilTemperature10", "soilMoisture10", "soilMoisture30")}, "soilMoisture10"},
		{"soil thermometer", Product{Properties: number("soilTemperature10", "batteryVoltage")}, "soilTemperature10"},
		{"climate", Product{Properties: number("airHumidity", "co2", "airTemperature", "soilMoisture10")}, "airTemperature"},
		{"gauge", Product{Properties: number("waterTemperature", "waterFlow", "waterLevel")}, "waterLevel"},
		{"pump", Product{Properties: number("waterPh", "waterFlow")}, "waterFlow"},
		{"unknown", Product{Properties: number("batteryVoltage", "soilMoisture10")}, "batteryVoltage"},
		{"its own state first", Product{Properties: []Property{
			{Identifier: "batteryVoltage", DataType: Number, ElementUnit: "V"}, {Identifier: "pm25", DataType: Number},
		}}, "pm25"},
		{"nothing but its own state", Product{Properties: []Property{
			{Identifier: "live", DataType: Text}, {Identifier: "boxTemperature", DataType: Number, ElementUnit: "°C"},
		}}, "boxTemperature"},
		{"another word", Product{Properties: number("soilTemperature", "soilMoistureRaw")}, "soilTemperature"},
		{"camera", Product{Properties: append(
			[]Property{{Identifier: "live", DataType: Text}}, number("boxTemperature")...)}, "boxTemperature"},
		{"only a text", Product{Properties: []Property{{Identifier: "live", DataType: Text}}}, "live"},
		{"chosen", Product{MainSign: "soilMoisture30", Properties: number("soilMoisture10", "soilMoisture30")}, "soilMoisture30"},
		{"chosen and gone", Product{MainSign: "co2", Properties: number("soilTemperature10", "soilMoisture10")}, "soilMoisture10"},
	} {
		if got := c.product.Main(); got == nil || got.Identifier != c.want {
			t.Errorf("%s: %+v, want %s", c.name, got, c.want)
		}
	}
	if got := (&Product{}).Main(); got != nil {
		t.Errorf("a product without properties has %+v", got)
	}
}
