/**
 * The kinds of channels, in the order in which all screens show them. `kinds.ts` says what
 * distinguishes them; addresses of pages need the names alone.
 */
export const channelKinds = ['email', 'phoneMessage', 'telegram'] as const;

/** How a channel notifies people. */
export type ChannelKind = (typeof channelKinds)[number];
