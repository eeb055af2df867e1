package httpapi

import (
	"context"

	"tilth/internal/httpapi/wire"
)

// Calls that the contract has and nothing answers yet.

var errNotYet error = noSuchPath()

// CreateNoticeChannel is not there yet.
func (s *server) CreateNoticeChannel(context.Context, wire.CreateNoticeChannelRequestObject) (wire.CreateNoticeChannelResponseObject, error) {
	return nil, errNotYet
}

// DeleteNoticeChannel is not there yet.
func (s *server) DeleteNoticeChannel(context.Context, wire.DeleteNoticeChannelRequestObject) (wire.DeleteNoticeChannelResponseObject, error) {
	return nil, errNotYet
}

// GetNoticeChannel is not there yet.
func (s *server) GetNoticeChannel(context.Context, wire.GetNoticeChannelRequestObject) (wire.GetNoticeChannelResponseObject, error) {
	return nil, errNotYet
}

// GetNoticeWays is not there yet.
func (s *server) GetNoticeWays(context.Context, wire.GetNoticeWaysRequestObject) (wire.GetNoticeWaysResponseObject, error) {
	return nil, errNotYet
}

// PageNoticeChannels is not there yet.
func (s *server) PageNoticeChannels(context.Context, wire.PageNoticeChannelsRequestObject) (wire.PageNoticeChannelsResponseObject, error) {
	return nil, errNotYet
}

// TestNoticeChannel is not there yet.
func (s *server) TestNoticeChannel(context.Context, wire.TestNoticeChannelRequestObject) (wire.TestNoticeChannelResponseObject, error) {
	return nil, errNotYet
}

// UpdateNoticeChannel is not there yet.
func (s *server) UpdateNoticeChannel(context.Context, wire.UpdateNoticeChannelRequestObject) (wire.UpdateNoticeChannelResponseObject, error) {
	return nil, errNotYet
}

// PageMyMessages is not there yet.
func (s *server) PageMyMessages(context.Context, wire.PageMyMessagesRequestObject) (wire.PageMyMessagesResponseObject, error) {
	return nil, errNotYet
}

// UpdateAllMessagesRead is not there yet.
func (s *server) UpdateAllMessagesRead(context.Context, wire.UpdateAllMessagesReadRequestObject) (wire.UpdateAllMessagesReadResponseObject, error) {
	return nil, errNotYet
}

// UpdateMessagesRead is not there yet.
func (s *server) UpdateMessagesRead(context.Context, wire.UpdateMessagesReadRequestObject) (wire.UpdateMessagesReadResponseObject, error) {
	return nil, errNotYet
}
