package notify

import (
	"slices"
	"strconv"
	"strings"

	"tilth/internal/domain/tenant"
	"tilth/internal/platform/errs"
	"tilth/internal/platform/text"
)

const quotedMax = 64 // characters of the typed text that an error shows

// ChannelForm is a channel as users fill it in. A nil field was not given.
type ChannelForm struct {
	Name     *string
	Kinds    []string
	To       Recipients // as typed
	Language *string
}

// Channel makes a channel from the form. Its error is the first mistake in the order of the form
// (601). It neither checks nor keeps recipients of a kind that is not chosen.
func (f *ChannelForm) Channel(t tenant.ID) (c Channel, err error) {
	c.Tenant = t
	if c.Name, err = shownName(f.Name, "noticeName"); err != nil {
		return c, err
	}
	for _, name := range f.Kinds {
		if FindKind(ChannelKind(name)) == nil {
			return c, errs.New(errs.Refused, "invalid.choice").WithField("noticeMode")
		}
	}
	if len(f.Kinds) == 0 {
		return c, errs.New(errs.Refused, "channel.modeRequired")
	}
	c.To = Recipients{}
	for _, k := range Kinds() {
		if !slices.Contains(f.Kinds, string(k.Name)) {
			continue
		}
		if c.To[k.Name], err = k.parse(f.To[k.Name]); err != nil {
			return c, err
		}
	}
	if f.Language != nil {
		c.Language = text.Language(strings.TrimSpace(*f.Language))
	}
	if c.Language != "" && !c.Language.Valid() {
		return c, errs.New(errs.Refused, "invalid.choice").WithField("language")
	}
	return c, nil
}

// shownName parses the name of a channel or a webhook.
func shownName(said *string, field string) (string, error) {
	name := ""
	if said != nil {
		name = *said
	}
	return tenant.ParseName(name, field, "common.nameRequired")
}

// parse gives the typed recipients in their stored form; it ignores empty lines.
func (k *Kind) parse(typed []string) ([]string, error) {
	var list []string
	for _, one := range typed {
		if one = strings.TrimSpace(one); one == "" {
			continue
		}
		if k.Refuse != nil {
			if refused := k.Refuse(one); refused != nil {
				return nil, refused
			}
		}
		normalized := k.Normalize(one)
		switch {
		case normalized == "":
			return nil, k.error(errs.Refused, k.texts().Format, "value", quoted(one))
		case slices.ContainsFunc(list, func(other string) bool { return k.same(normalized, other) }):
			return nil, k.error(errs.Refused, k.texts().Twice, "value", quoted(one))
		}
		list = append(list, normalized)
	}
	switch {
	case len(list) == 0:
		return nil, k.error(errs.Refused, k.texts().Empty)
	case len(list) > k.MaxRecipients:
		return nil, errs.New(errs.Refused, "invalid.many", "limit", strconv.Itoa(k.MaxRecipients)).WithField(k.Field)
	}
	return list, nil
}

// quoted is what a user typed, as an error shows it.
func quoted(typed string) string {
	typed = strings.Map(func(r rune) rune {
		if tenant.BreaksLayout(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(typed, ""))
	if runes := []rune(typed); len(runes) > quotedMax {
		return string(runes[:quotedMax]) + "…"
	}
	return typed
}
