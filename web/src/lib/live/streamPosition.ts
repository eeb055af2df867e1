import { useSession } from '../session/session';

/** Of no run of the server: a stream that is opened from here is told to ask for everything anew. */
const unknownPosition = '-';

/**
 * Each answer says where the live stream stood before the server read it. A stream that is opened from the earliest of these brings
 * all that the answers may lack, so nothing needs to be asked for again.
 */
class PositionTracker {
  private earliest = '';
  /** Calls that began before any answer had come, and so may have been read before it was. */
  private pendingCalls = 0;
  private waiting: ((position: string) => void)[] = [];

  begin(): (position: string) => void {
    // One that begins now is read after the earliest was told.
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
    // The server has started again in between, and knows nothing of what happened before.
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

// Another person's answers, and those of another time, are of no use.
useSession.subscribe(({ session }, before) => {
  if (session?.userId !== before.session?.userId) tracker = new PositionTracker();
});

/** A call sets out. What it gives back is to be told the position that was answered, empty when there was none. */
export function trackCall(): (position: string) => void {
  return tracker.begin();
}

/** Where a first stream is to be opened from; empty when nothing tells. Waits for the answers that may know an earlier one. */
export function streamStartPosition(): Promise<string> {
  return tracker.position();
}

/** Everything that has been fetched is as new as this event, or newer: a stream showed it. */
export function markCaughtUp(position: string): void {
  if (position !== '') tracker.moveTo(position);
}

/** Whether something may have happened from one position to the other; between those of two runs of the server anything may have. */
export function isBefore(position: string, other: string): boolean {
  return serverRunOf(position) !== serverRunOf(other) || sequenceOf(position) < sequenceOf(other);
}

const serverRunOf = (position: string) => position.slice(0, position.lastIndexOf('-'));
const sequenceOf = (position: string) => Number(position.slice(position.lastIndexOf('-') + 1));
