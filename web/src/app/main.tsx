import './fonts.css';
import './tokens.css';
import './global.css';
import './forced.css';
import { RouterProvider } from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import { startI18n } from '@/lib/i18n';
import { keepAnswers } from '@/lib/offline/keep';
import { followReach } from '@/lib/offline/recover';
import { followPreferences } from '@/lib/preferences';
import { createQueryClient } from '@/lib/queryClient';
import { followLine } from '@/lib/saver';
import { keepSession } from '@/lib/sessionUpkeep';
import { followLanguage, followSession } from './follow';
import { Providers } from './Providers';
import { createConsoleRouter } from './router';

async function start(container: HTMLElement): Promise<void> {
  const client = createQueryClient();
  const router = createConsoleRouter();
  followPreferences();
  keepSession();
  followSession(router, client);
  followLanguage(client);
  followReach(client);
  keepAnswers(client);
  followLine();
  // The page's own code is fetched while the texts are.
  await Promise.all([startI18n(), router.load()]);
  createRoot(container).render(
    <Providers client={client}>
      <RouterProvider router={router} />
    </Providers>,
  );
}

const container = document.getElementById('root');
if (!container) throw new Error('index.html has no #root');
start(container).catch((error: unknown) => {
  // Without its texts the console cannot speak a person's language; this is all that can still be said.
  container.textContent = 'Tilth did not load completely. Load the page again.';
  throw error;
});
