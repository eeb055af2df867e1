import { useSession } from '../session/session';

/** Belongs to no run of the server: a stream that is opened from here begins with a reset. */
const unknownPosition = '-';

/**
 * Each answer carries the position of the live stream before the server read it. A stream opened
 * from the earliest of these brings everything that the answers may lack, so nothing needs to be
 * refetched.
 */
class PositionTracker {
  private earliest = '';
  /**
   * Calls that began before any answer came: the server may have read them earlier than that
   * answer.
   */
  private pendingCalls = 0;
  private waiting: ((position: string) => void)[] = [];

  begin(): (position: string) => void {
    // A call that begins now cannot have an earlier position.
    if (this.earliest !== '') return () => undefined;
    this.pendingCalls += 1;
    return (position) => {
      this.record(position);
      this.pendingCalls -= 1;
      if (this.pendingCalls > 0) return;
      for (const resolvePosition of this.waiting.splice(0)) resolvePosition(this.earliest);
    };
  }

  private record(position: string): void {
    if (position === '') return;
    if (this.earliest === '') this.earliest = position;
    // The server restarted in between and does not know what happened before.
    else if (serverRunOf(position) !== serverRunOf(this.earliest)) this.earliest = unknownPosition;
    else if (isBefore(position, this.earliest)) this.earliest = position;
  }

  position(): Promise<string> {
    if (this.pendingCalls === 0) return Promise.resolve(this.earliest);
    return new Promise((resolvePosition) => this.waiting.push(resolvePosition));
  }

  moveTo(position: string): void {
    this.earliest = position;
  }
}

let tracker = new PositionTracker();

// The positions of another user, or of an earlier session, are of no use.
useSession.subscribe(({ session }, before) => {
  if (session?.userId !== before.session?.userId) tracker = new PositionTracker();
});

/**
 * Records the start of a call. The caller passes the answer's position to the returned function, or
 * an empty text when there was none.
 */
export function trackCall(): (position: string) => void {
  return tracker.begin();
}

/**
 * The position from which to open the first stream; empty when none is known. Waits for the answers
 * that may have an earlier one.
 */
export function streamStartPosition(): Promise<string> {
  return tracker.position();
}

/** Marks all fetched data as at least as new as this event, because a stream updated it. */
export function markCaughtUp(position: string): void {
  if (position !== '') tracker.moveTo(position);
}

/**
 * Whether events may lie between two positions; between two runs of the server anything may have
 * happened.
 */
export function isBefore(position: string, other: string): boolean {
  return serverRunOf(position) !== serverRunOf(other) || sequenceOf(position) < sequenceOf(other);
}

const serverRunOf = (position: string) => position.slice(0, position.lastIndexOf('-'));
const sequenceOf = (position: string) => Number(position.slice(position.lastIndexOf('-') + 1));
