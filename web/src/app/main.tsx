import './fonts.css';
import './tokens.css';
import './levels.css';
import './global.css';
import './forcedColors.css';
import { RouterProvider } from '@tanstack/react-router';
import { startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { createQueryClient } from '@/lib/http/queryClient';
import { startI18n } from '@/lib/i18n/i18n';
import { startAnswerCache } from '@/lib/offline/answerCache';
import { followReachability } from '@/lib/offline/followReachability';
import { startSessionRenewal } from '@/lib/session/sessionRenewal';
import { watchConnection } from '@/lib/storage/dataSaver';
import { followThemePreference } from '@/lib/storage/preferences';
import { followLanguage, followSession } from './followSession';
import { Providers } from './Providers';
import { createConsoleRouter } from './router';

async function start(container: HTMLElement): Promise<void> {
  const client = createQueryClient();
  const router = createConsoleRouter(client);
  followThemePreference();
  startSessionRenewal();
  followSession(router, client);
  followLanguage(client);
  followReachability(client);
  startAnswerCache(client);
  watchConnection();
  // The page's code and the texts are fetched in parallel.
  await Promise.all([startI18n(), router.load()]);
  const root = createRoot(container);
  // In a transition the page is drawn piece by piece: a tap or a key never waits for all of it.
  startTransition(() =>
    root.render(
      <Providers client={client}>
        <RouterProvider router={router} />
      </Providers>,
    ),
  );
}

const container = document.getElementById('root');
if (!container) throw new Error('index.html has no #root');
start(container).catch((error: unknown) => {
  // Without its texts the console has no other language; this is the only possible message.
  container.textContent = 'Tilth did not load completely. Load the page again.';
  throw error;
});
