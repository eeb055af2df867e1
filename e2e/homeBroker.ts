import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import { Aedes } from 'aedes';

/** A farm's MQTT broker on this machine, npm's aedes, as Home Assistant uses one. */
export class HomeBroker {
  url = '';
  /** What the broker retains, by topic. */
  readonly retained = new Map<string, string>();
  private readonly sockets = new Set<Socket>();
  private server: Server | undefined;
  private broker: Aedes | undefined;

  constructor(
    private readonly userName: string,
    private readonly password: string,
  ) {}

  async start(): Promise<void> {
    const broker = await Aedes.createBroker();
    broker.authenticate = (_, userName, password, done) =>
      done(null, userName === this.userName && password?.toString() === this.password);
    broker.on('publish', ({ topic, payload, retain }) => {
      if (!retain) return;
      if (payload.length === 0) this.retained.delete(topic);
      else this.retained.set(topic, payload.toString());
    });
    this.broker = broker;
    this.server = createServer((socket) => {
      this.sockets.add(socket);
      broker.handle(socket);
    });
    await new Promise<void>((done) => this.server?.listen(0, '127.0.0.1', done));
    this.url = `mqtt://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Publishes what Home Assistant publishes when it has started. */
  async startHomeAssistant(): Promise<void> {
    await new Promise<void>((done, failed) =>
      this.broker?.publish(
        {
          cmd: 'publish',
          topic: 'homeassistant/status',
          payload: Buffer.from('online'),
          qos: 1,
          dup: false,
          retain: false,
        },
        (error) => (error ? failed(error) : done()),
      ),
    );
  }

  /** Forgets what it retains, as a broker without a disk does when it starts again. */
  forget(): void {
    this.retained.clear();
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server?.close();
    await new Promise<void>((done) => (this.broker ? this.broker.close(() => done()) : done()));
  }
}
