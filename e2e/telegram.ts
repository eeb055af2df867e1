import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The token of the bot that the server under test has. */
export const botToken = '123456789:AAe2e-telegram-0123456789abcdefghij';

export interface TelegramMessage {
  chat: number | string;
  text: string;
}

/** A Bot API that knows a bot: it takes messages to all chats but those that a test makes unknown or blocked. */
class BotApi {
  messages: TelegramMessage[] = [];
  /** What is answered to a message to a chat, in place of taking it. */
  readonly refusals = new Map<number | string, { code: number; description: string }>();
  private readonly server: Server = createServer((request, response) => {
    let body = '';
    request.on('data', (piece) => {
      body += piece;
    });
    request.on('end', () => {
      const answer = (status: number, content: unknown) =>
        response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(content));
      const refuse = (code: number, description: string) => answer(code, { ok: false, error_code: code, description });
      if (request.url !== `/bot${botToken}/sendMessage`) return refuse(401, 'Unauthorized');
      const { chat_id: chat, text } = JSON.parse(body);
      const refusal = this.refusals.get(chat);
      if (refusal) return refuse(refusal.code, refusal.description);
      this.messages.push({ chat, text });
      return answer(200, {
        ok: true,
        result: { message_id: 1000 + this.messages.length, date: 0, chat: { id: chat } },
      });
    });
  });

  /** Starts it, and returns its address. */
  async start(): Promise<string> {
    await new Promise<void>((done) => this.server.listen(0, '127.0.0.1', done));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

/** The Bot API of this worker's server. */
export const botApi = new BotApi();
