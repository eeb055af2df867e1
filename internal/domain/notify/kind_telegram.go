package notify

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// KindTelegram is the kind of messages to Telegram chats.
const KindTelegram ChannelKind = "telegram"

// telegramIDBits is how many bits a chat's id may have, beside its sign.
const telegramIDBits = 52

var (
	telegramID   = regexp.MustCompile(`^-?[1-9][0-9]{0,15}$`)
	telegramName = regexp.MustCompile(`^@[A-Za-z][A-Za-z0-9_]{3,31}$`)
)

var telegram = Kind{
	Name: KindTelegram, Label: "telegram", Title: "Telegram", Other: true,
	Field: "others", MaxRecipients: 20,
	Normalize:   normalizeChat,
	Same:        strings.ToLower,
	Destination: strings.ToLower,
	MaxText:     4096,
	MaxInFlight: 8, MaxPerDestination: 1,
	// As Telegram publishes it: about one message a second for a chat, 20 a minute for a group, 30 a
	// second in all.
	Pace: &Pace{
		All: Rate{30, time.Second},
		Each: []DestinationRate{
			{Rate: Rate{1, time.Second}},
			{Rate: Rate{20, time.Minute}, Of: isTelegramGroup},
		},
	},
}

// isTelegramGroup tells whether a chat is a group or a channel: people's ids are positive.
func isTelegramGroup(chat string) bool {
	return strings.HasPrefix(chat, "-") || strings.HasPrefix(chat, "@")
}

// normalizeChat gives the id of a chat, or the name of a public group or channel; empty: it is
// neither. Phones write a minus as a dash.
func normalizeChat(typed string) string {
	chat := strings.NewReplacer("\u2212", "-", "\u2013", "-", "\uff20", "@").Replace(typed)
	if telegramName.MatchString(chat) {
		return chat
	}
	id, err := strconv.ParseInt(chat, 10, 64)
	if err != nil || !telegramID.MatchString(chat) || max(id, -id)>>telegramIDBits != 0 {
		return ""
	}
	return chat
}
