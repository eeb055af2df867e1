/** Why the farm's own sign-in did not sign the user in; each has a text. */
const failures = [
  'denied',
  'expired',
  'unverified',
  'unknown',
  'ambiguous',
  'disabled',
  'norole',
  'clock',
  'failed',
] as const;

export type SignOnFailure = (typeof failures)[number];

/** What the farm's own sign-in brings back, behind the # of the sign-in page's address. */
export type SignOnAnswer = { ticket: string; back?: string } | { failure: SignOnFailure };

/** Null for any other address. The page checks `back` before it goes there. */
export function readAnswer(hash: string): SignOnAnswer | null {
  const parts = new URLSearchParams(hash.replace(/^#/, ''));
  const ticket = parts.get('ticket');
  if (ticket) return { ticket, ...(parts.get('return') ? { back: parts.get('return') ?? '' } : {}) };
  const failure = parts.get('oidc');
  if (failure === null) return null;
  return { failure: failures.find((known) => known === failure) ?? 'failed' };
}
