package selfservice

import (
	"encoding/hex"
	"strings"
)

// LoRaWANLabel is the QR code of a LoRaWAN device (LoRa Alliance TR005). Texts are as printed, hexadecimal
// digits in upper case.
type LoRaWANLabel struct {
	JoinEUI, DevEUI string // 16 hexadecimal digits
	Vendor, Model   string // 4 hexadecimal digits
	OwnerToken      string // empty: the label has none, as the following
	Serial          string
	Proprietary     string
}

const (
	labelBegin  = "LW:D0:"
	labelFields = 3 // JoinEUI, DevEUI and ProfileID
	euiDigits   = 16
	idDigits    = 4 // of vendor and of model
)

// parseLabel reads a LoRaWAN label. Fields that it does not know, and the checksum, are ignored; ok is
// false for another text.
func parseLabel(text string) (l LoRaWANLabel, ok bool) {
	text = strings.TrimSpace(text)
	if len(text) < len(labelBegin) || !strings.EqualFold(text[:len(labelBegin)], labelBegin) {
		return l, false
	}
	fields := strings.Split(text[len(labelBegin):], ":")
	if len(fields) < labelFields || !isHex(fields[0], euiDigits) || !isHex(fields[1], euiDigits) ||
		!isHex(fields[2], 2*idDigits) {
		return LoRaWANLabel{}, false
	}
	profile := strings.ToUpper(fields[2])
	l = LoRaWANLabel{
		JoinEUI: strings.ToUpper(fields[0]), DevEUI: strings.ToUpper(fields[1]),
		Vendor: profile[:idDigits], Model: profile[idDigits:],
	}
	for _, f := range fields[labelFields:] {
		if f == "" {
			continue
		}
		switch value := f[1:]; f[0] {
		case 'O':
			l.OwnerToken = strings.ToUpper(value)
		case 'S':
			l.Serial = value
		case 'P':
			l.Proprietary = value
		}
	}
	return l, true
}

func isHex(s string, digits int) bool {
	_, err := hex.DecodeString(s)
	return err == nil && len(s) == digits
}

// Text is what the text of a label says; at most one of its fields is set.
type Text struct {
	Code    Code
	LoRaWAN *LoRaWANLabel
}

// claimPath stands before the code in the address of a QR code.
const claimPath = "/claim#"

// ReadText reads a claim code, the address of its QR code, or a LoRaWAN label. mistyped tells that it is a
// code whose check symbol is wrong.
func ReadText(text string) (read Text, mistyped bool) {
	if l, ok := parseLabel(text); ok {
		return Text{LoRaWAN: &l}, false
	}
	if i := strings.LastIndex(text, claimPath); i >= 0 {
		text = text[i+len(claimPath):]
	}
	code, isCode, right := ParseCode(text)
	if !isCode || !right {
		return Text{}, isCode
	}
	return Text{Code: code}, false
}
