import { useSession } from '../session';

/** Of no run of the server: a stream that is opened from here is told to ask for everything anew. */
const nowhere = '-';

/**
 * Each answer says where the live stream stood before the server read it. A stream that is opened from the earliest of these brings
 * all that the answers may lack, so nothing needs to be asked for again.
 */
class Answers {
  private earliest = '';
  /** Calls that began before any answer had come, and so may have been read before it was. */
  private underWay = 0;
  private waiting: ((position: string) => void)[] = [];

  begin(): (position: string) => void {
    // One that begins now is read after the earliest was told.
    if (this.earliest !== '') return () => undefined;
    this.underWay += 1;
    return (position) => {
      this.note(position);
      this.underWay -= 1;
      if (this.underWay > 0) return;
      for (const tell of this.waiting.splice(0)) tell(this.earliest);
    };
  }

  private note(position: string): void {
    if (position === '') return;
    if (this.earliest === '') this.earliest = position;
    // The server has started again in between, and knows nothing of what happened before.
    else if (runOf(position) !== runOf(this.earliest)) this.earliest = nowhere;
    else if (isBefore(position, this.earliest)) this.earliest = position;
  }

  position(): Promise<string> {
    if (this.underWay === 0) return Promise.resolve(this.earliest);
    return new Promise((tell) => this.waiting.push(tell));
  }

  moveTo(position: string): void {
    this.earliest = position;
  }
}

let answers = new Answers();

// Another person's answers, and those of another time, are of no use.
useSession.subscribe(({ session }, before) => {
  if (session?.userId !== before.session?.userId) answers = new Answers();
});

/** A call sets out. What it gives back is to be told the position that was answered, empty when there was none. */
export function callBegins(): (position: string) => void {
  return answers.begin();
}

/** Where a first stream is to be opened from; empty when nothing tells. Waits for the answers that may know an earlier one. */
export function openFrom(): Promise<string> {
  return answers.position();
}

/** Everything that has been fetched is as new as this event, or newer: a stream showed it. */
export function caughtUp(position: string): void {
  if (position !== '') answers.moveTo(position);
}

/** Whether something may have happened from one position to the other; between those of two runs of the server anything may have. */
export function isBefore(position: string, other: string): boolean {
  return runOf(position) !== runOf(other) || numberOf(position) < numberOf(other);
}

const runOf = (position: string) => position.slice(0, position.lastIndexOf('-'));
const numberOf = (position: string) => Number(position.slice(position.lastIndexOf('-') + 1));
