/** What a person reads in one tab is read in the others, too. */
export class OtherTabs {
  private readonly channel: BroadcastChannel;

  constructor(user: number, onRead: () => void) {
    this.channel = new BroadcastChannel(`tilth.messages.${user}`);
    this.channel.onmessage = onRead;
  }

  tell(): void {
    this.channel.postMessage('read');
  }

  close(): void {
    this.channel.close();
  }
}

let tabs: OtherTabs | null = null;

/** Listens to the other tabs of a person until told to stop. */
export function joinTabs(user: number, onRead: () => void): () => void {
  const joined = new OtherTabs(user, onRead);
  tabs = joined;
  return () => {
    joined.close();
    if (tabs === joined) tabs = null;
  };
}

export function tellTabs(): void {
  tabs?.tell();
}
