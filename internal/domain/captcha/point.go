package captcha

import (
	"bytes"
	"crypto/aes"
	"encoding/base64"
	"encoding/json"
	"errors"
)

var errPoint = errors.New("captcha: unreadable point")

// decryptPoint decrypts a {"x":…,"y":5} and gives its plain text and its x.
func decryptPoint(encrypted, secret string) (plain string, x float64, err error) {
	if len(encrypted) > maxPointLength {
		return "", 0, errPoint
	}
	text, err := decrypt(encrypted, secret)
	if err != nil {
		return "", 0, err
	}
	var p struct{ X, Y *float64 }
	if err := json.Unmarshal(text, &p); err != nil || p.X == nil || p.Y == nil || *p.Y != pointY {
		return "", 0, errPoint
	}
	return string(text), *p.X, nil
}

// The clients of the protocol encrypt with AES-128 in ECB mode with PKCS #7 padding, in base64. The
// server sends the key with the picture, so the cipher hides nothing from the client, and nothing
// here relies on it.

// Encrypt encrypts as the clients do; the key has 16 bytes.
func Encrypt(plain, key string) string {
	block, err := aes.NewCipher([]byte(key))
	if err != nil {
		panic(err) // the caller's key has 16 bytes
	}
	padding := aes.BlockSize - len(plain)%aes.BlockSize
	text := append([]byte(plain), bytes.Repeat([]byte{byte(padding)}, padding)...)
	for i := 0; i < len(text); i += aes.BlockSize {
		block.Encrypt(text[i:i+aes.BlockSize], text[i:i+aes.BlockSize])
	}
	return base64.StdEncoding.EncodeToString(text)
}

// decrypt reverses Encrypt.
func decrypt(encrypted, key string) ([]byte, error) {
	block, err := aes.NewCipher([]byte(key))
	if err != nil {
		return nil, err
	}
	text, err := base64.StdEncoding.DecodeString(encrypted)
	if err != nil || len(text) == 0 || len(text)%aes.BlockSize != 0 {
		return nil, errPoint
	}
	for i := 0; i < len(text); i += aes.BlockSize {
		block.Decrypt(text[i:i+aes.BlockSize], text[i:i+aes.BlockSize])
	}
	padding := int(text[len(text)-1])
	if padding == 0 || padding > aes.BlockSize ||
		!bytes.Equal(text[len(text)-padding:], bytes.Repeat(text[len(text)-1:], padding)) {
		return nil, errPoint
	}
	return text[:len(text)-padding], nil
}
