import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The token of the bot that the server under test has. */
export const botToken = '123456789:AAe2e-telegram-0123456789abcdefghij';

export interface TelegramMessage {
  chat: number | string;
  text: string;
}

/** A Bot API that knows a bot: it takes messages to all chats. */
class BotApi {
  messages: TelegramMessage[] = [];
  private readonly server: Server = createServer((request, response) => {
    let body = '';
    request.on('data', (piece) => {
      body += piece;
    });
    request.on('end', () => {
      const answer = (status: number, content: unknown) =>
        response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(content));
      if (request.url !== `/bot${botToken}/sendMessage`) {
        return answer(401, { ok: false, error_code: 401, description: 'Unauthorized' });
      }
      const { chat_id: chat, text } = JSON.parse(body);
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
