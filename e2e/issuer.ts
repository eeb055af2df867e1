import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

/** A person at the issuer; whoever signs in there types the id. */
interface Account {
  email: string;
  verified: boolean;
  groups: string[];
}

const clientId = 'tilth';
const clientSecret = 'the-secret-of-the-browser-tests-client-0123456789';

/** An issuer of OpenID Connect on this machine, npm's oidc-provider, with one client. */
export class Issuer {
  readonly accounts = new Map<string, Account>();
  private server: Server | undefined;
  url = '';

  /** Starts it for a console, which the issuer itself reaches at another address than browsers. */
  async start(site: string, reachedAt: string): Promise<void> {
    this.server = createServer();
    await new Promise<void>((done) => this.server?.listen(0, '127.0.0.1', done));
    this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    const provider = new Provider(this.url, {
      clients: [
        {
          client_id: clientId,
          client_secret: clientSecret,
          redirect_uris: [`${site}/auth/oidc/callback`],
          post_logout_redirect_uris: [`${site}/signin`],
          grant_types: ['authorization_code', 'refresh_token'],
          backchannel_logout_uri: `${reachedAt}/auth/oidc/backchannel-logout`,
          backchannel_logout_session_required: true,
        },
      ],
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['groups'] },
      features: { backchannelLogout: { enabled: true }, rpInitiatedLogout: { enabled: true } },
      pkce: { required: () => true },
      issueRefreshToken: () => true,
      cookies: { keys: ['the key of the browser tests'] },
      // Its own fetch calls nobody on this machine, where the console under test is.
      fetch: (url: string, { dispatcher: _, ...options }: RequestInit & { dispatcher?: unknown }) =>
        fetch(url, options),
      // As usual, the address and the groups are at userinfo only.
      conformIdTokenClaims: true,
      findAccount: (_: unknown, id: string) => {
        const account = this.accounts.get(id);
        if (!account) return undefined;
        const { email, verified, groups } = account;
        return { accountId: id, claims: () => ({ sub: id, email, email_verified: verified, groups }) };
      },
    });
    this.server.on('request', provider.callback());
  }

  /** The lines of the provider's file that lead a tenant's people here. */
  yaml(): string {
    return `oidc: {issuer: "${this.url}", clientId: ${clientId}, clientSecret: "${clientSecret}", roleClaim: groups, roles: {staff: operator, guests: viewer}}`;
  }

  stop(): void {
    this.server?.closeAllConnections();
    this.server?.close();
  }
}
