let delivered = false;

/** Records that screens of this document have received events. */
export function noteDelivery(): void {
  delivered = true;
}

/**
 * Whether an answer of that time may lack events that only other screens received: then a screen that
 * opens with it fetches anew. What this document fetched before the first event lacks none, since the
 * stream begins at the earliest answer.
 */
export function mayLackEvents(answeredAt: number): boolean {
  return delivered || answeredAt < performance.timeOrigin;
}
