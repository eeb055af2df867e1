/** Marks messages as read in all tabs when the user reads them in one. */
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

/** Listens to the user's other tabs; returns a function that stops it. */
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
