/** What a person reads in one tab is read in the others, too. */
export class ReadBroadcast {
  private readonly channel: BroadcastChannel;

  constructor(user: number, onRead: () => void) {
    this.channel = new BroadcastChannel(`tilth.messages.${user}`);
    this.channel.onmessage = onRead;
  }

  notifyRead(): void {
    this.channel.postMessage('read');
  }

  close(): void {
    this.channel.close();
  }
}

let broadcast: ReadBroadcast | null = null;

/** Listens to the other tabs of a person until told to stop. */
export function listenToOtherTabs(user: number, onRead: () => void): () => void {
  const joined = new ReadBroadcast(user, onRead);
  broadcast = joined;
  return () => {
    joined.close();
    if (broadcast === joined) broadcast = null;
  };
}

export function notifyOtherTabs(): void {
  broadcast?.notifyRead();
}
