package console

import (
	"context"
	"encoding/base64"
	"encoding/json"

	"tilth/internal/domain/captcha"
	"tilth/internal/edge/console/wire"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/text"
)

// GetCaptcha makes a slider captcha.
func (s *server) GetCaptcha(
	ctx context.Context,
	r wire.GetCaptchaRequestObject,
) (wire.GetCaptchaResponseObject, error) {
	if code := checkKind(r.Body.CaptchaType); code != captcha.OK {
		return wire.GetCaptcha200JSONResponse(captchaAnswer(requestFrom(ctx).Language, code, nil)), nil
	}
	c, err := s.Captcha.Get(ctx, requestFrom(ctx).Address)
	code := captcha.CodeOf(err)
	switch code {
	case captcha.OK:
	case captcha.Fault:
		return nil, err
	default:
		return wire.GetCaptcha200JSONResponse(captchaAnswer(requestFrom(ctx).Language, code, nil)), nil
	}
	background, strip := base64.StdEncoding.EncodeToString(c.Background), base64.StdEncoding.EncodeToString(c.Strip)
	return wire.GetCaptcha200JSONResponse(captchaAnswer(requestFrom(ctx).Language, code, &wire.CaptchaData{
		OriginalImageBase64: &background, JigsawImageBase64: &strip, Token: &c.Token, SecretKey: &c.SecretKey,
	})), nil
}

// CheckCaptcha checks the position at which the user put the piece.
func (s *server) CheckCaptcha(
	ctx context.Context,
	r wire.CheckCaptchaRequestObject,
) (wire.CheckCaptchaResponseObject, error) {
	code := checkKind(r.Body.CaptchaType)
	if code == captcha.OK {
		code = captcha.CodeOf(s.Captcha.Check(requestFrom(ctx).Address, deref(r.Body.Token), deref(r.Body.PointJson)))
	}
	if code != captcha.OK {
		return wire.CheckCaptcha200JSONResponse(captchaAnswer(requestFrom(ctx).Language, code, nil)), nil
	}
	right := true
	return wire.CheckCaptcha200JSONResponse(captchaAnswer(requestFrom(ctx).Language, code, &wire.CaptchaData{
		CaptchaType: r.Body.CaptchaType, Token: r.Body.Token, PointJson: r.Body.PointJson, Result: &right,
	})), nil
}

// checkKind checks the requested kind of captcha; there is only one.
func checkKind(kind *string) captcha.Code {
	switch deref(kind) {
	case captcha.Kind:
		return captcha.OK
	case "":
		return captcha.Empty
	}
	return captcha.Unavailable
}

// captchaAnswer is the captcha's own envelope; the clients of the slider read it instead of the
// usual one.
func captchaAnswer(l text.Language, code captcha.Code, data *wire.CaptchaData) wire.CaptchaAnswer {
	a := wire.CaptchaAnswer{RepCode: string(code), RepData: data, Success: code == captcha.OK}
	if code != captcha.OK {
		said := text.Translate(l, "captcha."+string(code), nil)
		a.RepMsg = &said
	}
	return a
}

// The operations that answer with the captcha's own envelope.
const (
	opGetCaptcha   = "getCaptcha"
	opCheckCaptcha = "checkCaptcha"
)

// captchaFailure writes an error in the captcha's own envelope. The clients of these operations
// read no other one, whatever the error is and wherever it occurs.
func captchaFailure(info *request, e *errs.Error) (body []byte, err error) {
	code := captcha.Fault
	switch e.Kind {
	case errs.Malformed, errs.Refused:
		code = captcha.Empty
	case errs.Unavailable:
		code = captcha.Unavailable
	case errs.TooMany:
		code = captcha.TooManyGets
		if info.Operation == opCheckCaptcha {
			code = captcha.TooManyChecks
		}
	}
	return json.Marshal(captchaAnswer(info.Language, code, nil))
}
